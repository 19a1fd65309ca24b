// Held until so much time is over: bursts of many events at one interval, or at it and a little more, since
// many timers start with the first byte that waits. An engine's own step is as regular, but brings few tokens.
import { ascending, nearestRank } from '../../measure/percentile.ts';
import {
  commonNumbers,
  intervalNsOf,
  isMostlyCut,
  ratio,
  regularBursts,
  toMs,
  type Finding,
  type Shape,
} from './shape.ts';
import { medianOf } from '../rank.ts';
import { sumOf } from '../sum.ts';

const HELD_LEAST_RATIO = 0.9;
const INTERVALS_LEAST = 3;
const GRID_INTERVALS_LEAST = 6;
const GRID_LEAST_NS = 180_000_000;
const GRID_OFF_NS = 2_000_000;
const GRID_HELD_LEAST_RATIO = 0.6;
const EVENTS_LEAST_MEAN = 9;
/** Steps of a large draft can bring so many tokens; from here on silence may be shorter and counts alike. */
const EVENTS_CERTAIN_MEAN = 20;
/** Above the 40 ms for which a kernel delays what acknowledges a sender that waits for it. */
const SILENCE_LEAST_NS = 60_000_000;
/** 200 ms for which kernels wait for more to send, or with acknowledging, and up to a step more. */
const KERNEL_LEAST_NS = 195_000_000;
const KERNEL_MOST_NS = 230_000_000;
const KERNEL_HELD_LEAST_RATIO = 0.8;
const SILENCE_CERTAIN_NS = 90_000_000;
/** Timers are late by this much on a busy machine, or by this part of their time. */
const LATE_NS = 3_000_000;
const LATE_PARTS = 50;
const REGULAR_LEAST_RATIO = 0.7;
/** A burst far below the usual number is no timer's while text flows. */
const EVEN_LEAST_RATIO = 0.4;
const UNEVEN_PERCENT = 10;

export function judgeTimer(shape: Shape): Finding | undefined {
  const { inner, innerCounts, heldRatio } = shape;
  if (inner.length < INTERVALS_LEAST || isMostlyCut(shape)) return undefined;
  // No way of it takes less: most streams end here, and nothing of theirs is sorted.
  if (heldRatio < GRID_HELD_LEAST_RATIO) return undefined;
  const intervalNs = intervalNsOf(shape);
  const onGrid = isOnGrid(shape, intervalNs);
  const ofKernel = intervalNs >= KERNEL_LEAST_NS && intervalNs <= KERNEL_MOST_NS;
  // What comes alone behind an engine's silence has waited for nobody, and is no burst of such a wait.
  const mean = Math.max(ratio(sumOf(innerCounts), innerCounts.length), ofKernel ? medianOf(innerCounts) : 0);
  if (mean < EVENTS_LEAST_MEAN || intervalNs < SILENCE_LEAST_NS) return undefined;
  if (heldRatio < leastHeldRatio(onGrid, ofKernel)) return undefined;
  if (mean < EVENTS_CERTAIN_MEAN && !onGrid && !ofKernel && !isNoStep(shape, intervalNs)) return undefined;
  // The first byte that waits comes up to a step after the flush, and later where the engine stalled.
  const spreadNs = Math.max(LATE_NS, intervalNs / LATE_PARTS) + intervalNs / mean / 2;
  const regular = regularBursts(shape, intervalNs, spreadNs);
  if (!onGrid && regular.length < inner.length * REGULAR_LEAST_RATIO) return undefined;
  return {
    word: 'holds',
    way: !ofKernel && isCount(shape, intervalNs) ? 'rechunk' : 'timer',
    signs: ['bursts_at_an_interval', ...(onGrid ? ['never_off_it'] : []), ...(ofKernel ? ['as_kernels_wait'] : [])],
    numbers: { ...commonNumbers(shape), intervalMs: toMs(intervalNs), regularBursts: regular.length },
    ample: inner.length >= 6,
  };
}

function leastHeldRatio(onGrid: boolean, ofKernel: boolean): number {
  if (onGrid) return GRID_HELD_LEAST_RATIO;
  return ofKernel ? KERNEL_HELD_LEAST_RATIO : HELD_LEAST_RATIO;
}

/** A clock that goes on while the engine stalls: silences are the interval, or twice, or three times that. */
function isOnGrid({ inner }: Shape, intervalNs: number): boolean {
  if (inner.length < GRID_INTERVALS_LEAST || intervalNs < GRID_LEAST_NS) return false;
  const fits = inner.filter(({ silenceNs }) => {
    const times = Math.max(1, Math.round(silenceNs / intervalNs));
    return Math.abs(silenceNs - times * intervalNs) <= GRID_OFF_NS;
  });
  return fits.length >= inner.length * HELD_LEAST_RATIO;
}

/** Too slow for a step, of a number that varies a little: a draft's varies much, or is always the same. */
function isNoStep({ innerCounts }: Shape, intervalNs: number): boolean {
  const sorted = ascending(innerCounts);
  const least = nearestRank(sorted, UNEVEN_PERCENT);
  if (intervalNs < SILENCE_CERTAIN_NS || sorted[0] === sorted.at(-1)) return false;
  return least >= EVEN_LEAST_RATIO * medianOf(innerCounts);
}

/** So many events and not so much time: the number never differs, the time does by parts of a step. */
function isCount({ inner, innerCounts }: Shape, intervalNs: number): boolean {
  if (inner.length < 3 || Math.min(...innerCounts) !== Math.max(...innerCounts)) return false;
  const stepNs = intervalNs / (innerCounts[0] as number);
  const off = inner.map((burst) => Math.abs(burst.silenceNs - intervalNs));
  return medianOf(off) > stepNs / 10;
}
