// Percentiles by nearest rank: the ceil(q·n)-th smallest of n, always a value that occurred. Never
// interpolated and never averaged, so a percentile of one exchange can be pointed at.
import { valueAt } from './columns.ts';

/** `sorted` ascending and not empty; `percent` from 1 to 100, whole, so that the rank is exact. */
export function nearestRank<Value>(sorted: readonly Value[], percent: number): Value {
  // Multiplied before it is divided: 0.95 × 20 in binary fractions would be just above 19.
  const rank = Math.ceil((percent * sorted.length) / 100);
  return valueAt(sorted, rank - 1);
}

/** A percentile of fewer values would be the maximum under another name. */
export const P95_FROM_COUNT = 20;
export const P99_FROM_COUNT = 100;

/**
 * From so many values on a typed array, which is sorted without a callback, pays for being made: of 4,096 it takes half
 * the time, of 16 half as much again, and leaves garbage that is dear to collect.
 */
const TYPED_LEAST_COUNT = 64;

/** A sorted copy. */
export function ascending(values: readonly number[]): number[] {
  if (values.length < TYPED_LEAST_COUNT) return values.toSorted((a, b) => a - b);
  return Array.from(Float64Array.from(values).sort());
}
