// Held by a short timer: a few events at a constant interval, now so many and now one more, because the engine's
// step does not divide the timer's. Drafts vary far more, and where all of them are taken they do not vary at all.
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

const INNER_LEAST = 8;
const EVENTS_LEAST_MEAN = 4;
const SILENCE_LEAST_NS = 90_000_000;
/** Of the bursts, those with one of two neighbouring numbers, and those with the less frequent of the two. */
const TWO_LEAST_RATIO = 0.9;
const SECOND_LEAST_RATIO = 0.15;
const REGULAR_LEAST_RATIO = 0.8;
const LATE_NS = 3_000_000;

export function judgeEven(shape: Shape): Finding | undefined {
  const { inner, innerCounts } = shape;
  if (
    isMostlyCut(shape) ||
    inner.length < INNER_LEAST ||
    ratio(sumOf(innerCounts), innerCounts.length) < EVENTS_LEAST_MEAN
  )
    return undefined;
  const intervalNs = intervalNsOf(shape);
  if (intervalNs < SILENCE_LEAST_NS) return undefined;
  const usual = medianOf(innerCounts);
  const countOf = (count: number): number => innerCounts.filter((one) => one === count).length;
  const second = Math.max(countOf(usual - 1), countOf(usual + 1));
  if (second < inner.length * SECOND_LEAST_RATIO) return undefined;
  if (countOf(usual) + second < inner.length * TWO_LEAST_RATIO) return undefined;
  const spreadNs = LATE_NS + intervalNs / usual / 2;
  const regular = regularBursts(shape, intervalNs, spreadNs);
  if (regular.length < inner.length * REGULAR_LEAST_RATIO) return undefined;
  return {
    word: 'holds',
    way: 'timer',
    signs: ['bursts_at_an_interval', 'one_more_or_less'],
    numbers: { ...commonNumbers(shape), intervalMs: toMs(intervalNs), eventsUsual: usual },
    ample: inner.length >= 2 * INNER_LEAST,
  };
}
