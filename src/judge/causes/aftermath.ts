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
/** In less time than this an engine makes nothing that could be missed. */
const MISSED_LEAST_COUNT = 0.5;
const PASSES_LEAST_COUNT = 5;
const MISSED_SINGLE_RATIO = 0.15;

/** `stepNs`: what a step of the stream took by then. */
export function aftermathOf(context: StallContext, stepNs: number | undefined, isBunched: boolean): Aftermath {
  const { stream, company, startAtNs, endAtNs } = context;
  const { gapsAfterNs, eventsFromEnd, isEnd, choiceCount = 1 } = stream;
  const perPass = isBunched ? usualPerPass(context) : choiceCount;
  if (stepNs === undefined || stepNs === 0) return 'unclear';
  const silentCount = Math.max(0, (endAtNs - startAtNs) / stepNs - 1);
  // What an ended stream has missed cannot be more than what came.
  const passesLeft = eventsFromEnd.reduce((sum, _, read) => sum + passesIn(context, read, perPass), 0);
  const missedCount = isEnd === true ? Math.min(silentCount, passesLeft - 1) : silentCount;
  // With less to do than at the stall the engine may be as fast as it ever is.
  const caughtUpCount = caughtUp(context, Math.min(stepNs, company.quietStepNs ?? Infinity), perPass);
  const burstCount = Math.max(Math.min(EXTRA_LEAST_COUNT, Math.max(1, missedCount)), MISSED_BURST_RATIO * missedCount);
  if (silentCount >= MISSED_LEAST_COUNT && caughtUpCount >= burstCount) return 'burst';
  if (gapsAfterNs.length < 2) return 'unclear';
  return caughtUpCount <= Math.max(1, MISSED_SINGLE_RATIO * missedCount) ? 'single' : 'unclear';
}

/** Passes' worth of what came, less the passes that the time since the stall accounts for: at most so many. */
function caughtUp(context: StallContext, stepNs: number, perPass: number): number {
  const { gapsAfterNs, eventsFromEnd } = context.stream;
  let mostCount = -Infinity;
  let passes = 0;
  let elapsedNs = 0;
  for (let read = 0; read < eventsFromEnd.length; read += 1) {
    const gapNs = gapsAfterNs[read - 1] ?? 0;
    elapsedNs += gapNs;
    const isStep = read > 0 && gapNs >= AT_ONCE_PART * stepNs && gapNs <= STILL_AWAY_FACTOR * stepNs;
    if (isStep && (eventsFromEnd[read] ?? 0) <= STEP_EVENTS_FACTOR * perPass) break;
    passes += passesIn(context, read, perPass);
    mostCount = Math.max(mostCount, passes - 1 - elapsedNs / stepNs);
  }
  return mostCount;
}

function passesIn({ stream }: StallContext, read: number, perPass: number): number {
  const { eventsFromEnd, tokensFromEnd } = stream;
  const events = eventsFromEnd[read] ?? 0;
  return (tokensFromEnd === undefined ? events : Math.max(events, tokensOf(tokensFromEnd, read))) / perPass;
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
