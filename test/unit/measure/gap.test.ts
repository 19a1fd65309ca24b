// Goal: the gaps of an exchange become exact figures; percentiles of too few gaps are absent.
// Method: lists of gaps one short of, and at, each limit.
import { expect, test } from 'vitest';
import { gapFigures } from '../../../src/measure/gap.ts';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

test('no gap has no figure but its count', () => {
  expect(gapFigures([])).toEqual({ count: 0, sumNs: 0 });
});

test('one gap is its own minimum, maximum and median', () => {
  expect(gapFigures([20])).toEqual({ count: 1, sumNs: 20, minNs: 20, maxNs: 20, p50Ns: 20 });
});

test('order does not matter', () => {
  expect(gapFigures([30, 10, 20])).toEqual({ count: 3, sumNs: 60, minNs: 10, maxNs: 30, p50Ns: 20 });
});

test('p95 needs 20 gaps', () => {
  expect(gapFigures(upTo(19))).not.toHaveProperty('p95Ns');
  expect(gapFigures(upTo(20)).p95Ns).toBe(19);
});

test('p99 needs 100 gaps', () => {
  expect(gapFigures(upTo(99))).not.toHaveProperty('p99Ns');
  expect(gapFigures(upTo(100))).toEqual({
    count: 100,
    sumNs: 5050,
    minNs: 1,
    maxNs: 100,
    p50Ns: 50,
    p95Ns: 95,
    p99Ns: 99,
  });
});
