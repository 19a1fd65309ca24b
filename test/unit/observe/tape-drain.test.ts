// Goal: tapes are read soon while something comes, seldom while nothing or very much does, in bounded batches, and a
// fault in one entry stops nothing.
// Method: real tapes, fake timers; what was told after each moment.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { nowNs } from '../../../src/base/clock.ts';
import { TapeDrain } from '../../../src/observe/tape-drain.ts';
import type { TapeHandler } from '../../../src/tape/entries.ts';
import { createTape } from '../../../src/tape/layout.ts';
import { TapeReader } from '../../../src/tape/reader.ts';
import { TapeWriter } from '../../../src/tape/writer.ts';
import { handlerOf } from '../tape/tape-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Source {
  readonly reader: TapeReader;
  readonly handler: TapeHandler;
  readonly told: number[];
  mark(...moments: number[]): void;
}

/** A tape whose marks are told as their moments; a negative one makes the handler throw. */
function source(ringBytes = 2 ** 18): Source {
  const tape = createTape(ringBytes);
  const writer = new TapeWriter(tape);
  const told: number[] = [];
  return {
    reader: new TapeReader(tape),
    handler: handlerOf(([kind, entry]) => {
      if (kind !== 'mark') return;
      if (entry.atNs < 0) throw new Error(`entry ${entry.atNs}`);
      told.push(entry.atNs);
    }),
    told,
    mark: (...moments) => moments.forEach((atNs) => writer.mark(1, 'requestSent', atNs)),
  };
}

function createDrain(...sources: Source[]): { drain: TapeDrain; faults: unknown[] } {
  const faults: unknown[] = [];
  const drain = new TapeDrain((fault) => faults.push((fault as Error).message));
  for (const { reader, handler } of sources) drain.add(reader, handler);
  return { drain, faults };
}

test('an idle tape is read every 50 ms, a busy one every 20', () => {
  const one = source();
  const { drain } = createDrain(one);
  one.mark(1);
  vi.advanceTimersByTime(49);
  expect(one.told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(one.told).toEqual([1]);
  one.mark(2);
  vi.advanceTimersByTime(19);
  expect(one.told).toEqual([1]);
  vi.advanceTimersByTime(1);
  expect(one.told).toEqual([1, 2]);
  // One look in vain, and it is idle again.
  vi.advanceTimersByTime(20);
  one.mark(3);
  vi.advanceTimersByTime(49);
  expect(one.told).toEqual([1, 2]);
  vi.advanceTimersByTime(1);
  expect(one.told).toEqual([1, 2, 3]);
  drain.stop();
});

describe('a crowd', () => {
  /** 4,000 entries a second: 80 in the 20 ms between two looks, 200 in the first 50. */
  const marks = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

  /** Looks found so many entries; how long until the next one. */
  function pauseAfter(counts: readonly number[], pausesMs: readonly number[], last = source()): number {
    const { drain } = createDrain(last);
    for (const [index, count] of counts.entries()) {
      last.mark(...marks(count));
      vi.advanceTimersByTime(pausesMs[index] as number);
    }
    const told = last.told.length;
    last.mark(-0);
    let pauseMs = 0;
    while (last.told.length === told) {
      vi.advanceTimersByTime(1);
      pauseMs += 1;
    }
    drain.stop();
    return pauseMs;
  }

  test('of 4,000 entries a second is read every 100 ms, with one fewer every 20', () => {
    expect(pauseAfter([200], [50])).toBe(100);
    expect(pauseAfter([199], [50])).toBe(20);
    expect(pauseAfter([1, 80], [50, 20])).toBe(100);
    expect(pauseAfter([1, 79], [50, 20])).toBe(20);
  });

  test('is one as long as it comes as fast: 400 entries in 100 ms are, 399 are none', () => {
    expect(pauseAfter([200, 400], [50, 100])).toBe(100);
    expect(pauseAfter([200, 399], [50, 100])).toBe(20);
    expect(pauseAfter([200, 400, 0], [50, 100, 100])).toBe(50);
  });

  test('whose tape fills beyond an eighth is read soon', () => {
    // An entry takes 32 bytes.
    const ringBytes = 2 ** 16;
    expect(pauseAfter([256], [50], source(ringBytes))).toBe(100);
    expect(pauseAfter([257], [50], source(ringBytes))).toBe(20);
  });
});

test('what is known whole is the latest moment at which nothing was left to read', () => {
  const one = source();
  const { drain } = createDrain(one);
  const startNs = drain.readUpToNs;
  one.mark(1);
  vi.advanceTimersByTime(49);
  expect(drain.readUpToNs).toBe(startNs);
  vi.advanceTimersByTime(1);
  expect(drain.readUpToNs).toBe(startNs + 50e6);
  // Not between two turns of one look.
  one.mark(...Array.from({ length: 2_500 }, (_, index) => index));
  const seen = [1, 2, 3].map(() => {
    vi.advanceTimersToNextTimer();
    return [one.told.length, drain.readUpToNs];
  });
  expect(seen).toEqual([
    [1_001, startNs + 50e6],
    [2_001, startNs + 50e6],
    [2_501, nowNs()],
  ]);
  drain.stop();
});

test('two relays, two tapes: both are read in each turn, each to its own handler', () => {
  const [one, two] = [source(), source()];
  const { drain } = createDrain(one, two);
  one.mark(1, 2);
  two.mark(3);
  vi.advanceTimersByTime(50);
  expect([one.told, two.told]).toEqual([[1, 2], [3]]);
  // Busy on one is busy on both.
  one.mark(4);
  vi.advanceTimersByTime(20);
  two.mark(5);
  vi.advanceTimersByTime(20);
  expect([one.told, two.told]).toEqual([
    [1, 2, 4],
    [3, 5],
  ]);
  expect(vi.getTimerCount()).toBe(1);
  drain.stop();
  expect(vi.getTimerCount()).toBe(0);
});

test('a long backlog is read in batches, with turns of the loop between them', () => {
  const [one, two] = [source(), source()];
  const { drain } = createDrain(one, two);
  one.mark(...Array.from({ length: 2_500 }, (_, index) => index));
  two.mark(1);
  vi.advanceTimersToNextTimer();
  expect([one.told.length, two.told.length]).toEqual([1_000, 1]);
  vi.advanceTimersToNextTimer();
  expect(one.told.length).toBe(2_000);
  vi.advanceTimersToNextTimer();
  expect(one.told.length).toBe(2_500);
  drain.stop();
});

test('T17 a backlog whose entries take long leaves the loop to others every few ms', async () => {
  vi.useRealTimers();
  const one = source();
  const slowly = handlerOf(() => {
    const untilMs = performance.now() + 0.1;
    while (performance.now() < untilMs);
    one.told.push(0);
  });
  const drain = new TapeDrain(() => undefined);
  drain.add(one.reader, slowly);
  one.mark(...Array.from({ length: 1_000 }, (_, index) => index));
  // What others of the loop see: how much was read between two of their turns.
  const seen: number[] = [];
  while (one.told.length < 1_000) {
    await new Promise((resolve) => void setImmediate(resolve));
    if (one.told.length !== seen.at(-1)) seen.push(one.told.length);
  }
  drain.stop();
  expect(Math.max(...seen.map((count, index) => count - (seen[index - 1] ?? 0)))).toBeLessThanOrEqual(40);
});

test('stopping between two batches stops', () => {
  const one = source();
  const { drain } = createDrain(one);
  one.mark(...Array.from({ length: 1_500 }, (_, index) => index));
  vi.advanceTimersToNextTimer();
  drain.stop();
  expect([one.told.length, vi.getTimerCount()]).toEqual([1_000, 0]);
});

test('an entry whose handler throws is told of, and the next turn goes on behind it', () => {
  const [one, two] = [source(), source()];
  const { drain, faults } = createDrain(one, two);
  one.mark(1, -2, 3);
  two.mark(4);
  vi.advanceTimersByTime(50);
  expect([one.told, two.told, faults]).toEqual([[1], [4], ['entry -2']]);
  vi.advanceTimersByTime(20);
  expect(one.told).toEqual([1, 3]);
  drain.stop();
});

test('a tape whose writer is gone is read to its end, faults and all, and forgotten', () => {
  const [one, two] = [source(), source()];
  const { drain, faults } = createDrain(one, two);
  one.mark(...Array.from({ length: 1_200 }, (_, index) => index), -1, 5_000);
  drain.finish(one.reader);
  expect([one.told.length, one.told.at(-1), faults]).toEqual([1_201, 5_000, ['entry -1']]);
  one.mark(1);
  two.mark(2);
  vi.advanceTimersByTime(100);
  expect([one.told.length, two.told]).toEqual([1_201, [2]]);
  drain.finish(one.reader);
  drain.stop();
});

test('a tape that is added later is read in the turns there are', () => {
  const [one, two] = [source(), source()];
  const { drain } = createDrain(one);
  drain.add(two.reader, two.handler);
  two.mark(1);
  vi.advanceTimersByTime(50);
  expect([two.told, vi.getTimerCount()]).toEqual([[1], 1]);
  drain.stop();
});

test('a drain that was stopped reads nothing more, not even what is added', () => {
  const one = source();
  const { drain } = createDrain();
  drain.stop();
  drain.add(one.reader, one.handler);
  one.mark(1);
  vi.advanceTimersByTime(1_000);
  expect([one.told, vi.getTimerCount()]).toEqual([[], 0]);
});
