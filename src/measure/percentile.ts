// Percentiles by nearest rank: the ceil(q·n)-th smallest of n, always a value that occurred. Never
// interpolated and never averaged, so a percentile of one exchange can be pointed at.
import { valueAt } from './columns.ts';

/** `sorted` ascending and not empty; `percent` from 1 to 100, whole, so that the rank is exact. */
export function nearestRank(sorted: readonly number[], percent: number): number {
  // Multiplied before it is divided: 0.95 × 20 in binary fractions would be just above 19.
  const rank = Math.ceil((percent * sorted.length) / 100);
  return valueAt(sorted, rank - 1);
}

/** A sorted copy. Typed arrays are sorted without a callback, which takes a quarter of the time. */
export function ascending(values: readonly number[]): number[] {
  return Array.from(Float64Array.from(values).sort());
}
