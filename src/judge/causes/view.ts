// A stall with what follows from its context, as all rules look at it: how much longer than usual it was, what the
// stream did right after it, and what shares of it growth and the prompts of others explain. Derives, judges nothing.
import type { StallContext } from '../../record/stall-context.ts';
import { medianOf } from '../rank.ts';
import { aftermathOf, type Aftermath } from './aftermath.ts';
import { grownBy, growthNs } from './growth-share.ts';
import { NO_PREFILL, prefillShare, type PrefillShare } from './prefill-share.ts';
import { passesOf } from './bunches.ts';
import type { WholeStream } from './verdict.ts';

export interface StallView {
  readonly context: StallContext;
  readonly whole: WholeStream | undefined;
  readonly gapNs: number;
  /** Tokens come in passes, several at once or nearly so. */
  readonly isBunched: boolean;
  /** What a step of this stream was as a rule; absent where nobody can say. */
  readonly usualNs: number | undefined;
  /** What of the gap is not usual. */
  readonly excessNs: number;
  /** Of the excess, what stayed: later steps are as much longer. No more than batch and context have grown by. */
  readonly growthNs: number;
  /** How many times the batch or the context is what it was. */
  readonly grown: number;
  /** Of what growth leaves of the excess, what others' prompts explain. */
  readonly prefill: PrefillShare;
  readonly aftermath: Aftermath;
  /** Others that read on at least twice within the gap, also those that then ended in it. */
  readonly wentOnCount: number;
  /** Of the others that did not end within it, those that paused as well; absent without others. */
  readonly pausedRatio: number | undefined;
}

/** Of the latest reads, so many nearly at once after another, or so many with several events, are bunches. */
const BUNCHED_RATIO = 0.3;
const READS_LEAST_COUNT = 8;
const READS_ENOUGH_COUNT = 56;
/** Reads around a stall in the middle of which it stands, where too few came before it. */
const AROUND_LEAST_COUNT = 4;

export function viewOf(context: StallContext, whole?: WholeStream): StallView {
  const { company } = context;
  const gapNs = context.endAtNs - context.startAtNs;
  const isBunched = areBunched(context);
  const usualNs = usualOf(context, isBunched);
  const excessNs = usualNs === undefined ? gapNs : Math.max(0, gapNs - usualNs);
  const grown = grownBy(context);
  const growth = usualNs === undefined ? 0 : Math.min(excessNs, growthNs(context, usualNs));
  const lookedAtCount = company.pausedCount + company.wentOnCount;
  return {
    context,
    whole,
    gapNs,
    isBunched,
    usualNs,
    excessNs,
    growthNs: growth,
    grown,
    prefill: usualNs === undefined ? NO_PREFILL : prefillShare(context, excessNs - growth, usualNs + growth),
    aftermath: aftermathOf(context, usualNs === undefined ? undefined : usualNs + growth, isBunched),
    wentOnCount: company.wentOnCount + (company.endedWithinCount ?? 0),
    pausedRatio: lookedAtCount === 0 ? undefined : company.pausedCount / lookedAtCount,
  };
}

/**
 * The stream's own habit; where it has hardly begun, how it goes on, or that of the others, for they come out of one
 * engine. Reads are counted, not events: one read with all that was missed makes no habit.
 */
function areBunched({ stream, company, startAtNs, endAtNs }: StallContext): boolean {
  const { readCount, nearZeroCount, gapsAfterNs, eventsFromEnd, choiceCount = 1 } = stream;
  // With several choices a step has several events anyway.
  const severalCount = choiceCount > 1 ? 0 : stream.severalCount;
  const isBunched = (reads: number, nearZero: number, several: number): boolean =>
    nearZero >= BUNCHED_RATIO * reads || several >= BUNCHED_RATIO * reads;
  if (readCount >= READS_LEAST_COUNT) return isBunched(readCount, nearZeroCount, severalCount);
  // A stream that had several in its very first read, and in each since, was gathered on its way.
  if (readCount > 0 && severalCount === readCount && (eventsFromEnd[0] ?? 0) > choiceCount) return true;
  const nearZeroAfter =
    gapsAfterNs.length + 1 - passesOf([endAtNs - startAtNs, ...gapsAfterNs], company.quietStepNs).length;
  const severalAfter = eventsFromEnd.slice(1).filter((events) => events > choiceCount).length;
  const reads = readCount + gapsAfterNs.length;
  if (reads >= AROUND_LEAST_COUNT && isBunched(reads, nearZeroCount + nearZeroAfter, severalCount + severalAfter)) {
    return true;
  }
  if (reads >= 2 && 2 * (severalCount + severalAfter) > reads) return true;
  return company.streamCount > 0 && (company.bunchedCount ?? 0) * 2 > company.streamCount;
}

/**
 * A pass where things come in bunches, else the running median. A stream that has hardly begun is used to nothing:
 * it stands against what steps are on this route when the engine has little to do.
 */
function usualOf({ stream, company }: StallContext, isBunched: boolean): number | undefined {
  const { usualNs, passNs, readCount, nearZeroCount, gapsAfterNs } = stream;
  if (!isBunched) return usualNs ?? company.quietStepNs ?? company.usualP50Ns;
  // Large bunches leave room for few passes among the reads that are remembered.
  const isEnough = readCount - nearZeroCount > READS_LEAST_COUNT || readCount >= READS_ENOUGH_COUNT;
  if (usualNs !== undefined && isEnough) return passNs;
  const passes = passesOf(gapsAfterNs);
  return company.quietStepNs ?? passNs ?? company.passP50Ns ?? (passes.length === 0 ? undefined : medianOf(passes));
}
