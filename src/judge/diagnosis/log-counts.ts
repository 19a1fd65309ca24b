// Lengths counted in buckets of equal ratio, so that a millisecond and a minute are told as finely: eight buckets an
// octave, each 9 % wide. Made for shapes and comparisons; the exact percentiles of exchanges stand elsewhere. Pure.

const PER_OCTAVE = 8;
/** The lower edge of bucket 0, in ns. What is shorter is counted there. */
const LEAST_NS = 100_000;
const OCTAVES = 21;
/** The last one takes what is longer than 200 s. */
export const LOG_BUCKET_COUNT = OCTAVES * PER_OCTAVE;

/** How many lengths fell into each bucket. */
export type LogCounts = readonly number[] | Uint32Array;

export function bucketOf(lengthNs: number): number {
  if (lengthNs <= LEAST_NS) return 0;
  return Math.min(LOG_BUCKET_COUNT - 1, Math.floor(PER_OCTAVE * Math.log2(lengthNs / LEAST_NS)));
}

/** Where a bucket begins and the one before it ends; what is shorter than the first edge lies in bucket 0 too. */
export function edgeNs(bucket: number): number {
  return LEAST_NS * 2 ** (bucket / PER_OCTAVE);
}

/** The middle of a bucket, by ratio. */
export function middleNs(bucket: number): number {
  return LEAST_NS * 2 ** ((bucket + 0.5) / PER_OCTAVE);
}

export function countOf(counts: LogCounts): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}

/** The middle of the bucket that holds the value of this rank (nearest rank); undefined when there is none. */
export function percentileNs(counts: LogCounts, percent: number): number | undefined {
  const rank = Math.ceil((percent * countOf(counts)) / 100);
  let below = 0;
  for (const [bucket, count] of counts.entries()) {
    below += count;
    if (rank > 0 && below >= rank) return middleNs(bucket);
  }
  return undefined;
}

export function addInto(sum: Uint32Array, counts: LogCounts): void {
  for (const [bucket, count] of counts.entries()) sum[bucket] = (sum[bucket] ?? 0) + count;
}

/** Lengths above a limit. */
export function countAbove(counts: LogCounts, limitNs: number): number {
  return countOf(counts.slice(bucketOf(limitNs) + 1));
}
