// Goal: moments are integers on one base, anchors turn them into wall time exactly, idle time and turns count up.
// Method: order and one-sided bounds on the real clock; exact arithmetic on given anchors.
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  anchorNow,
  clockBase,
  epochMs,
  epochMsOf,
  loopIdleNs,
  loopTurnCount,
  nowNs,
  shareClockBase,
} from '../../../src/base/clock.ts';

let base: number;
beforeEach(() => {
  base = clockBase();
});
afterEach(() => shareClockBase(base));

test('moments are safe integers and never go back', () => {
  let lastNs = nowNs();
  for (let i = 0; i < 1_000; i += 1) {
    const atNs = nowNs();
    expect(Number.isSafeInteger(atNs)).toBe(true);
    expect(atNs).toBeGreaterThanOrEqual(lastNs);
    lastNs = atNs;
  }
});

test('a base that another thread handed over moves every moment by whole seconds', () => {
  const beforeNs = nowNs();
  shareClockBase(base - 1_000);
  expect(clockBase()).toBe(base - 1_000);
  const movedNs = nowNs();
  shareClockBase(base);
  expect(movedNs - 1_000e9).toBeGreaterThanOrEqual(beforeNs);
  expect(movedNs - 1_000e9).toBeLessThanOrEqual(nowNs());
});

test('an anchor is one moment on both clocks', () => {
  const beforeNs = nowNs();
  const anchor = anchorNow();
  expect(anchor.atNs).toBeGreaterThanOrEqual(beforeNs);
  expect(anchor.atNs).toBeLessThanOrEqual(nowNs());
  expect(Number.isInteger(anchor.atNs)).toBe(true);
  // Within a day of the system's clock: the exact distance is the machine's affair.
  expect(Math.abs(anchor.epochMs - epochMs())).toBeLessThan(86_400_000);
});

test('wall time of a moment is the anchor and the monotonic distance', () => {
  const anchor = { atNs: 5_000_000, epochMs: 1_796_000_000_000 };
  expect(epochMsOf(anchor, 5_000_000)).toBe(1_796_000_000_000);
  expect(epochMsOf(anchor, 7_500_000)).toBe(1_796_000_000_002.5);
  expect(epochMsOf(anchor, 4_000_000)).toBe(1_795_999_999_999);
});

test('a turn of the loop is counted, and waiting is idle time', async () => {
  const turnsBefore = loopTurnCount();
  const idleBeforeNs = loopIdleNs();
  // On a busy machine a short wait can be over before the loop gets to wait.
  for (let wait = 0; wait < 50 && loopIdleNs() === idleBeforeNs; wait += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(loopTurnCount()).toBeGreaterThan(turnsBefore);
  expect(loopIdleNs()).toBeGreaterThan(idleBeforeNs);
});
