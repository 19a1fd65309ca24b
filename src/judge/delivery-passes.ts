// Nothing held the stream that could be seen: events came one by one, or as one step of the engine writes them.
import { ascending, nearestRank } from '../measure/percentile.ts';
import { commonNumbers, ratio, type Finding, type Shape } from './delivery-shape.ts';

const BURSTS_LEAST = 8;
const SINGLE_LEAST_RATIO = 0.8;
const HELD_MOST_RATIO = 0.3;
/** Reads that end inside an event are no engine's, and their text waits for the next. */
const CUT_MOST_RATIO = 0.2;
/** Speculative decoding writes up to so many at once, and now and then one alone. */
const STEP_MOST_COUNT = 8;
const STEP_LEAST_RATIO = 0.9;
const STEP_SINGLE_LEAST_RATIO = 0.1;
const STEP_MOST_NS = 80_000_000;
/** Whatever gathers text for less than this holds nothing that a reader would notice. */
const QUICK_NS = 20_000_000;

export function judgePasses(shape: Shape): Finding | undefined {
  const { bursts, counts, heldRatio, singleRatio } = shape;
  if (shape.cutRatio > CUT_MOST_RATIO) return undefined;
  if (bursts.length < BURSTS_LEAST || heldRatio > HELD_MOST_RATIO || startsTogether(shape)) return undefined;
  const numbers = { ...commonNumbers(shape), singleRatio: Math.round(100 * singleRatio) / 100 };
  const silences = ascending(bursts.slice(1).map((burst) => burst.silenceNs));
  if (singleRatio >= SINGLE_LEAST_RATIO) {
    return { word: 'passes', signs: ['one_by_one'], numbers, ample: bursts.length >= 20 && heldRatio <= 0.05 };
  }
  if (nearestRank(silences, 90) <= QUICK_NS) {
    return { word: 'passes', signs: ['quick'], numbers, ample: false };
  }
  const steps = counts.filter((count) => count <= STEP_MOST_COUNT).length;
  const isSteps = ratio(steps, counts.length) >= STEP_LEAST_RATIO && singleRatio >= STEP_SINGLE_LEAST_RATIO;
  if (!isSteps || nearestRank(silences, 50) > STEP_MOST_NS) return undefined;
  return { word: 'passes', signs: ['steps_of_several_tokens'], numbers, ample: false };
}

/** A first read with many events: a hop may have kept the start, and so may a stall or a lost packet. */
export function startsTogether({ arrivals, counts, bursts }: Shape): boolean {
  return bursts[0] === arrivals.bursts[0] && (counts[0] ?? 0) > STEP_MOST_COUNT && counts.length > 1;
}
