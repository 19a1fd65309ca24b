// Nothing held the stream that could be seen: events came one by one, or as one step of the engine writes them.
import { ascending, nearestRank } from '../../measure/percentile.ts';
import { isSurelyEarly } from '../../record/head-class.ts';
import { isPacedMaybe } from './beat.ts';
import { headCameWithText } from './head.ts';
import { commonNumbers, ratio, type Finding, type Shape } from './shape.ts';

const BURSTS_LEAST = 8;
const BURSTS_AMPLE = 20;
const HELD_LITTLE_RATIO = 0.05;
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
  const { bursts, heldRatio, singleRatio } = shape;
  if (shape.cutRatio > CUT_MOST_RATIO) return undefined;
  if (bursts.length < BURSTS_LEAST || heldRatio > HELD_MOST_RATIO || startsTogether(shape)) return undefined;
  const sign = signOf(shape);
  if (sign === undefined) return undefined;
  const late = headCameWithText(shape);
  const isPaced = isPacedMaybe(shape);
  const isOpen = (late && isHopSeen(shape)) || isPaced;
  return {
    word: isOpen ? 'unsure' : 'passes',
    signs: [sign, ...(late ? ['head_only_with_text'] : []), ...(isPaced ? ['even_beat'] : [])],
    numbers: { ...commonNumbers(shape), singleRatio: Math.round(100 * singleRatio) / 100 },
    ample: sign === 'one_by_one' && bursts.length >= BURSTS_AMPLE && heldRatio <= HELD_LITTLE_RATIO && !late,
  };
}

/** A hop shows, by its name, a coding, or what only a hop does to this engine: that the head is late may be its doing. */
function isHopSeen({ record, arrivals }: Shape): boolean {
  const { hopSigns } = record.response;
  if (arrivals.coded || (hopSigns?.products ?? []).length > 0) return true;
  return isSurelyEarly(record.engine, record.answer.dialect);
}

function signOf({ bursts, counts, singleRatio }: Shape): string | undefined {
  if (singleRatio >= SINGLE_LEAST_RATIO) return 'one_by_one';
  const silences = ascending(bursts.slice(1).map((burst) => burst.silenceNs));
  if (nearestRank(silences, 90) <= QUICK_NS) return 'quick';
  const steps = counts.filter((count) => count <= STEP_MOST_COUNT).length;
  const areSteps = ratio(steps, counts.length) >= STEP_LEAST_RATIO && singleRatio >= STEP_SINGLE_LEAST_RATIO;
  return areSteps && nearestRank(silences, 50) <= STEP_MOST_NS ? 'steps_of_several_tokens' : undefined;
}

/** A first read with many events: a hop may have kept the start, and so may a stall or a lost packet. */
export function startsTogether({ arrivals, counts, bursts }: Shape): boolean {
  return bursts[0] === arrivals.bursts[0] && (counts[0] ?? 0) > STEP_MOST_COUNT && counts.length > 1;
}
