// Goal: GuideLLM's own loader reads the report that the load writes for it, its percentiles are those that the load
// shows, and all figures are what GuideLLM makes itself of the same requests. Method: a sweep and an open loop with
// failures against a reference engine, their reports loaded, reckoned anew and shown by GuideLLM's own code.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LoadResult } from '../../src/client/load/result.ts';
import { runCli } from '../unit/cli/fake-io.ts';
import { FakeServer } from '../unit/client/load/fake-server.ts';
import { orMissing, say } from './judge/missing.ts';
import { Guidellm, type ReadBenchmark, type Tree } from './load/guidellm.ts';

/** A power of two: GuideLLM adds up shares of 1/n, and slips by a rank where such a sum is not exact. */
const COUNT = 64;
const TOKENS = 12;
const NS_PER_MS = 1e6;
/** A moment in seconds since the epoch is kept to a quarter of a microsecond. */
const MOMENT_MS = 0.001;
const APART_MAX_SHARE = 1e-6;
/** Of websockets, which the load does not speak: GuideLLM counts a 0 for each request, and the load nothing. */
const NOT_OURS: ReadonlySet<string> = new Set(['time_to_last_round_trip_ms', 'avg_round_trip_time_ms']);

const folder = mkdtempSync(join(tmpdir(), 'rubato-guidellm-'));
const open: { stop(): Promise<void> }[] = [];
let guidellm: Guidellm | undefined;
let steps: readonly LoadResult[] = [];
const sweepFile = join(folder, 'sweep.json');
const failingFile = join(folder, 'failing.json');

async function load(url: string, file: string, ...flags: string[]): Promise<string> {
  const { out, err } = await runCli([
    'load',
    url,
    '--model',
    'm',
    '--export',
    `guidellm=${file}`,
    '--json',
    '-',
    ...flags,
  ]);
  expect(out, err).toMatch(/^\{/);
  return out;
}

beforeAll(async () => {
  guidellm = await orMissing('GuideLLM', () => Guidellm.get());
  if (guidellm === undefined) return;
  const steady = await FakeServer.start({ firstMs: 30, tokens: TOKENS, gapMs: 5 }, open);
  const sweep = await load(steady.url, sweepFile, '--sweep', '1,4', '--count', String(COUNT));
  steps = (JSON.parse(sweep) as { sweep: { result: LoadResult }[] }).sweep.map(({ result }) => result);
  // The check is request 0, and every fourth one fails.
  const failing = await FakeServer.start({ tokens: TOKENS, status: (index) => (index % 4 === 3 ? 503 : 200) }, open);
  await load(failing.url, failingFile, '--rate', '40', '--arrivals', 'gamma', '--count', String(COUNT));
});

afterAll(async () => {
  for (const each of open) await each.stop();
  rmSync(folder, { recursive: true });
});

/** Paths of figures that are not the same. */
function differences(ours: Tree[string], theirs: Tree[string], path = ''): string[] {
  if (typeof theirs === 'object' && theirs !== null) {
    const own = typeof ours === 'object' && ours !== null ? ours : {};
    return Object.keys(theirs).flatMap((name) => differences(own[name], theirs[name], `${path}.${name}`));
  }
  if (typeof theirs === 'number' && typeof ours === 'number')
    return Math.abs(ours - theirs) <= APART_MAX_SHARE * Math.max(1, Math.abs(theirs)) ? [] : [path];
  return ours === theirs ? [] : [path];
}

const figureOf = (tree: Tree, ...path: readonly string[]): number =>
  path.reduce<unknown>((part, name) => (part as Tree)[name], tree) as number;

describe('a report of a sweep', () => {
  let benchmarks: readonly ReadBenchmark[] = [];
  beforeAll(async () => {
    if (guidellm !== undefined) benchmarks = await guidellm.read(sweepFile);
  });

  test('is read by the loader, a benchmark a step, with the percentiles that the load shows', ({ skip }) => {
    if (guidellm === undefined) return skip('GuideLLM cannot be had here');
    expect(benchmarks.map(({ strategy }) => strategy)).toEqual(['concurrent@1', 'concurrent@4']);
    for (const [index, { strategy, read }] of benchmarks.entries()) {
      const figures = steps[index]?.classes[0];
      expect(figures?.okCount).toBe(COUNT);
      for (const name of ['p50', 'p95'] as const) {
        const pairs = [
          ['TTFT', figureOf(read, 'time_to_first_token_ms', 'successful', 'percentiles', name), figures?.ttft.fromSent],
          ['ITL', figureOf(read, 'inter_token_latency_ms', 'successful', 'percentiles', name), figures?.tpot],
          [
            'end to end',
            1e3 * figureOf(read, 'request_latency', 'successful', 'percentiles', name),
            figures?.duration.fromSent,
          ],
        ] as const;
        for (const [what, theirMs, spread] of pairs) {
          const ourMs = Number(spread?.[`${name}Ns`]) / NS_PER_MS;
          say(
            `${strategy} ${what} ${name}: GuideLLM reads ${theirMs.toFixed(4)} ms, the load has ${ourMs.toFixed(4)} ms`,
          );
          expect(Math.abs(theirMs - ourMs), `${strategy} ${what} ${name}`).toBeLessThan(MOMENT_MS);
        }
      }
    }
  });

  test('has the figures that GuideLLM makes itself of the requests', ({ skip }) => {
    if (guidellm === undefined) return skip('GuideLLM cannot be had here');
    expect(benchmarks).toHaveLength(2);
    for (const { read, reckoned } of benchmarks) {
      const apart = differences(read, reckoned).filter((path) => !NOT_OURS.has(path.split('.')[1] ?? ''));
      expect(apart).toEqual([]);
    }
  });

  test('is shown in its tables', async ({ skip }) => {
    if (guidellm === undefined) return skip('GuideLLM cannot be had here');
    const shown = await guidellm.show(sweepFile);
    expect(shown).toContain('concurrent@4');
    expect(shown).toMatch(new RegExp(`concurrent@1 .*\\| ${COUNT} +\\| 0 +\\| 0 `));
  });
});

test('failures are errors to GuideLLM, and it is told no figure that they never had', async ({ skip }) => {
  if (guidellm === undefined) return skip('GuideLLM cannot be had here');
  const [benchmark] = await guidellm.read(failingFile);
  if (benchmark === undefined) throw new Error('no benchmark was read');
  const { read, reckoned, strategy } = benchmark;
  expect(strategy).toBe('trace@1.00');
  expect(read['request_totals']).toEqual({ successful: 48, incomplete: 0, errored: 16, total: 64 });
  expect(read['request_totals']).toEqual(reckoned['request_totals']);
  // It counts each of them with a TTFT of 0 when it makes the figure itself.
  const counts = [read, reckoned].map((tree) => figureOf(tree, 'time_to_first_token_ms', 'errored', 'count'));
  expect(counts).toEqual([0, 16]);
  for (const name of ['mean', 'min', 'max', 'count']) {
    const pair = [read, reckoned].map((tree) => figureOf(tree, 'time_to_first_token_ms', 'successful', name));
    expect(Math.abs((pair[0] ?? NaN) - (pair[1] ?? NaN)), name).toBeLessThan(MOMENT_MS);
  }
});
