// Goal: a stamp says how late it may be: at least as late as the loop was busy since it last looked for bytes, in
// this turn and in the one before. Method: the loop is kept busy for a known time around stamps; lower bounds only.
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TurnBound } from '../../../../src/client/load/turn-bound.ts';
import { nowNs } from '../../../../src/base/clock.ts';

const BUSY_NS = 30e6;
let bound: TurnBound;
beforeEach(() => (bound = new TurnBound()));
afterEach(() => bound.stop());

function keepBusy(): void {
  const untilNs = nowNs() + BUSY_NS;
  while (nowNs() < untilNs);
}

test('work between two stamps of one turn is in the bound of the second', () => {
  bound.stamp();
  keepBusy();
  expect(bound.stamp().errorBoundNs).toBeGreaterThanOrEqual(BUSY_NS * 0.95);
});

test('work behind the last stamp of a turn is in the bound of the next turn', async () => {
  bound.stamp();
  await setImmediate();
  keepBusy();
  expect(bound.stamp().errorBoundNs).toBeGreaterThanOrEqual(BUSY_NS * 0.95);
});

test('a moment is the clock of the process', () => {
  const before = nowNs();
  const { atNs } = bound.stamp();
  expect(atNs).toBeGreaterThanOrEqual(before);
  expect(atNs).toBeLessThanOrEqual(nowNs());
});
