// Goal: a limit acts only when what it waits for is not there yet, and time for which we were late ourselves
// is granted once more, but not twice.
// Method: fake timers; lateness is made by saying that the wait began earlier than the timer did.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { nowNs } from '../../../src/base/clock.ts';
import { LookingTimer } from '../../../src/relay/looking-timer.ts';

const LIMIT_MS = 100;
let dueCount = 0;
const timer = (): LookingTimer =>
  new LookingTimer(
    () => {
      dueCount += 1;
    },
    (error) => {
      throw error;
    },
  );

beforeEach(() => {
  dueCount = 0;
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

/** The timer fires, and the loop looks at its sockets. */
function pass(ms: number): void {
  vi.advanceTimersByTime(ms);
  vi.advanceTimersByTime(1);
}

test('without a limit there is no timer', () => {
  timer().start(undefined);
  expect(vi.getTimerCount()).toBe(0);
});

test('it acts once, at its limit', () => {
  timer().start(LIMIT_MS);
  vi.advanceTimersByTime(LIMIT_MS - 1);
  expect(dueCount).toBe(0);
  pass(1);
  expect([dueCount, vi.getTimerCount()]).toEqual([1, 0]);
});

test('what comes between the timer and the look begins a new wait', () => {
  const it = timer();
  it.start(LIMIT_MS);
  vi.advanceTimersByTime(LIMIT_MS);
  it.again(nowNs());
  pass(LIMIT_MS - 1);
  expect(dueCount).toBe(0);
  pass(1);
  expect(dueCount).toBe(1);
});

test('what is stopped between the timer and the look does not act', () => {
  const it = timer();
  it.start(LIMIT_MS);
  vi.advanceTimersByTime(LIMIT_MS);
  it.stop();
  pass(LIMIT_MS);
  expect(dueCount).toBe(0);
});

test('after it was stopped nothing begins it but a start', () => {
  const it = timer();
  it.start(LIMIT_MS);
  it.stop();
  it.again(nowNs());
  expect(vi.getTimerCount()).toBe(0);
});

test('the time by which it was late is granted once more', () => {
  timer().start(LIMIT_MS, nowNs() - 60e6);
  pass(LIMIT_MS);
  expect(dueCount).toBe(0);
  // One of the 60 ms went by with the look.
  pass(58);
  expect(dueCount).toBe(0);
  pass(2);
  expect(dueCount).toBe(1);
});

test('no more than the limit is granted, however long we were away', () => {
  timer().start(LIMIT_MS, nowNs() - 3_600e9);
  pass(LIMIT_MS);
  pass(LIMIT_MS);
  expect(dueCount).toBe(1);
});

test('after a grant a byte begins a whole wait', () => {
  const it = timer();
  it.start(LIMIT_MS, nowNs() - 30e6);
  pass(LIMIT_MS);
  it.again(nowNs());
  pass(LIMIT_MS - 2);
  expect(dueCount).toBe(0);
  pass(2);
  expect(dueCount).toBe(1);
});

test('a few ms of lateness are nobody’s', () => {
  timer().start(LIMIT_MS, nowNs() - 10e6);
  pass(LIMIT_MS);
  expect(dueCount).toBe(1);
});
