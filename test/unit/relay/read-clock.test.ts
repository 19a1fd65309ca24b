// Goal: the bound of a read's stamp covers every pause in which its bytes can have waited, and is never negative.
// Method: this process's own loop, held up on purpose for 30 ms in each place; bounds are looked at from below.
import { beforeEach, describe, expect, test } from 'vitest';
import { nowNs } from '../../../src/base/clock.ts';
import { ReadClock } from '../../../src/relay/read-clock.ts';

const PAUSE_NS = 30e6;

let clock: ReadClock;
beforeEach(() => {
  clock = new ReadClock();
});

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Keeps the loop busy. */
function hold(lengthNs = PAUSE_NS): void {
  const fromNs = nowNs();
  while (nowNs() - fromNs < lengthNs);
}

function boundNs(): number {
  clock.read();
  return clock.errorBoundNs;
}

/** A few turns with reads and nothing else. */
async function quietTurns(): Promise<void> {
  for (let i = 0; i < 3; i += 1) {
    await nextTurn();
    clock.read();
  }
}

describe('a pause is in the bound of', () => {
  test('a read later in the same turn', async () => {
    await quietTurns();
    hold();
    expect(boundNs()).toBeGreaterThanOrEqual(PAUSE_NS);
  });

  test('the first read ever', () => {
    hold();
    expect(boundNs()).toBeGreaterThanOrEqual(PAUSE_NS);
  });

  test('a read in the next turn, when the pause came after a read', async () => {
    await quietTurns();
    hold();
    await nextTurn();
    expect(boundNs()).toBeGreaterThanOrEqual(PAUSE_NS);
  });

  test('a read in the next turn, when the pause came before a read that covers it already', async () => {
    await quietTurns();
    await nextTurn();
    hold();
    expect(boundNs()).toBeGreaterThanOrEqual(PAUSE_NS);
    // Bytes that came right after this turn's poll waited through the pause as well.
    await nextTurn();
    expect(boundNs()).toBeGreaterThanOrEqual(PAUSE_NS);
  });

  test('a read after turns without any', async () => {
    await quietTurns();
    await nextTurn();
    hold();
    for (let i = 0; i < 5; i += 1) await nextTurn();
    expect(boundNs()).toBeGreaterThanOrEqual(PAUSE_NS);
  });
});

test('turns that follow each other without a wait add up', async () => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  clock.read();
  hold();
  await nextTurn();
  hold();
  await nextTurn();
  expect(boundNs()).toBeGreaterThanOrEqual(2 * PAUSE_NS);
});

describe('a pause is not in the bound of', () => {
  test('a read after a wait that began when the pause was over', async () => {
    const longNs = 200e6;
    await quietTurns();
    hold(longNs);
    clock.read();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(boundNs()).toBeLessThan(longNs);
  });

  test('a read after waiting for something, since waiting is not being busy', async () => {
    await quietTurns();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(boundNs()).toBeLessThan(200e6);
  });
});

describe('a heartbeat that is overdue', () => {
  const sleep = (lengthMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, lengthMs));
  let lost: [startAtNs: number, endAtNs: number][] = [];
  // On a busy machine others may have had the CPU for a while: that is told as well.
  const longLosses = () => lost.filter(([startAtNs, endAtNs]) => endAtNs - startAtNs >= 98e6);
  beforeEach(() => {
    lost = [];
    clock = new ReadClock((startAtNs, endAtNs) => lost.push([startAtNs, endAtNs]));
  });

  test('makes all of a wait count as busy: the process may have been stopped', async () => {
    await quietTurns();
    clock.beat(nowNs() + 1e6);
    await sleep(100);
    expect(boundNs()).toBeGreaterThanOrEqual(98e6);
    expect(longLosses()).toHaveLength(1);
  });

  test('says so whether it comes before the reads or after them, and once', async () => {
    await quietTurns();
    clock.beat(nowNs() + 1e6);
    await sleep(100);
    clock.beat(nowNs() + 1e9);
    expect(boundNs()).toBeGreaterThanOrEqual(98e6);
    expect(boundNs()).toBeGreaterThanOrEqual(98e6);
    expect(longLosses()).toHaveLength(1);
  });

  test('is over for reads after the turn in which it came', async () => {
    await quietTurns();
    clock.beat(nowNs() + 1e6);
    await sleep(200);
    clock.beat(nowNs() + 10e9);
    await sleep(50);
    expect(boundNs()).toBeLessThan(150e6);
  });

  test('is none as long as it may still come', async () => {
    await quietTurns();
    clock.beat(nowNs() + 10e9);
    await sleep(200);
    expect(boundNs()).toBeLessThan(200e6);
    expect(longLosses().filter(([startAtNs, endAtNs]) => endAtNs - startAtNs > 150e6)).toEqual([]);
  });
});

test('a bound is an integer and never negative, stamps never go back', async () => {
  let lastNs = 0;
  for (let i = 0; i < 300; i += 1) {
    if (i % 3 === 0) await nextTurn();
    clock.read();
    expect(clock.errorBoundNs).toBeGreaterThanOrEqual(0);
    expect(Number.isInteger(clock.errorBoundNs)).toBe(true);
    expect(clock.atNs).toBeGreaterThanOrEqual(lastNs);
    lastNs = clock.atNs;
  }
});

test('reads of one turn have its number, reads of the next another', async () => {
  clock.read();
  const { turn } = clock;
  clock.read();
  expect(clock.turn).toBe(turn);
  await nextTurn();
  await nextTurn();
  clock.read();
  expect(clock.turn).toBeGreaterThan(turn);
});
