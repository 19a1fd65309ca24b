// Goal: a report made of the records that a sidecar wrote says what the sidecar itself said, to the last nanosecond, and
// holds nothing of what was asked or answered, although the records do. Method: the sidecar as its users run it, with
// text captured, before the reference engine; `/api/summary` beside the data of the report.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeReport } from '../../src/cli/report.ts';
import { startReferenceEngine } from '../../src/client/reference-engine/start.ts';
import { sendRequest } from '../../src/client/stream-client.ts';
import type { ReportData } from '../../src/telemetry/report-data.ts';
import type { Summary } from '../../src/telemetry/summary.ts';
import { configFile } from '../support/config-file.ts';
import { Sidecar } from '../support/sidecar.ts';

const COUNT = 24;
const SECRET = 'the secret of tempo rubato';
const YAML = `
classes:
  - name: default
    objectives:
      - { objective: ttft, max_ms: 60000, target: 0.5 }
      - { objective: gap_max, max_ms: 1, target: 0.5 }
`;

/** What is of the latest minutes moves on while we look; what is since the start does not. */
function lasting({ classes }: Pick<Summary, 'classes'>) {
  return classes.map(({ goodput, objectives, ...each }) => ({
    ...each,
    goodput: goodput?.sinceStart,
    objectives: objectives.map((objective) => ({ ...objective, window: undefined })),
  }));
}

async function reportOf(path: string): Promise<{ readonly html: string; readonly data: ReportData }> {
  const folder = mkdtempSync(join(tmpdir(), 'rubato-report-'));
  const out = join(folder, 'report.html');
  const quiet = { out: () => {}, err: () => {}, stdout: { write: () => true } };
  const io = { ...quiet, env: {}, execArgv: [], platform: 'linux' };
  const asked = { paths: [path], out, title: undefined, worstCount: COUNT };
  expect(await makeReport(asked, { script: '', style: '' }, io)).toBe(0);
  const html = readFileSync(out, 'utf8');
  rmSync(folder, { recursive: true });
  return { html, data: JSON.parse(/id="data">(.*)<\/script>/.exec(html)?.[1] ?? '') as ReportData };
}

test('a report of records says what the sidecar said', async () => {
  const engine = await startReferenceEngine({ models: ['reference-small'] });
  const args = ['--config', configFile(YAML), '--capture-text'];
  const sidecar = await Sidecar.start({ upstream: engine.url, args });
  try {
    const body = (nth: number): string =>
      JSON.stringify({
        model: 'reference-small',
        stream: true,
        max_tokens: 6 + nth,
        messages: [{ role: 'user', content: `${nth} ${SECRET}` }],
      });
    const url = `http://127.0.0.1:${sidecar.listenPort}/v1/chat/completions`;
    await Promise.all(Array.from({ length: COUNT }, (_, nth) => sendRequest({ url, body: body(nth) })));
    await sidecar.untilRecords(COUNT);
    const told = JSON.parse((await sidecar.admin('/api/summary')).text) as Summary;
    const { html, data } = await reportOf(sidecar.recordFile);
    expect(told.classes[0]?.exchangeCount).toBe(COUNT);
    expect(lasting(data)).toEqual(lasting(told));
    const inColumns = data.columns.flatMap(({ counts }) => counts['default'] ?? []);
    expect(inColumns.reduce((sum, count) => sum + count, 0)).toBe(told.classes[0]?.gapCount);
    expect(data.worst).toHaveLength(COUNT);
    expect(readFileSync(sidecar.recordFile, 'utf8')).toContain(SECRET);
    expect(html).not.toContain(SECRET);
  } finally {
    await sidecar.stop();
    await engine.close();
  }
});
