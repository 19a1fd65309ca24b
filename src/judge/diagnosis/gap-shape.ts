// The shape of a distribution of gaps: where it has its modes and how much lies in each. A batch that is only ever
// decoded has one; steps that carry prefill, drafted tokens or pauses make further ones. Pure.
import { countOf, LOG_BUCKET_COUNT, middleNs, type LogCounts } from './log-counts.ts';

export interface Mode {
  /** The fullest bucket, its middle. */
  readonly atNs: number;
  /** Gaps that belong to it, of all. */
  readonly weightRatio: number;
}

export interface GapShape {
  readonly count: number;
  /** In order of length. */
  readonly modes: readonly Mode[];
  /** The one with most gaps. */
  readonly main: Mode;
  /** Gaps in modes that are slower than the main one, of all. */
  readonly slowRatio: number;
  /** Where the slow modes begin; absent without one. */
  readonly slowFromNs?: number;
}

/** Fewer gaps have no shape. */
const LEAST_COUNT = 200;
/** A mode must stand out of the valley to its neighbour by this much. */
const VALLEY_RATIO = 0.5;
/** Below this share it is a tail and no mode: of 1,000 gaps two. */
const LEAST_WEIGHT_RATIO = 0.002;
const LEAST_MODE_COUNT = 8;
/** Weights of a bucket and of its neighbours: a mode is wider than one bucket of 9 %. */
const KERNEL = [1, 2, 3, 2, 1];

export function shapeOf(gaps: LogCounts): GapShape | undefined {
  const count = countOf(gaps);
  if (count < LEAST_COUNT) return undefined;
  const leastCount = Math.max(LEAST_MODE_COUNT, LEAST_WEIGHT_RATIO * count);
  const modes = cutAtValleys(gaps, smooth(gaps)).filter((part) => part.count >= leastCount);
  const [first] = modes;
  if (first === undefined) return undefined;
  const main = modes.reduce((best, mode) => (mode.count > best.count ? mode : best), first);
  const slow = modes.filter((mode) => mode.fromBucket > main.fromBucket);
  const slowFrom = slow[0]?.fromBucket;
  const toMode = (part: Part): Mode => ({ atNs: middleNs(part.peakBucket), weightRatio: part.count / count });
  return {
    count,
    modes: modes.map((mode) => toMode(mode)),
    main: toMode(main),
    slowRatio: slow.reduce((sum, part) => sum + part.count, 0) / count,
    ...(slowFrom !== undefined && { slowFromNs: middleNs(slowFrom) }),
  };
}

interface Part {
  readonly fromBucket: number;
  readonly peakBucket: number;
  readonly count: number;
}

function smooth(counts: LogCounts): number[] {
  const half = (KERNEL.length - 1) / 2;
  return Array.from({ length: LOG_BUCKET_COUNT }, (_, bucket) =>
    KERNEL.reduce((sum, weight, index) => sum + weight * (counts[bucket + index - half] ?? 0), 0),
  );
}

/** Cuts between peaks whose valley is deep enough; every bucket belongs to one part. */
function cutAtValleys(counts: LogCounts, density: readonly number[]): Part[] {
  const cuts: number[] = [0];
  const peaks: number[] = [];
  let peak = 0;
  let valley = 0;
  const at = (bucket: number): number => density[bucket] ?? 0;
  let rising = true;
  for (let bucket = 1; bucket < density.length; bucket += 1) {
    if (rising) {
      if (at(bucket) > at(peak)) peak = bucket;
      else if (at(bucket) < VALLEY_RATIO * at(peak)) {
        peaks.push(peak);
        rising = false;
        valley = bucket;
      }
    } else if (at(bucket) < at(valley)) {
      valley = bucket;
    } else if (at(bucket) * VALLEY_RATIO > at(valley)) {
      cuts.push(valley);
      rising = true;
      peak = bucket;
    }
  }
  if (rising) peaks.push(peak);
  return peaks.map((peakBucket, index) => {
    const [fromBucket, to] = [cuts[index] ?? 0, cuts[index + 1] ?? LOG_BUCKET_COUNT];
    return { fromBucket, peakBucket, count: countOf(counts.slice(fromBucket, to)) };
  });
}
