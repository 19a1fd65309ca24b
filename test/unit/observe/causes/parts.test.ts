// Goal: what is learnt of a route (costs, steps, load, looks at its engine) is what was there. Method: values by hand.
import { describe, expect, test } from 'vitest';
import { CostBook } from '../../../../src/observe/causes/cost-book.ts';
import { engineAround } from '../../../../src/observe/causes/engine-around.ts';
import { Load } from '../../../../src/observe/causes/load.ts';
import { PendingStall, type StreamBefore } from '../../../../src/observe/causes/pending-stall.ts';
import { prefillCost } from '../../../../src/observe/causes/prefill-cost.ts';
import { ReadRing } from '../../../../src/observe/causes/read-ring.ts';
import { StepBook } from '../../../../src/observe/causes/step-book.ts';
import { StepWitness } from '../../../../src/observe/causes/step-witness.ts';
import { TrackedExchange } from '../../../../src/observe/causes/tracked-exchange.ts';

const MS = 1e6;

describe('what a prompt costs', () => {
  test('is a line with what each costs whatever its length, and odd ones bend nothing', () => {
    const book = new CostBook();
    for (const bytes of [1_000, 2_000, 3_000, 4_000, 8_000])
      book.add({ bytes, costNs: 5 * MS + bytes * 10, shared: false });
    book.add({ bytes: 2_500, costNs: 900 * MS, shared: false });
    expect(book.costOf(6_000)).toBe(5 * MS + 60_000);
  });

  test('is unknown before three were seen, and those that nobody shared speak alone', () => {
    const book = new CostBook();
    for (let count = 0; count < 3; count += 1) {
      expect(book.costOf(1_000)).toBeUndefined();
      book.add({ bytes: 1_000, costNs: 50 * MS, shared: true });
    }
    expect(book.costOf(1_000)).toBe(50 * MS);
    for (let count = 0; count < 3; count += 1) book.add({ bytes: 1_000, costNs: 10 * MS, shared: false });
    expect(book.costOf(1_000)).toBe(10 * MS);
    expect(book.costOf(0)).toBeUndefined();
  });

  // Where long prompts never came alone, three short ones spoke for them, and said that they cost nothing.
  test('of a long prompt is not told by short ones that came alone', () => {
    const book = new CostBook();
    for (const bytes of [100, 110, 120]) book.add({ bytes, costNs: 0, shared: false });
    for (const bytes of [100_000, 130_000, 170_000]) book.add({ bytes, costNs: bytes * 20_000, shared: true });
    expect(book.costOf(100_000)).toBeGreaterThan(0.99 * 100_000 * 20_000);
    expect(book.costOf(100)).toBe(0);
  });
});

describe('what a prompt cost as others felt it', () => {
  const stream = (reads: readonly number[]): TrackedExchange => {
    const exchange = new TrackedExchange(0, {
      sentAtNs: () => 0,
      promptBytes: () => 1,
      quietStepNs: () => undefined,
      wasBlocked: () => false,
    });
    for (const atMs of reads) exchange.addEvent(atMs * MS, undefined);
    return exchange;
  };
  const lesson = { exchanges: [stream([])], beganAtNs: 2_999 * MS, firstAtNs: 5_000 * MS, shared: true };

  test('is what their steps were longer than usual by', () => {
    const even = stream([...Array.from({ length: 31 }, (_, index) => 2_400 + 20 * index), 5_000]);
    expect(prefillCost(lesson, [even], undefined)).toBe(1_980 * MS);
  });

  // A stream whose every step had a prompt in it was used to that, so that reading prompts cost nothing.
  test('is not measured against steps with prompts in them where plain ones are known', () => {
    const slow = stream(Array.from({ length: 11 }, (_, index) => 500 * index));
    expect(prefillCost(lesson, [slow], undefined)).toBe(0);
    expect(prefillCost(lesson, [slow], 20 * MS)).toBe(1_920 * MS);
  });

  test('is unknown from a stream that has hardly begun, unless plain steps are known', () => {
    const young = stream([2_500, 3_000, 4_000, 5_000]);
    expect(prefillCost(lesson, [young], undefined)).toBeUndefined();
    expect(prefillCost(lesson, [young], 20 * MS)).toBe(1_960 * MS);
  });
});

test('the mean load is that since a moment', () => {
  const load = new Load();
  load.change(0, 2);
  load.change(100, 6);
  expect(load.meanSince(0, 0, 200)).toBe(4);
  expect(load.meanSince(100, load.upTo(100), 200)).toBe(6);
  expect(load.meanSince(200, load.upTo(200), 200)).toBe(6);
});

test('plain steps are known by how many streams share them, the fewest as quiet ones', () => {
  const book = new StepBook();
  expect(book.quiet).toBeUndefined();
  for (const stepNs of [10, 11, 12, 13, 14]) book.add(2, stepNs);
  for (const stepNs of [50, 51, 52, 53, 54]) book.add(30, stepNs);
  expect(book.quiet).toEqual({ running: 2, stepNs: 12 });
  expect(book.plain(33)).toBe(52);
  expect(book.plain(8)).toBeUndefined();
  expect([book.longest(8), book.longest(30), book.longest(1)]).toEqual([48, 52, 12]);
});

describe('the witness of steps', () => {
  const stream = (): TrackedExchange =>
    new TrackedExchange(0, {
      sentAtNs: () => 0,
      promptBytes: () => 1,
      quietStepNs: () => undefined,
      wasBlocked: () => false,
    });

  test('takes reads back to back as one step, and one stream at a time', () => {
    const witness = new StepWitness();
    const [one, other] = [stream(), stream()];
    const steps = [0, 0.3, 0.6, 100, 100.3, 200].map((atMs) => witness.stepAt(one, atMs * MS));
    expect(steps).toEqual([undefined, undefined, undefined, 100 * MS, undefined, 100 * MS]);
    expect(witness.stepAt(other, 210 * MS)).toBeUndefined();
    expect(witness.stepAt(one, 300 * MS)).toBe(100 * MS);
    witness.ended(one);
    expect(witness.stepAt(other, 310 * MS)).toBeUndefined();
    expect(witness.stepAt(other, 410 * MS)).toBe(100 * MS);
  });

  // It took the distance of two tokens of one pass for a step, and went on so.
  test('may take over in the middle of a bunch', () => {
    const witness = new StepWitness();
    const one = stream();
    for (const atMs of [0, 4, 8, 300, 304, 308, 600, 604]) one.addEvent(atMs * MS, undefined);
    const steps = [604, 608, 900, 904, 908, 1_200].map((atMs) => witness.stepAt(one, atMs * MS));
    expect(steps).toEqual([undefined, undefined, 296 * MS, undefined, undefined, 300 * MS]);
  });
});

describe('reads nearly at once', () => {
  const facts = { sentAtNs: () => 0, promptBytes: () => 0, wasBlocked: () => false };
  // Four milliseconds a step, and two silences of a second.
  const readsMs = [0, 4, 8, 12, 1_012, 1_016, 1_020, 2_020, 2_024, 2_028, 2_032];
  const nearZero = (quietStepNs: number | undefined): number => {
    const exchange = new TrackedExchange(0, { ...facts, quietStepNs: () => quietStepNs });
    for (const atMs of readsMs) exchange.addEvent(atMs * MS, undefined);
    return exchange.shapeBefore().nearZeroCount;
  };

  test('are not steps as short as an engine is known to make, however long others are', () => {
    expect([nearZero(undefined), nearZero(11 * MS), nearZero(10 * MS), nearZero(4 * MS)]).toEqual([7, 7, 0, 0]);
  });

  test('belong to the one that ends a stall, but not where a plain step is as short', () => {
    const before = { passNs: 100 * MS } as StreamBefore;
    const readsAfter = (quietStepNs: number | undefined): number => {
      const stall = new PendingStall({ chunk: 1, startAtNs: 0, endAtNs: 500 * MS }, before, { events: 1, quietStepNs });
      stall.addRead(4 * MS, 0);
      return stall.stream(false).gapsAfterNs.length;
    };
    expect([readsAfter(undefined), readsAfter(11 * MS), readsAfter(10 * MS)]).toEqual([0, 0, 1]);
  });

  test('are known to be the last where the stream has ended and none was left out', () => {
    const before = { passNs: 20 * MS } as StreamBefore;
    const stall = new PendingStall({ chunk: 1, startAtNs: 0, endAtNs: 500 * MS }, before, { events: 1 });
    for (let read = 0; read < 8; read += 1) stall.addRead(20 * MS, 0);
    expect([stall.stream(false).isEnd, stall.stream(true).isEnd]).toEqual([undefined, true]);
    stall.addRead(20 * MS, 0);
    expect(stall.stream(true).isEnd).toBeUndefined();
  });
});

describe('the latest reads', () => {
  test('are found by moment, as far as they are remembered', () => {
    const ring = new ReadRing();
    for (let read = 0; read < 100; read += 1) ring.add(read * 10);
    ring.addEvent();
    expect([ring.count, ring.oldest, ring.atNs(99), ring.events(99), ring.events(98)]).toEqual([100, 36, 990, 2, 1]);
    expect([ring.firstFrom(0), ring.firstFrom(501), ring.firstFrom(990), ring.firstFrom(991)]).toEqual([
      36, 51, 99, 100,
    ]);
    expect(ring.gapsBefore()).toHaveLength(63);
  });
});

describe('how the reads of a stream came', () => {
  const facts = { sentAtNs: () => 0, promptBytes: () => 0, quietStepNs: () => undefined, wasBlocked: () => false };

  test('is taken once however many ask before its next read', () => {
    const exchange = new TrackedExchange(0, facts);
    exchange.addEvent(10 * MS, undefined);
    expect(exchange.habit).toBeUndefined();
    exchange.addEvent(30 * MS, undefined);
    const early = exchange.habit;
    expect(early).toMatchObject({ readCount: 2, usualNs: 20 * MS });
    // The very same object: every stall of every stream asks this of all the others.
    expect(exchange.habit).toBe(early);
    exchange.addEvent(70 * MS, undefined);
    exchange.addEvent(110 * MS, undefined);
    expect(exchange.habit).toMatchObject({ readCount: 4, usualNs: 40 * MS });
  });

  test('is taken anew with each of the first reads, and later once in sixteen', () => {
    const exchange = new TrackedExchange(0, facts);
    const taken: number[] = [];
    for (let read = 1; read <= 64; read += 1) {
      exchange.addEvent(read * MS, undefined);
      if (exchange.habit?.readCount === read) taken.push(read);
    }
    expect(taken).toEqual([...Array.from({ length: 30 }, (_, index) => index + 2), 47, 63]);
  });
});

describe('what the engine published around a stall', () => {
  const moment = { chunk: 1, startAtNs: 100, endAtNs: 200 };

  test('lies between the last look before it and the first after it', () => {
    const samples = [
      { atNs: 40, preemptedCount: 1 },
      { atNs: 90, preemptedCount: 3, runningCount: 7 },
      { atNs: 150, preemptedCount: 4 },
      { atNs: 260, preemptedCount: 5, kvUsedRatio: 0.97 },
    ];
    expect(engineAround(samples, moment, 50, () => 9)).toEqual({
      beforeAtNs: 40,
      afterAtNs: 210,
      runningBefore: 7,
      kvUsedRatio: 0.97,
      preemptedCount: 2,
      presentCount: 9,
    });
  });

  test('is nothing without looks, and a counter that began anew is unknown', () => {
    expect(engineAround([], moment, 0, () => 1)).toBeUndefined();
    const began = [
      { atNs: 90, preemptedCount: 3 },
      { atNs: 210, preemptedCount: 0 },
    ];
    expect(engineAround(began, moment, 0, () => 1)).not.toHaveProperty('preemptedCount');
  });
});
