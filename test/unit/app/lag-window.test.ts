// Goal: the longest turn of each loop within the last ten seconds is known, and forgotten after them.
// Method: fake timers; lags of relays as they are handed over.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LagWindow, type ThreadLag } from '../../../src/app/lag-window.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

function relaysOf(window: LagWindow): ThreadLag[] {
  return [...window.longest()].filter(({ thread }) => thread !== 'main');
}

test('nothing is known before the first second is over', () => {
  const window = new LagWindow(() => [{ thread: 'relay-0', lagNs: 5 }]);
  expect([...window.longest()]).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect([...window.longest()].map(({ thread }) => thread)).toEqual(['main', 'relay-0']);
  window.close();
});

test('the longest of ten seconds counts, for each thread by itself', () => {
  let lags: ThreadLag[] = [];
  const window = new LagWindow(() => lags);
  lags = [
    { thread: 'relay-0', lagNs: 900 },
    { thread: 'relay-1', lagNs: 1 },
  ];
  vi.advanceTimersByTime(1_000);
  lags = [
    { thread: 'relay-0', lagNs: 100 },
    { thread: 'relay-1', lagNs: 7 },
  ];
  vi.advanceTimersByTime(9_000);
  expect(relaysOf(window)).toEqual([
    { thread: 'relay-0', lagNs: 900 },
    { thread: 'relay-1', lagNs: 7 },
  ]);
  vi.advanceTimersByTime(1_000);
  expect(relaysOf(window)).toEqual([
    { thread: 'relay-0', lagNs: 100 },
    { thread: 'relay-1', lagNs: 7 },
  ]);
  window.close();
});

test('the main thread’s own lag is never negative', () => {
  const window = new LagWindow(() => []);
  vi.advanceTimersByTime(3_000);
  expect([...window.longest()].every(({ lagNs }) => lagNs >= 0)).toBe(true);
  window.close();
});

test('a window that was closed asks nobody any more', () => {
  let askedCount = 0;
  const window = new LagWindow(() => {
    askedCount += 1;
    return [];
  });
  vi.advanceTimersByTime(2_000);
  window.close();
  vi.advanceTimersByTime(5_000);
  expect(askedCount).toBe(2);
});
