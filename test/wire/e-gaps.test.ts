// Goal: gaps lie between reads with generated fragments, per-token time is another figure, and
// neither is filled, padded or averaged away (kind E).
// Method: scripted streams; counts are exact (tainted gaps included, for a busy machine taints but
// does not lose), lengths lie between the engine's writes and the client's reads.
import { describe, expect, test } from 'vitest';
import { eventCounts, expectGapsToBalance, expectSplitToSum, gapCount } from '../support/answer.ts';
import { useBench, type Run } from '../support/bench.ts';
import { expectBetweenWrites, expectLargestGap, expectUntilWrite } from '../support/causal.ts';
import { at, c, COMPLETIONS_TARGET, D, delta, DONE, END, event, HEAD, T, type Step } from '../support/script.ts';
import { sumOf } from '../support/prometheus.ts';
import type { RecordEntry } from '../support/sidecar.ts';

const bench = useBench();
const NS_PER_MS = 1e6;

function spread(count: number, startMs: number, everyMs: number, make: (index: number) => string): Step[] {
  return Array.from({ length: count }, (_, index) => at(startMs + index * everyMs, c(make(index))));
}

/** TPOT is the time between two body writes divided by so many tokens. */
function expectTpot(run: Run & RecordEntry, from: number, to: number, tokens: number): void {
  const { tpotNs } = run.figures;
  expectBetweenWrites(run, tpotNs === undefined ? undefined : tpotNs * tokens, from, to);
}

describe('E1', () => {
  const chunk = (tokens: number): string =>
    delta({ content: 'four words or so' }, { usage: { completion_tokens: tokens } });

  test('E1 several tokens a chunk make one gap a chunk and a true time per token', async () => {
    const run = await bench.check({
      script: [at(0, HEAD), ...spread(5, 500, 80, (index) => chunk(4 + index * 4)), at(840, c(DONE), END)],
    });
    expect(eventCounts(run)).toEqual({ content: 5, done: 1 });
    expect(gapCount(run)).toBe(4);
    expect(run.record.tokens).toMatchObject({ output: 20, basis: 'usage' });
    expectTpot(run, 0, 4, 16);
  });

  test('E1 without usage there is no time per token', async () => {
    const run = await bench.check({
      script: [at(0, HEAD), ...spread(5, 50, 40, () => D('four words')), at(240, c(DONE), END)],
    });
    expect(run.figures.tpotNs).toBeUndefined();
    expect(run.record.tokens.output).toBeUndefined();
    expect(gapCount(run)).toBe(4);
  });

  test('E1 completions with usage only at the end: the first chunk counts as one token', async () => {
    const usage = event({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 20, total_tokens: 23 } });
    const run = await bench.check({
      target: COMPLETIONS_TARGET,
      script: [at(0, HEAD), ...spread(5, 50, 40, () => T('four words')), at(220, c(usage)), at(240, c(DONE), END)],
    });
    expect(run.record.tokens).toMatchObject({ prompt: 3, output: 20, basis: 'usage' });
    expectTpot(run, 0, 4, 19);
  });

  test('E1 usage of null in every chunk is no usage', async () => {
    const script = [
      at(0, HEAD),
      ...spread(3, 50, 40, () => delta({ content: 'x' }, { usage: null })),
      at(180, c(DONE), END),
    ];
    const run = await bench.check({ script });
    expect(run.record.tokens.output).toBeUndefined();
    expect(run.figures.tpotNs).toBeUndefined();
  });

  test('E1 with several choices there is no time per token', async () => {
    const usage = event({ choices: [], usage: { completion_tokens: 6 } });
    const choice = (index: number): string => event({ choices: [{ index: index % 2, delta: { content: 'x' } }] });
    const run = await bench.check({
      script: [at(0, HEAD), ...spread(6, 40, 30, choice), at(220, c(usage)), at(240, c(DONE), END)],
    });
    expect(run.record.answer.choiceCount).toBe(2);
    expect(run.figures.tpotNs).toBeUndefined();
    expect(gapCount(run)).toBe(5);
  });
});

describe('E2', () => {
  test('E2 several events of one write are one read: no gap of 0, none lost', async () => {
    const run = await bench.check({
      script: [at(0, HEAD), at(100, c(D('a')), c(D('b')), c(D('c'))), at(160, c(D('d')), c(DONE), END)],
    });
    expect(eventCounts(run)).toEqual({ content: 4, done: 1 });
    expect(gapCount(run)).toBe(1);
    expect(run.figures.coalescedCount).toBe(2);
    expectLargestGap(run, 0, 1);
    expectGapsToBalance(run);
  });

  test.each([
    ['three events in one chunk', c(D('a') + D('b') + D('c'))],
    [
      'events cut across chunks of one write',
      Buffer.concat([c(D('a').slice(0, 20)), c(D('a').slice(20) + D('b')), c(D('c'))]),
    ],
    ['CRLF', c((D('a') + D('b') + D('c')).replaceAll('\n', '\r\n'))],
    ['a comment between', Buffer.concat([c(D('a')), c(': x\n\n'), c(D('b')), c(D('c'))])],
    [
      'channels mixed',
      c(delta({ reasoning: 'r' }) + D('b') + delta({ tool_calls: [{ index: 0, function: { arguments: '{' } }] })),
    ],
  ])('E2 one write, three fragments: %s', async (_, write) => {
    const run = await bench.check({ script: [at(0, HEAD), at(40, write), at(120, c(D('d')), c(DONE), END)] });
    expect(gapCount(run)).toBe(1);
    expect(run.figures.coalescedCount).toBe(2);
    expectUntilWrite(run, run.figures.ttftNs, 0);
    expectLargestGap(run, 0, 1);
  });

  test('E2 completions, the whole answer in one write', async () => {
    const run = await bench.check({
      target: COMPLETIONS_TARGET,
      script: [at(0, HEAD), at(60, c(T('a')), c(T('b')), c(T('c')), c(DONE), END)],
    });
    expect(gapCount(run)).toBe(0);
    expect(run.figures.coalescedCount).toBe(2);
    expect(run.figures.gapsReceived.maxNs).toBeUndefined();
  });
});

describe('E3', () => {
  const usage = event({ choices: [], usage: { completion_tokens: 10 } });

  test('E3 a usage chunk and a late end mark are no gaps', async () => {
    const run = await bench.check({
      script: [
        at(0, HEAD),
        ...spread(10, 300, 50, (index) => D(String(index))),
        at(751, c(usage)),
        at(950, c(DONE), END),
      ],
    });
    expect(eventCounts(run)).toEqual({ content: 10, usage: 1, done: 1 });
    expect(gapCount(run)).toBe(9);
    expectUntilWrite(run, run.figures.lastTokenNs, 9);
    expectTpot(run, 0, 9, 9);
    expect(run.figures.durationNs).toBeGreaterThan((run.figures.lastTokenNs ?? 0) + 150 * NS_PER_MS);
    expectGapsToBalance(run);
  });

  test.each([
    [
      'usage long after the last token',
      [at(150, c(D('a'))), at(200, c(D('b'))), at(500, c(usage)), at(510, c(DONE), END)],
    ],
    [
      'a finish long after the last token',
      [
        at(150, c(D('a'))),
        at(200, c(D('b'))),
        at(500, c(event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }))),
        at(510, c(DONE), END),
      ],
    ],
    ['an empty last delta', [at(150, c(D('a'))), at(200, c(D('b'))), at(500, c(D(''))), at(510, c(DONE), END)]],
    ['a late last chunk', [at(150, c(D('a'))), at(200, c(D('b'))), at(210, c(DONE)), at(500, END)]],
  ] as const)('E3 the last token is not the last event: %s', async (_, steps) => {
    const run = await bench.check({ script: [at(0, HEAD), ...steps] });
    expectUntilWrite(run, run.figures.lastTokenNs, 1);
    expect(gapCount(run)).toBe(1);
    expectLargestGap(run, 0, 1);
  });

  test('E3 completions: usage rides on the last text', async () => {
    const last = T('c', { usage: { completion_tokens: 3 } });
    const run = await bench.check({
      target: COMPLETIONS_TARGET,
      script: [at(0, HEAD), at(50, c(T('a'))), at(100, c(T('b'))), at(150, c(last)), at(350, c(DONE), END)],
    });
    expect(run.record.tokens.output).toBe(3);
    expectTpot(run, 0, 2, 2);
  });
});

describe('E4', () => {
  test('E4 a freeze of two seconds stays visible beside the mean', async () => {
    const usage = event({ choices: [], usage: { completion_tokens: 100 } });
    const when = (index: number): number => 50 + index * 10 + (index >= 50 ? 1990 : 0);
    const events = Array.from({ length: 100 }, (_, index) => at(when(index), c(D('x'))));
    const before = await bench.sidecar.metrics();
    const run = await bench.check({ script: [at(0, HEAD), ...events, at(3050, c(usage)), at(3060, c(DONE), END)] });
    expectGapsToBalance(run);
    expect(gapCount(run) + run.figures.coalescedCount).toBe(99);
    expect(run.figures.stalls.some((stall) => stall.gapNs > 1900 * NS_PER_MS)).toBe(true);
    expect(run.figures.stalls.filter((stall) => stall.gapNs > 1000 * NS_PER_MS)).toHaveLength(1);
    expectLargestGap(run, 49, 50);
    expectTpot(run, 0, 99, 99);
    const after = await bench.sidecar.metrics();
    const slow = (samples: typeof after): number => {
      const labels = { point: 'received' };
      const total = sumOf(samples, 'rubato_gap_seconds_count', labels) ?? 0;
      return total - (sumOf(samples, 'rubato_gap_seconds_bucket', { ...labels, le: '1' }) ?? 0);
    };
    expect(slow(after) - slow(before)).toBe(1);
  });

  test('E4 two freezes are two stalls, in their order', async () => {
    const when = (index: number): number => 50 + index * 20 + (index >= 10 ? 300 : 0) + (index >= 20 ? 500 : 0);
    const events = Array.from({ length: 30 }, (_, index) => at(when(index), c(T('x'))));
    const run = await bench.check({
      target: COMPLETIONS_TARGET,
      script: [at(0, HEAD), ...events, at(1500, c(DONE), END)],
    });
    const long = run.figures.stalls.filter((stall) => stall.gapNs > 280 * NS_PER_MS);
    expect(long).toHaveLength(2);
    expect(long[0]?.atNs).toBeLessThan(long[1]?.atNs ?? 0);
    expectLargestGap(run, 19, 20);
  });
});

describe('E5', () => {
  test.each([
    ['chat', undefined, D],
    ['completions', COMPLETIONS_TARGET, T],
    ['tool arguments', undefined, (x: string) => delta({ tool_calls: [{ index: 0, function: { arguments: x } }] })],
  ] as const)('E5 a long wait for the first token is no gap: %s', async (_, target, make) => {
    const run = await bench.check({
      script: [at(0, HEAD), ...spread(5, 1000, 20, () => make('x')), at(1100, c(DONE), END)],
      ...(target === undefined ? {} : { target }),
    });
    expectGapsToBalance(run);
    expect(gapCount(run) + run.figures.coalescedCount).toBe(4);
    expect(run.figures.gapsReceived.maxNs ?? 0).toBeLessThan(900 * NS_PER_MS);
    expect(run.figures.stalls.filter((stall) => stall.gapNs > 900 * NS_PER_MS)).toEqual([]);
    expectUntilWrite(run, run.figures.ttftNs, 0);
    expectSplitToSum(run);
  });

  test('E5 one token alone has a TTFT and no gap', async () => {
    const run = await bench.check({ script: [at(0, HEAD), at(300, c(D('a'))), at(310, c(DONE), END)] });
    expect(gapCount(run)).toBe(0);
    expect(run.figures.gapsReceived).toMatchObject({ count: 0, sumNs: 0 });
    expect(run.figures.gapsReceived.p50Ns).toBeUndefined();
  });
});
