// Goal: the small tools that measures share are exact.
// Method: hand-picked values around each boundary; the running median against sorting on random values.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BLOCKED_MAX_COUNT } from '../../../src/base/limits.ts';
import { BlockedLog } from '../../../src/measure/blocked-log.ts';
import { valueAt } from '../../../src/measure/columns.ts';
import { defined } from '../../../src/measure/defined.ts';
import { ascending, nearestRank } from '../../../src/measure/percentile.ts';
import { RunningMedian } from '../../../src/measure/running-median.ts';
import { fuzz } from '../../support/fuzz.ts';

describe('nearest rank', () => {
  test('is the ceil(q·n)-th smallest', () => {
    const ten = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    expect(nearestRank(ten, 50)).toBe(5);
    expect(nearestRank(ten, 51)).toBe(6);
    expect(nearestRank(ten, 95)).toBe(10);
    expect(nearestRank([7], 50)).toBe(7);
  });

  test('takes the 19th of 20 for p95, where 0.95 × 20 in binary would be above 19', () => {
    const twenty = Array.from({ length: 20 }, (_, index) => index + 1);
    expect(nearestRank(twenty, 95)).toBe(19);
  });

  test('sorts numbers as numbers and leaves the input alone', () => {
    const values = [10, 9, 100];
    expect(ascending(values)).toEqual([9, 10, 100]);
    expect(values).toEqual([10, 9, 100]);
  });

  test('sorts few and many alike, in another way beyond 64', () => {
    const value = fc.oneof(
      fc.integer({ min: -3, max: 3 }),
      fc.double({ noNaN: true }).filter((one) => !Object.is(one, -0)),
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 140, size: 'max' }), (values) => {
        expect(ascending(values)).toEqual(values.toSorted((a, b) => (a < b ? -1 : Number(a > b))));
      }),
      fuzz(200),
    );
  });

  test('refuses an empty list', () => {
    expect(() => nearestRank([], 50)).toThrow('row -1 is not in a column of 0');
  });
});

describe('running median', () => {
  test('is undefined before the first value', () => {
    expect(new RunningMedian().median).toBeUndefined();
  });

  test('is at every step the ceil(n / 2)-th smallest of the values so far', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 200 }), (values) => {
        const running = new RunningMedian();
        values.forEach((value, index) => {
          running.add(value);
          expect(running.count).toBe(index + 1);
          expect(running.median).toBe(nearestRank(ascending(values.slice(0, index + 1)), 50));
        });
      }),
      fuzz(100),
    );
  });
});

describe('blocked log', () => {
  function logOf(...edgesNs: number[]): BlockedLog {
    const log = new BlockedLog();
    edgesNs.forEach((atNs, index) => (index % 2 === 0 ? log.block(atNs) : log.unblock(atNs)));
    return log;
  }

  test('overlaps only where time is shared, not where moments touch', () => {
    const log = logOf(100, 200);
    expect(log.overlaps(0, 100)).toBe(false);
    expect(log.overlaps(0, 101)).toBe(true);
    expect(log.overlaps(199, 300)).toBe(true);
    expect(log.overlaps(200, 300)).toBe(false);
    expect(log.overlaps(120, 130)).toBe(true);
  });

  test('looks past later intervals for an earlier one', () => {
    const log = logOf(100, 200, 300, 400, 500, 600);
    expect(log.overlaps(150, 160)).toBe(true);
    expect(log.overlaps(210, 290)).toBe(false);
    expect(log.overlaps(50, 90)).toBe(false);
    expect(new BlockedLog().overlaps(0, 1)).toBe(false);
  });

  test('lets an open interval reach into the future', () => {
    const log = logOf(100, 200, 300);
    expect(log.open).toBe(true);
    expect(log.overlaps(1_000, 2_000)).toBe(true);
    expect(log.overlaps(200, 300)).toBe(false);
  });

  test('ignores a second begin and a second end', () => {
    const log = logOf(100);
    log.block(150);
    log.unblock(200);
    log.unblock(250);
    expect(log.edgesNs).toEqual([100, 200]);
  });

  test('keeps the last interval that fits open, and says that it is full', () => {
    const log = new BlockedLog();
    for (let index = 0; index < BLOCKED_MAX_COUNT - 1; index += 1) {
      log.block(2 * index);
      log.unblock(2 * index + 1);
    }
    const lastFromNs = 2 * BLOCKED_MAX_COUNT;
    log.block(lastFromNs);
    expect(log.full).toBe(false);
    log.unblock(lastFromNs + 1);
    log.block(lastFromNs + 2);
    expect(log.full).toBe(true);
    expect(log.edgesNs.length).toBe(2 * BLOCKED_MAX_COUNT - 1);
    expect(log.overlaps(lastFromNs + 10, lastFromNs + 11)).toBe(true);
  });
});

describe('columns and absent values', () => {
  test('a row outside a column is an error, a null in it is a value', () => {
    expect(valueAt([null], 0)).toBeNull();
    expect(() => valueAt([1], 1)).toThrow('row 1 is not in a column of 1');
  });

  test('unknown fields are left out, zeros are not', () => {
    expect(Object.keys(defined({ a: 0, b: undefined, c: false }))).toEqual(['a', 'c']);
  });
});
