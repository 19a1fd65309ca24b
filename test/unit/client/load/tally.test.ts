// Goal: percentiles by nearest rank, exact while they fit and within 0.2 % beyond, with failures above every length.
// Method: lengths whose ranks are known beforehand, and the same lengths with a small and a large store.
import { describe, expect, test } from 'vitest';
import { Tally } from '../../../../src/client/load/tally.ts';
import { seededRandom } from '../../../../src/client/random.ts';

function tallyOf(lengthsNs: readonly number[], exactMaxCount = 1_000): Tally {
  const tally = new Tally(exactMaxCount);
  for (const lengthNs of lengthsNs) tally.add(lengthNs);
  return tally;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => (index + 1) * 10);

describe('ranks', () => {
  test('are values that occurred, whatever the order they came in', () => {
    const spread = tallyOf(upTo(100).toReversed()).spread();
    expect(spread).toEqual({
      count: 100,
      neverCount: 0,
      meanNs: 505,
      p50Ns: 500,
      p95Ns: 950,
      p99Ns: 990,
      maxNs: 1_000,
    });
  });

  test('that so few values cannot tell are absent', () => {
    expect(tallyOf([]).spread()).toEqual({ count: 0, neverCount: 0 });
    expect(tallyOf(upTo(19)).spread()).not.toHaveProperty('p95Ns');
    expect(tallyOf(upTo(20)).spread().p95Ns).toBe(190);
    expect(tallyOf(upTo(99)).spread()).not.toHaveProperty('p99Ns');
  });

  test('of values below 0 keep their sign', () => {
    expect(tallyOf([-30, -10, -20]).spread()).toMatchObject({ p50Ns: -20, maxNs: -10, meanNs: -20 });
  });
});

describe('what never came', () => {
  test('lies above every length and is counted', () => {
    const tally = tallyOf(upTo(98));
    tally.addNever();
    tally.addNever();
    expect(tally.spread()).toMatchObject({
      count: 100,
      neverCount: 2,
      p50Ns: 500,
      p95Ns: 950,
      p99Ns: 'never',
      maxNs: 'never',
    });
  });

  test('at exactly the rank is the next one above', () => {
    const tally = tallyOf(upTo(99));
    tally.addNever();
    expect(tally.spread()).toMatchObject({ p99Ns: 990, maxNs: 'never' });
  });

  test('alone has no mean', () => {
    const tally = new Tally(10);
    tally.addNever();
    expect(tally.spread()).toEqual({ count: 1, neverCount: 1, p50Ns: 'never', maxNs: 'never' });
  });
});

describe('more values than fit', () => {
  test('give percentiles within 0.2 %, and say so', () => {
    const random = seededRandom(3);
    const lengths = Array.from({ length: 5_000 }, () => Math.round(Math.exp(random() * 16)));
    const [exact, banded] = [tallyOf(lengths, 10_000).spread(), tallyOf(lengths, 100).spread()];
    expect(banded.banded).toBe(true);
    expect(exact).not.toHaveProperty('banded');
    for (const name of ['p50Ns', 'p95Ns', 'p99Ns'] as const) {
      const truth = exact[name] as number;
      expect(Math.abs((banded[name] as number) - truth) / truth, name).toBeLessThanOrEqual(1 / 512 + 1e-3 / truth);
    }
    expect([banded.count, banded.maxNs, banded.meanNs]).toEqual([exact.count, exact.maxNs, exact.meanNs]);
  });

  test('exactly as many as fit are exact', () => {
    expect(tallyOf(upTo(100), 100).spread()).not.toHaveProperty('banded');
    expect(tallyOf(upTo(101), 100).spread().banded).toBe(true);
  });
});
