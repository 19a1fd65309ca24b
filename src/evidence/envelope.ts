// The lower envelope of prefill times: how long a prompt of a size takes when nobody is in its way.
//
// Samples err upwards without bound (somebody was in the way after all, a slow packet) and in both
// directions by the engine's own unsteadiness. So the shape is fitted low first; then, among samples of
// about the same size, the middle of those is taken that lie about as far above it as others lie below.
//
//   time  │     ×  somebody in the way: left out          kept: ·  ·  · ·  centre ± the spread below it
//         │  · ·─·──·─·  centre
//         └────────────────── tokens
//
// Looking at neighbours also follows what the shape cannot: steps of a scheduler, a floor of memory
// bandwidth. Pure; a fit costs some 100 µs for 256 samples and is made seldom.
import { ninthDecile } from './middle.ts';
import { fitShape, type PrefillShape, type Sample } from './prefill-shape.ts';

/** What the envelope says of one size. */
export interface EnvelopePoint {
  readonly prefillNs: number;
  /** Nine of ten prompts of this size differ by at most this share of it. */
  readonly errorRatio: number;
}

/** Below the middle: hidden contention lifts samples, and hardly anything lowers them. */
const SHAPE_QUANTILE = 0.35;
/** Sizes count as alike on the scale log(tokens + this): a handful of tokens more or less is nothing. */
const SIZE_OFFSET_TOKENS = 32;
/** Samples within this distance on that scale are neighbours (a factor of about 1.5) … */
const NEIGHBOUR_DISTANCE = 0.4;
/** … of which the nearest so many are looked at, and at least so many are needed. */
const NEIGHBOURS_MAX_COUNT = 24;
const NEIGHBOURS_LEAST_COUNT = 5;
/** The shape counts as much as so many neighbours. */
const SHAPE_WEIGHT_COUNT = 2;
/** A sample is kept up to so many times as far above the centre as the spread lies below it. */
const KEPT_ABOVE = 1.8;
const CENTRE_ITERATION_COUNT = 8;
/** A spread smaller than this share is luck. */
const SPREAD_LEAST = 0.02;

interface Spot {
  readonly size: number;
  /** Time over the shape's time, less 1. */
  readonly residual: number;
}

export function sizeOf(tokens: number): number {
  return Math.log(tokens + SIZE_OFFSET_TOKENS);
}

export class Envelope {
  readonly #shape: PrefillShape;
  /** In order of their size. */
  readonly #spots: readonly Spot[];
  /** How far samples lie from what the others say of their size, as far as it was asked; NaN where one is left out. */
  readonly #misses = new Map<number, number>();

  /** `samples` must not be empty. */
  constructor(samples: readonly Sample[]) {
    const low = fitShape(samples, SHAPE_QUANTILE);
    const { centre } = middleOf(samples.map(({ tokens, tookNs }) => tookNs / low(tokens) - 1));
    this.#shape = (tokens) => low(tokens) * (1 + centre);
    this.#spots = samples
      .map(({ tokens, tookNs }) => ({ size: sizeOf(tokens), residual: tookNs / this.#shape(tokens) - 1 }))
      .toSorted((a, b) => a.size - b.size);
  }

  /** Undefined where there are too few samples of about this size: nothing is extrapolated. */
  at(tokens: number): EnvelopePoint | undefined {
    const size = sizeOf(tokens);
    const from = firstAtLeast(this.#spots, size);
    const near = this.#nearest(size, from, NEIGHBOUR_DISTANCE);
    if (near.length < NEIGHBOURS_LEAST_COUNT) return undefined;
    // An error is much the same share at all sizes, so where neighbours are few others stand in for them.
    const misses = this.#nearest(size, from, Infinity)
      .map((index) => this.#missOf(index))
      .filter((miss) => !Number.isNaN(miss));
    const { lift } = this.#centreOf(near);
    return { prefillNs: Math.max(1, Math.round(this.#shape(tokens) * lift)), errorRatio: ninthDecile(misses) };
  }

  /** What a sample differs by from its neighbours' centre; NaN when it is far above, so somebody was in its way. */
  #missOf(index: number): number {
    const known = this.#misses.get(index);
    if (known !== undefined) return known;
    const { size, residual } = this.#spots[index] as Spot;
    const { lift, highest } = this.#centreOf(this.#nearest(size, index, NEIGHBOUR_DISTANCE, index));
    const miss = residual > highest ? NaN : Math.abs((1 + residual) / lift - 1);
    this.#misses.set(index, miss);
    return miss;
  }

  /** Positions of the samples nearest in size, looked for from position `from` both ways. */
  #nearest(size: number, from: number, withinDistance: number, without?: number): number[] {
    const spots = this.#spots;
    let right = from === without ? from + 1 : from;
    let left = from - 1;
    const found: number[] = [];
    while (found.length < NEIGHBOURS_MAX_COUNT) {
      const belowBy = size - (spots[left]?.size ?? -Infinity);
      const aboveBy = (spots[right]?.size ?? Infinity) - size;
      const distance = Math.min(belowBy, aboveBy);
      if (distance > withinDistance || distance === Infinity) break;
      if (belowBy < aboveBy) {
        found.push(left);
        left -= 1;
      } else {
        found.push(right);
        right += 1;
      }
    }
    return found;
  }

  /** By what the shape is to be multiplied here, and above which residual a sample is left out. */
  #centreOf(near: readonly number[]): { lift: number; highest: number } {
    const { centre, highest, keptCount } = middleOf(near.map((index) => this.#spots[index]?.residual ?? 0));
    return { lift: 1 + (centre * keptCount) / (keptCount + SHAPE_WEIGHT_COUNT), highest };
  }
}

function firstAtLeast(spots: readonly Spot[], size: number): number {
  let [low, high] = [0, spots.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spots[middle]?.size ?? Infinity) < size) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The middle of the values that are no further above it than others are below, and where these end. */
function middleOf(values: readonly number[]): { centre: number; highest: number; keptCount: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const lowest = quantileOf(sorted, sorted.length, 0.05);
  let centre = quantileOf(sorted, sorted.length, SHAPE_QUANTILE);
  let highest = Infinity;
  let keptCount = sorted.length;
  for (let iteration = 0; iteration < CENTRE_ITERATION_COUNT; iteration += 1) {
    highest = centre + KEPT_ABOVE * Math.max(centre - lowest, SPREAD_LEAST);
    keptCount = sorted.length;
    while (keptCount > 1 && (sorted[keptCount - 1] ?? 0) > highest) keptCount -= 1;
    const next = quantileOf(sorted, keptCount, 0.5);
    if (next === centre) break;
    centre = next;
  }
  return { centre: midMean(sorted, keptCount), highest, keptCount };
}

/** The mean of the middle half of the first `count`: nearly as steady as a mean and as hard to fool as a median. */
function midMean(sorted: readonly number[], count: number): number {
  const cut = Math.floor(count / 4);
  const middle = sorted.slice(cut, count - cut);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

/** A quantile of the first `count` values, by linear interpolation because neighbours are few. */
function quantileOf(sorted: readonly number[], count: number, quantile: number): number {
  const rank = quantile * (count - 1);
  const below = Math.floor(rank);
  const low = sorted[below] ?? 0;
  const high = below + 1 < count ? (sorted[below + 1] ?? low) : low;
  return low + (rank - below) * (high - low);
}
