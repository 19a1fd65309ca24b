// Draws a histogram as lines of text. The buckets are those of the metric, so that the picture and
// a dashboard show the same bars.
import { GAP_BOUNDS_S } from '../base/metric-spec.ts';
import { showCount } from './spread.ts';

const NS_PER_SECOND = 1e9;

/** One line a bucket, from the first that holds a value to the last; `width` is the longest bar. */
export function drawHistogram(valuesNs: readonly number[], width: number): string[] {
  const counts: number[] = Array.from({ length: GAP_BOUNDS_S.length + 1 }, () => 0);
  for (const valueNs of valuesNs) {
    // A value on a bound belongs below it, as in Prometheus (`le`).
    const found = GAP_BOUNDS_S.findIndex((boundS) => valueNs <= Math.round(boundS * NS_PER_SECOND));
    const bucket = found === -1 ? GAP_BOUNDS_S.length : found;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  const first = counts.findIndex((count) => count > 0);
  const last = counts.findLastIndex((count) => count > 0);
  const largest = Math.max(...counts);
  return counts.slice(first, last + 1).map((count, offset) => {
    // A bucket that holds anything shows at least one mark, however small its share.
    const bar = '#'.repeat(Math.ceil((count * width) / largest));
    return `${bucketName(first + offset).padStart(18)}  ${bar.padEnd(width)}  ${showCount(count).padStart(7)}`;
  });
}

function bucketName(bucket: number): string {
  const upper = GAP_BOUNDS_S[bucket];
  const lower = GAP_BOUNDS_S[bucket - 1];
  if (upper === undefined) return `over ${showBound(lower ?? 0)} ms`;
  return `${showBound(lower ?? 0)} to ${showBound(upper)} ms`;
}

function showBound(boundS: number): string {
  // Bounds are given in seconds; the rounding takes away what binary fractions add.
  return String(Number((boundS * 1000).toFixed(3)));
}
