// A hop held what the engine had written: what was missed came at once when it let go. Rests on the verdicts of one
// and of two points where they are sure. Many streams are too short for that; then bunches, which an engine that does
// not guess ahead never writes, have to be known of this way, or every stream has to have its own beat, which no
// engine gives them.
import type { CauseFinding } from './verdict.ts';
import type { StallView } from './view.ts';
import { sumOf } from '../sum.ts';

/** Events a read: more than an engine's step has. */
const EVENTS_LEAST_PER_READ = 1.8;
/** What the gap has beyond a usual hold is less than this part of it. */
const BEYOND_RATIO = 0.7;
const IN_STEP_MOST_RATIO = 0.25;
/** Reads with several events beside the one that ended the stall, of all reads around it. */
const AGAIN_LEAST_COUNT = 2;
const AGAIN_LEAST_RATIO = 0.2;
/** Gaps after the stall, or events in them, from which a pace can be taken, and how far the gap may be off it. */
const PACE_LEAST_COUNT = 3;
const PACE_ENOUGH_EVENTS_COUNT = 8;
const OFF_MOST_FACTOR = 1.6;

export function findBuffering(view: StallView): CauseFinding | undefined {
  const { whole, aftermath, context, gapNs, isBunched, excessNs, usualNs = Infinity } = view;
  const isInProportion = comesInProportion(view);
  if (aftermath !== 'burst' && !isInProportion && (!isBunched || excessNs > BEYOND_RATIO * usualNs)) return undefined;
  const { stream, company, engine, deliveries } = context;
  const perRead = eventsPerRead(context);
  const numbers = { gapMs: gapNs / 1e6, eventsAtEnd: stream.eventsFromEnd[0] ?? 0, eventsPerRead: perRead };
  const { hop, delivery } = whole ?? {};
  if (hop?.word === 'holds') {
    return { confidence: Math.min(0.95, hop.confidence), signs: ['two_points', ...hop.signs.slice(0, 2)], numbers };
  }
  if (delivery?.word === 'holds') {
    return {
      confidence: Math.min(0.9, delivery.confidence),
      signs: ['one_point', ...delivery.signs.slice(0, 2)],
      numbers,
    };
  }
  if (delivery?.word === 'passes' || hop?.word === 'passes') return undefined;
  // An engine that is looked at and says nothing of guesses has one event a step.
  const drafts = engine?.draftAcceptedRatio !== undefined;
  const isOneAStep = !drafts && engine?.beforeAtNs !== undefined;
  if (isInProportion && isOneAStep) return { confidence: 0.7, signs: ['again', 'in_proportion'], numbers };
  if (!isBunched || perRead < EVENTS_LEAST_PER_READ) return undefined;
  if (!drafts && deliveries !== undefined && deliveries.heldCount > 0 && deliveries.passedCount === 0) {
    return { confidence: 0.8, signs: ['bunched', 'held_before'], numbers: { ...numbers, held: deliveries.heldCount } };
  }
  if ((company.inStepRatio ?? 1) <= IN_STEP_MOST_RATIO) {
    return { confidence: 0.75, signs: ['bunched', 'own_beat'], numbers };
  }
  return isOneAStep ? { confidence: 0.65, signs: ['bunched', 'no_drafts'], numbers } : undefined;
}

/**
 * Several events came at the end of the gap, and the gap is as many times the pace at which they go on; not for the
 * first time. What was late on its own had come with more, and what the engine was late with, with less.
 */
function comesInProportion({ context, gapNs, growthNs }: StallView): boolean {
  const { severalCount, readCount, gapsAfterNs, eventsFromEnd, choiceCount = 1 } = context.stream;
  const [atEnd = 0, ...after] = eventsFromEnd.map((events) => events / choiceCount);
  if (gapsAfterNs.length < PACE_LEAST_COUNT && sumOf(after) < PACE_ENOUGH_EVENTS_COUNT) return false;
  const several = (choiceCount > 1 ? 0 : severalCount) + after.filter((events) => events > 1).length;
  if (several < AGAIN_LEAST_COUNT || several < AGAIN_LEAST_RATIO * (readCount + after.length)) return false;
  const paceNs = sumOf(gapsAfterNs) / sumOf(after);
  const ratio = gapNs / (atEnd * paceNs);
  return (
    atEnd > 1 &&
    ratio <= OFF_MOST_FACTOR &&
    ratio >= 1 / OFF_MOST_FACTOR &&
    // Of the gap, more is due to there being several than to each being slow.
    (atEnd - 1) * paceNs >= growthNs
  );
}

/** Around the stall: a stream that has hardly begun is known by how it goes on. */
function eventsPerRead({ stream }: StallView['context']): number {
  const { eventCount, readCount, eventsFromEnd, choiceCount = 1 } = stream;
  const events = eventsFromEnd.reduce((sum, count) => sum + count, eventCount);
  return events / (readCount + eventsFromEnd.length) / choiceCount;
}
