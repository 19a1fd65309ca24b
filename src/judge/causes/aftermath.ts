// What came right after a stall: whether the engine went on meanwhile shows in what arrives once the stream is back.
// Reads a context, judges nothing.
import type { StallContext } from '../../record/stall-context.ts';
import { medianOf } from '../rank.ts';
import { passesOf } from './bunches.ts';

export type Aftermath =
  | 'burst' // much of what the silence had missed came at once: it was written, and did not arrive
  | 'single' // one step's worth, as ever: nothing was written meanwhile
  | 'unclear';

/** A gap below this part of a step, or above so many, is no step as ever: what was missed is still coming. */
const AT_ONCE_PART = 0.5;
const STILL_AWAY_FACTOR = 2;
/** A read with more passes' worth than this is none either. */
const STEP_EVENTS_FACTOR = 1.5;
/** More than steps bring: the engine went on for so many at least. */
const EXTRA_LEAST_COUNT = 2;
const MISSED_BURST_RATIO = 0.3;
const PASSES_LEAST_COUNT = 5;
const MISSED_SINGLE_RATIO = 0.15;

/** `stepNs`: what a step of the stream took by then. */
export function aftermathOf(context: StallContext, stepNs: number | undefined, isBunched: boolean): Aftermath {
  const { stream, startAtNs, endAtNs } = context;
  const { gapsAfterNs, eventsFromEnd, tokensFromEnd, choiceCount = 1 } = stream;
  const perPass = isBunched ? usualPerPass(context) : choiceCount;
  if (stepNs === undefined || stepNs === 0) return 'unclear';
  const missedCount = Math.max(0, (endAtNs - startAtNs) / stepNs - 1);
  let caughtUpCount = -Infinity;
  let passes = 0;
  let elapsedNs = 0;
  let read = 0;
  // Passes' worth of what came, less the passes that the time since the stall accounts for.
  do {
    const events = eventsFromEnd[read] ?? 0;
    passes += (tokensFromEnd === undefined ? events : Math.max(events, tokensOf(tokensFromEnd, read))) / perPass;
    caughtUpCount = Math.max(caughtUpCount, passes - 1 - elapsedNs / stepNs);
    const gapAfterNs = gapsAfterNs[read];
    if (gapAfterNs === undefined) break;
    elapsedNs += gapAfterNs;
    read += 1;
    const isStep = gapAfterNs >= AT_ONCE_PART * stepNs && gapAfterNs <= STILL_AWAY_FACTOR * stepNs;
    if (isStep && (eventsFromEnd[read] ?? 0) <= STEP_EVENTS_FACTOR * perPass) break;
  } while (read < eventsFromEnd.length);
  if (
    caughtUpCount >= Math.max(Math.min(EXTRA_LEAST_COUNT, Math.max(1, missedCount)), MISSED_BURST_RATIO * missedCount)
  )
    return 'burst';
  // What an ended stream has missed cannot be more than what came.
  if (gapsAfterNs.length === 0 && caughtUpCount >= EXTRA_LEAST_COUNT) return 'burst';
  if (gapsAfterNs.length < 2) return 'unclear';
  return caughtUpCount <= Math.max(1, MISSED_SINGLE_RATIO * missedCount) ? 'single' : 'unclear';
}

/** Events of a pass; of a stream that has hardly begun, those that follow count as well. */
export function usualPerPass({ stream }: StallContext): number {
  const { eventCount, readCount, nearZeroCount, gapsAfterNs, eventsFromEnd } = stream;
  const passCount = readCount - nearZeroCount;
  if (passCount >= PASSES_LEAST_COUNT) return Math.max(1, eventCount / passCount);
  const after = passesOf(gapsAfterNs).length;
  const events = eventsFromEnd.slice(1).reduce((sum, count) => sum + count, eventCount);
  return Math.max(1, events / Math.max(1, passCount + after));
}

/** Tokens of a read in the events that it had more of than the reads after it usually have. */
function tokensOf(tokensFromEnd: readonly number[], read: number): number {
  const usual = Math.max(1, medianOf(tokensFromEnd.slice(1)));
  return (tokensFromEnd[read] ?? 0) / usual;
}
