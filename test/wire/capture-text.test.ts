// Goal: prompts and answers are kept only when asked for, then in the record file alone, which only its
// owner can read, and that is said at every start.
// Method: canaries for both through a sidecar with and one without the flag; every output is searched.
import { statSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { OtlpCatcher } from '../support/otlp-catcher.ts';
import { at, c, D, DONE, END, FINISH, HEAD, type Step } from '../support/script.ts';
import { firstEvents } from '../support/live-client.ts';
import { poll } from '../support/signal.ts';

const PROMPT = 'PromptCanaryZq7';
const ANSWER = ['Answer', 'Canary', 'Zq7'];
const script: Step[] = [
  at(0, HEAD),
  ...ANSWER.map((text, index) => at(5 * index, c(D(text)))),
  at(20, c(FINISH + DONE), END),
];
const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: PROMPT }] });

let catcher: OtlpCatcher;
const folder = mkdtempSync(join(tmpdir(), 'rubato-text-'));
const file = join(folder, 'with-text.jsonl');

beforeAll(async () => {
  catcher = await OtlpCatcher.start();
  catcher.keepsBodies = true;
  // Somebody made it for all to read.
  writeFileSync(file, '', { mode: 0o644 });
});
afterAll(async () => {
  await catcher.stop();
  rmSync(folder, { recursive: true, force: true });
});

const exporting = (args: readonly string[]) => () => ({
  args: ['--log-level', 'trace', ...args],
  env: {
    OTEL_EXPORTER_OTLP_ENDPOINT: catcher.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_METRIC_EXPORT_INTERVAL: '500',
    OTEL_METRIC_EXPORT_TIMEOUT: '450',
  },
});

const WORDS = [PROMPT, ...ANSWER.slice(0, 1), ANSWER.join('')];
const hasText = (text: string): boolean => WORDS.some((word) => text.includes(word));

describe('with the flag', () => {
  const bench = useBench(exporting(['--record', file, '--capture-text']));

  test('the record file has both, for its owner only, and nothing else has either', async () => {
    await bench.run({ script, body });
    const line = await poll('the record', () => readFileSync(file, 'utf8').split('\n').slice(0, -1)[0]);
    expect((JSON.parse(line) as { text: unknown }).text).toEqual({ prompt: PROMPT, answer: ANSWER.join('') });
    expect(hasText(JSON.stringify((JSON.parse(line) as { record: unknown }).record))).toBe(false);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const { recent } = JSON.parse((await bench.sidecar.admin('/api/streams')).text) as { recent: { id: string }[] };
    expect(recent).toHaveLength(1);
    const pages = ['/metrics', '/api/streams', '/api/summary', ...recent.map(({ id }) => `/api/streams/${id}`)];
    for (const page of pages) expect([page, hasText((await bench.sidecar.admin(page)).text)]).toEqual([page, false]);
    expect(hasText(await firstEvents(bench.sidecar.adminPort))).toBe(false);
    await poll('spans', () => catcher.bodies.find(({ url }) => url === '/v1/traces'));
    await poll('metrics', () => catcher.bodies.find(({ url }) => url === '/v1/metrics'));
    expect(catcher.bodies.filter(({ bytes }) => hasText(bytes.toString()))).toEqual([]);
    const said = bench.sidecar.logs.filter(({ msg }) => String(msg).includes('--capture-text'));
    expect(said.map(({ level }) => level)).toEqual(['warn']);
    expect(hasText(JSON.stringify(bench.sidecar.logs) + bench.sidecar.noise.join(''))).toBe(false);
  });
});

describe('without the flag', () => {
  const bench = useBench(exporting([]));

  test('nothing has either', async () => {
    await bench.run({ script, body });
    await bench.sidecar.untilRecords(1);
    const text = readFileSync(bench.sidecar.recordFile, 'utf8');
    expect([hasText(text), 'text' in (JSON.parse(text) as object)]).toEqual([false, false]);
    expect(bench.sidecar.logs.filter(({ msg }) => String(msg).includes('--capture-text'))).toEqual([]);
  });
});
