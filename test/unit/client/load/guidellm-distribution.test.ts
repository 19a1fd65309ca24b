// Goal: values, rates and what is under way lie as GuideLLM says it, with ranks that are exact. Method: few values whose
// figures can be reckoned by hand.
import { describe, expect, test } from 'vitest';
import {
  concurrencyOf,
  distributionOf,
  NOTHING,
  plain,
  rateOf,
} from '../../../../src/client/load/guidellm/distribution.ts';

describe('a distribution', () => {
  test('has its percentiles by nearest rank', () => {
    const { percentiles, median, mean, min, max, count, total_sum } = distributionOf(plain([40, 10, 30, 20]));
    expect(percentiles).toMatchObject({ p001: 10, p25: 10, p50: 20, p75: 30, p90: 40, p999: 40 });
    expect([median, mean, min, max, count, total_sum]).toEqual([20, 25, 10, 40, 4, 100]);
  });

  test('does not slip by a rank for a sum that is not exact', () => {
    // 46 of 92 shares of 1/92 come to less than a half in floating point.
    const { median } = distributionOf(plain(Array.from({ length: 92 }, (_, index) => index + 1)));
    expect(median).toBe(46);
  });

  test('counts a value as often as it weighs', () => {
    const { percentiles, mean, mode, variance, count } = distributionOf({ values: [10, 20, 10], weights: [1, 6, 1] });
    expect([percentiles['p25'], percentiles['p50'], mean, mode, variance, count]).toEqual([10, 20, 17.5, 20, 18.75, 8]);
  });

  test('of nothing has a count of 0, and so has one whose values weigh nothing', () => {
    expect([distributionOf(plain([])), distributionOf({ values: [5], weights: [0] })]).toEqual([NOTHING, NOTHING]);
    expect(NOTHING.count).toBe(0);
  });

  test('of rates holds each for the time that is nearest to its moment', () => {
    // Moments at 1 and 3 s of 4: half a second without, then 1.5 s each with one, then half a second without.
    const rates = rateOf(plain([1, 3]), { startS: 0, endS: 4 });
    expect(rates).toMatchObject({ min: 0, max: 1 / 1.5, count: 2 });
    expect(rates.mean).toBeCloseTo(2 / 4, 12);
  });

  test('of rates leaves out what lies beside the window, and takes 0.1 ms as one moment', () => {
    const window = { startS: 0, endS: 4 };
    expect(rateOf(plain([-1, 1, 5]), window)).toEqual(rateOf(plain([1]), window));
    expect(rateOf(plain([1, 1.00009]), window)).toEqual(rateOf({ values: [1], weights: [2] }, window));
    expect(rateOf(plain([1, 1.00011]), window)).not.toEqual(rateOf({ values: [1], weights: [2] }, window));
  });

  test('of what was under way is weighted by time', () => {
    const lasting = [
      { startS: 0, endS: 3, amount: 1 },
      { startS: 1, endS: 2, amount: 1 },
    ];
    expect(concurrencyOf(lasting, { startS: 0, endS: 4 })).toMatchObject({
      min: 0,
      max: 2,
      mean: 1,
      median: 1,
      count: 2,
    });
    expect(concurrencyOf([], { startS: 0, endS: 4 })).toEqual(NOTHING);
  });
});
