// Goal: own cost is told as rates since the state before, what is unknown is absent, and each sentence of warning comes
// with what it warns of and goes a minute later. Method: counts told by hand.
import { expect, test } from 'vitest';
import { LIVE_SELF_LOOKS_COUNT } from '../../../../src/base/live-limits.ts';
import { SelfView, type SelfCounts } from '../../../../src/telemetry/live/self.ts';

const START: SelfCounts = {
  atNs: 0,
  lags: [],
  cpuNs: 0,
  rssBytes: 1_000,
  relayCount: 1,
  chunkCount: 0,
  tapeDropped: { bytes: 0, chunk: 0, mark: 0 },
  taintedGaps: {},
  shed: { streams: 0 },
  exports: [{ signal: 'traces', droppedCount: 0 }],
  readerDetachedCount: 0,
  cpuThrottledNs: undefined,
};

test('rates are since the state before', () => {
  const view = new SelfView(START);
  const first = view.read({ ...START, atNs: 2e9, cpuNs: 1e9, chunkCount: 100 }, 3);
  expect(first).toMatchObject({ cpuRatio: 0.5, chunksPerSecond: 50, chunkCount: 100, watcherCount: 3 });
  const second = view.read({ ...START, atNs: 4e9, cpuNs: 1.5e9, chunkCount: 100 }, 3);
  expect(second).toMatchObject({ cpuRatio: 0.25, chunksPerSecond: 0, warnings: [] });
});

test('a loop that nobody has looked at has no lag, and of relays the worst one is told', () => {
  const view = new SelfView(START);
  expect(Object.keys(view.read(START, 0))).not.toContain('relayLagMs');
  const lags = [
    { thread: 'main', lagNs: 30e6 },
    { thread: 'relay-0', lagNs: 1e6 },
    { thread: 'relay-1', lagNs: 4e6 },
  ];
  expect(view.read({ ...START, lags }, 0)).toMatchObject({ relayLagMs: 4, mainLagMs: 30, warnings: [] });
});

test('what goes nowhere has only losses', () => {
  const exports: SelfCounts['exports'] = [
    { signal: 'traces', droppedCount: 2, rest: { takenCount: 9, exportedCount: 5, queuedCount: 2 } },
    { signal: 'logs', droppedCount: 0 },
  ];
  expect(new SelfView(START).read({ ...START, exports }, 0).exports).toEqual([
    { signal: 'traces', exportedCount: 5, droppedCount: 2 },
    { signal: 'logs', droppedCount: 0 },
  ]);
});

const WARNED: readonly [string, Partial<SelfCounts>, RegExp][] = [
  ['a CPU quota', { cpuThrottledNs: 120e6 }, /CPU quota .* back for 120 ms/],
  ['a busy relay', { lags: [{ thread: 'relay-0', lagNs: 50e6 }] }, /relay's loop was busy for 50 ms/],
  ['a busy main thread', { lags: [{ thread: 'main', lagNs: 500e6 }] }, /main thread was busy for 500 ms/],
  ['lost detail', { tapeDropped: { bytes: 1, chunk: 2, mark: 0 } }, /detail of 3 entries was lost/],
  ['a refused request', { shed: { streams: 1 } }, /^1 request or connection was refused/],
  ['lost exports', { exports: [{ signal: 'traces', droppedCount: 7 }] }, /^Of traces, 7 did not reach/],
  ['a failed reader', { readerDetachedCount: 1 }, /^1 time since the start/],
];

test.each(WARNED)('%s is warned of', (_name, change, sentence) => {
  const { warnings } = new SelfView(START).read({ ...START, ...change }, 0);
  expect(warnings).toEqual([expect.stringMatching(sentence)]);
});

test.each<[string, Partial<SelfCounts>]>([
  ['a quota that holds nobody back', { cpuThrottledNs: 0 }],
  ['a relay that is busy now and then', { lags: [{ thread: 'relay-0', lagNs: 49e6 }] }],
  ['a main thread that is busy now and then', { lags: [{ thread: 'main', lagNs: 499e6 }] }],
])('%s is no cause for a warning', (_name, change) => {
  expect(new SelfView(START).read({ ...START, ...change }, 0).warnings).toEqual([]);
});

test('what was lost before the last minute is warned of no more', () => {
  const view = new SelfView(START);
  const lost: SelfCounts = { ...START, tapeDropped: { bytes: 5 }, cpuThrottledNs: 9e6, shed: { streams: 2 } };
  for (let look = 1; look < LIVE_SELF_LOOKS_COUNT; look += 1) {
    view.look(lost);
    expect(view.read(lost, 0).warnings).toHaveLength(3);
  }
  view.look(lost);
  expect(view.read(lost, 0).warnings).toEqual([]);
});
