// Goal: counters of objectives and goodput are what a recount in the plainest way makes of the record file, for
// 20,000 exchanges of all kinds, and a replay of that file comes to the same verdicts bit for bit. Method: YAML gives
// the classes, a seed the exchanges; the real observer, metrics and record file stand between. RUBATO_TEST_RECOUNT
// sets how many.
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createOutlets } from '../../src/app/outlets.ts';
import { checkLine } from '../../src/cli/replay-line.ts';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createClassifier } from '../../src/observe/classifier.ts';
import { parsePrometheus } from '../support/prometheus.ts';
import { createStage } from '../unit/observe/tape-play.ts';
import { catchLog } from '../unit/telemetry/reports.ts';
import { keyOf, recount, Tally } from './recount/recount.ts';
import { playTraffic } from './recount/traffic.ts';

const EXCHANGE_COUNT = Number(process.env['RUBATO_TEST_RECOUNT'] ?? 20_000);
const LIMIT_MS = 300_000;
const SEED = 6;

const folder = mkdtempSync(join(tmpdir(), 'rubato-recount-'));
const path = join(folder, 'records.jsonl');
afterAll(() => rmSync(folder, { recursive: true }));

const YAML = `
upstream: http://127.0.0.1:8000
class-header: x-traffic-class
record: ${path}
record-max-bytes: 4GiB
classes:
  - { name: chat, preset: chat }
  - { name: smooth, preset: smooth, objectives: [{ objective: served, target: 0.99 }] }
  - { name: documents, preset: batch }
  - name: strict
    objectives:
      - { objective: ttft, max_ms: 800, target: 0.95, prompt_buckets: [0-256, 256-1k] }
      - { objective: ttft, max_ms: 2000, target: 0.99, prompt_tokens_max: 2000 }
      - { objective: ttfo, max_ms: 1000, target: 0.9 }
      - { objective: gap_max, max_ms: 100, target: 0.99 }
      - { objective: gap_p50, max_ms: 12, target: 0.95 }
      - { objective: gap_p75, max_ms: 14, target: 0.95 }
      - { objective: gap_p95, max_ms: 46, target: 0.95 }
      - { objective: gap_p99, max_ms: 200, target: 0.95 }
      - { objective: gap_pooled_p90, max_ms: 32 }
      - { objective: tpot, max_ms: 20, target: 0.95, prompt_tokens_min: 200 }
      - { objective: e2e, max_ms: 1500, target: 0.95, output_tokens_max: 16 }
      - { objective: valid, target: 0.999 }
`;

function config(): Config {
  const loaded = loadConfig({
    flags: { config: 'rubato.yaml' },
    env: {},
    readFile: () => YAML,
    execArgv: [],
    platform: 'linux',
    checks: [],
  });
  if ('faults' in loaded) throw new Error(loaded.faults.join('\n'));
  return loaded.config;
}

/** Samples of these metrics, summed over models, by metric and labels. */
function counted(metricsText: string): Map<string, number> {
  const tally = new Tally();
  for (const { name, labels, value } of parsePrometheus(metricsText)) {
    if (!/^rubato_(slo|good|demand)_/.test(name) || name.endsWith('_sum')) continue;
    if (name.endsWith('_bucket') && (name.includes('gap') || labels['le'] !== '0.75')) continue;
    const { model: _, ...rest } = labels;
    tally.add(name, rest, value);
  }
  return tally.counts;
}

function aboveZero(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].filter(([, count]) => count > 0).sort());
}

test(
  'counters equal a recount of the record file, and a replay comes to the same',
  { timeout: LIMIT_MS, retry: 0 },
  async () => {
    const settings = config();
    const log = catchLog();
    const outlets = await createOutlets(settings, {}, log);
    const stage = createStage({
      sinks: outlets.sinks,
      classifier: createClassifier(settings.classHeader, settings.classes),
      promptBucketEdges: settings.promptBucketEdges,
      outputBucketEdges: settings.outputBucketEdges,
    });
    const breathe = async (): Promise<void> => {
      while ((outlets.recordFile?.stats().queuedCount ?? 0) > 0) await setImmediate();
    };
    await playTraffic(stage.handler, EXCHANGE_COUNT, { seed: SEED, breathe });
    stage.observer.settleAll();
    const live = counted([...outlets.metricsText(undefined).pieces].join(''));
    await outlets.close();
    expect(stage.faults).toEqual([]);
    expect(outlets.recordFile?.stats()).toMatchObject({ takenCount: EXCHANGE_COUNT, droppedCount: 0 });

    const tally = new Tally();
    let lineCount = 0;
    for await (const line of createInterface({ input: createReadStream(path) })) {
      lineCount += 1;
      recount(JSON.parse(line).record, tally);
      const { state, reason } = checkLine(line, true);
      expect(state, `line ${lineCount}: ${reason}`).toBe('equal');
    }
    expect(lineCount).toBe(EXCHANGE_COUNT);
    expect(aboveZero(live)).toEqual(aboveZero(tally.counts));
    // A recount of nothing would be equal too.
    const of = (objective: string, met: string): number =>
      live.get(keyOf('rubato_slo_exchanges_total', { class: 'strict', objective, met })) ?? 0;
    for (const met of ['true', 'false', 'unknown']) expect(of('ttft_2s', met)).toBeGreaterThan(EXCHANGE_COUNT / 1_000);
  },
);
