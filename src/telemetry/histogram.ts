// One histogram series: explicit buckets, and exponential ones where OTLP asked for them. A record
// costs two short searches and a few additions; nothing is allocated.
// Values are integers (ns where the unit is `s`), so counts and sums come out the same on every
// route. Must not know names, labels or formats.
import assert from 'node:assert';
import type { ExemplarRef } from '../judge/report.ts';

/** Factor-of-2 steps are cut into 2^3 buckets, so a bucket is 9 % wide, whatever comes. */
export const EXPONENTIAL_SCALE = 3;
const STEPS_PER_DOUBLING = 2 ** EXPONENTIAL_SCALE;
/** Bucket `i` holds the values in (2^(i/8), 2^((i+1)/8)] s; the first holds 10 µs, the last 600 s. */
export const EXPONENTIAL_FIRST_INDEX = Math.ceil(Math.log2(10e-6) * STEPS_PER_DOUBLING) - 1;
const EXPONENTIAL_LAST_INDEX = Math.ceil(Math.log2(600) * STEPS_PER_DOUBLING) - 1;

/**
 * A double is exact to 2^53, which as ns is 104 days: a pool of a thousand streams sums that up in
 * hours. So the sum is kept in two parts, and the small one is carried over early.
 */
const SUM_CARRY = 1e15;

export interface HistogramOptions {
  /** Upper bounds (inclusive), ascending, as integers in the unit of the recorded values. */
  readonly bounds: readonly number[];
  /** Recorded integers in one unit of the metric: 1e9 for `s`, else 1. */
  readonly perUnit: number;
  readonly exponential: boolean;
  readonly nowEpochMs: () => number;
}

export class Histogram {
  /** One more than bounds: the last bucket holds what lies above them all. */
  readonly counts: Float64Array;
  /** Counts from `EXPONENTIAL_FIRST_INDEX` on; absent unless switched on. */
  readonly exponentialCounts: Float64Array | undefined;
  /** Values of exactly 0, which no exponential bucket can hold. */
  zeroCount = 0;
  count = 0;
  min = Number.POSITIVE_INFINITY;
  max = 0;
  /** Of `count`, those that never came. */
  neverCount = 0;
  #sumLow = 0;
  #sumCarries = 0;
  /** The latest traced value of each bucket, in three columns so that recording allocates nothing. */
  #exemplarRefs: (ExemplarRef | undefined)[] | undefined;
  #exemplarValues: Float64Array | undefined;
  #exemplarEpochMs: Float64Array | undefined;
  readonly #options: HistogramOptions;
  readonly #exponentialBounds: Float64Array | undefined;

  constructor(options: HistogramOptions) {
    this.#options = options;
    this.counts = new Float64Array(options.bounds.length + 1);
    if (!options.exponential) return;
    this.#exponentialBounds = exponentialBoundsFor(options.perUnit);
    this.exponentialCounts = new Float64Array(this.#exponentialBounds.length);
  }

  /** Adds one value; with a trace to point at, the bucket remembers it. */
  record(value: number, exemplar?: ExemplarRef): void {
    assert(value >= 0, 'a histogram takes integers from 0 up');
    const bucket = firstAtLeast(this.#options.bounds, value);
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.count += 1;
    this.#sumLow += value;
    if (this.#sumLow >= SUM_CARRY) {
      this.#sumLow -= SUM_CARRY;
      this.#sumCarries += 1;
    }
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
    if (this.#exponentialBounds !== undefined) this.#recordExponential(value, this.#exponentialBounds);
    if (exemplar !== undefined) this.#remember(bucket, value, exemplar);
  }

  /**
   * Adds one that never came: above every bound, and in neither sum nor extremes, which are of what came. The
   * exponential buckets have no end to put it behind; their last one holds all that is too long for them.
   */
  recordNever(): void {
    const bucket = this.counts.length - 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.count += 1;
    this.neverCount += 1;
    if (this.exponentialCounts === undefined) return;
    const last = this.exponentialCounts.length - 1;
    this.exponentialCounts[last] = (this.exponentialCounts[last] ?? 0) + 1;
  }

  get bounds(): readonly number[] {
    return this.#options.bounds;
  }

  /** The sum in units of the metric; the only place where the integers are divided. */
  get sumInUnits(): number {
    const { perUnit } = this.#options;
    return this.#sumCarries * (SUM_CARRY / perUnit) + this.#sumLow / perUnit;
  }

  exemplarOf(bucket: number): { ref: ExemplarRef; value: number; epochMs: number } | undefined {
    const ref = this.#exemplarRefs?.[bucket];
    if (ref === undefined) return undefined;
    return { ref, value: this.#exemplarValues?.[bucket] ?? 0, epochMs: this.#exemplarEpochMs?.[bucket] ?? 0 };
  }

  #recordExponential(value: number, bounds: Float64Array): void {
    const counts = this.exponentialCounts;
    if (counts === undefined) return;
    if (value === 0) {
      this.zeroCount += 1;
      return;
    }
    // What lies above the range goes into its last bucket: one stall of an hour must not coarsen all others.
    const index = Math.min(firstAtLeast(bounds, value), bounds.length - 1);
    counts[index] = (counts[index] ?? 0) + 1;
  }

  #remember(bucket: number, value: number, ref: ExemplarRef): void {
    const size = this.counts.length;
    this.#exemplarRefs ??= Array.from<ExemplarRef | undefined>({ length: size });
    this.#exemplarValues ??= new Float64Array(size);
    this.#exemplarEpochMs ??= new Float64Array(size);
    this.#exemplarRefs[bucket] = ref;
    this.#exemplarValues[bucket] = value;
    this.#exemplarEpochMs[bucket] = this.#options.nowEpochMs();
  }
}

/** Position of the first bound that is not below `value`; the number of bounds when all are. */
function firstAtLeast(bounds: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = bounds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bounds[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Upper bounds of the exponential buckets, shared by all series of one unit. */
const exponentialBounds = new Map<number, Float64Array>();

function exponentialBoundsFor(perUnit: number): Float64Array {
  const known = exponentialBounds.get(perUnit);
  if (known !== undefined) return known;
  const length = EXPONENTIAL_LAST_INDEX - EXPONENTIAL_FIRST_INDEX + 1;
  const bounds = Float64Array.from({ length }, (_, step) => {
    return 2 ** ((EXPONENTIAL_FIRST_INDEX + step + 1) / STEPS_PER_DOUBLING) * perUnit;
  });
  exponentialBounds.set(perUnit, bounds);
  return bounds;
}
