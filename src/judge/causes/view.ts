// A stall with what follows from its context, as all rules look at it: how much longer than usual it was, what the
// stream did right after it, and how much of it the prompts of others explain. Derives, judges nothing.
import type { StallArrival, StallContext } from '../../record/stall-context.ts';
import { medianOf } from '../rank.ts';
import type { WholeStream } from './verdict.ts';

/** What came right after the gap. */
export type Aftermath =
  | 'burst' // much of what the silence had missed came at once: it was written, and did not arrive
  | 'single' // one step's worth, as ever: nothing was written meanwhile
  | 'unclear';

export interface PrefillShare {
  /** Of the excess, what others' prompts can account for: by when they were read and by what they cost. */
  readonly explainedNs: number;
  /** The same with those whose first token is not known, so that they may have been read at any time. */
  readonly possibleNs: number;
  /** Sum of what the prompts cost that explain something; absent where that was not learnt. */
  readonly costNs?: number;
  readonly promptBytes: number;
  readonly count: number;
  /** Some of it is the work of a stream that had been thrown out, done again. */
  readonly isRecompute: boolean;
}

export interface StallView {
  readonly context: StallContext;
  readonly whole: WholeStream | undefined;
  readonly gapNs: number;
  /** What this stream's reads are apart as a rule, bunches spread evenly; absent where too few came before. */
  readonly paceNs: number | undefined;
  readonly excessNs: number;
  readonly aftermath: Aftermath;
  readonly prefill: PrefillShare;
  /** Of the others, those that paused as well; absent without others. */
  readonly pausedRatio: number | undefined;
}

/** Prompts may cost so much more than those of like size before. */
export const COST_SLACK = 1.5;
/** What is nearly at once, as a part of the pace. */
const AT_ONCE_PART = 0.5;
/** Bunches: from so large a part of reads on that came nearly at once, the usual gap is no pace. */
const BUNCHED_RATIO = 0.3;

export function viewOf(context: StallContext, whole?: WholeStream): StallView {
  const { stream, company } = context;
  const gapNs = context.endAtNs - context.startAtNs;
  const paceNs = paceOf(context);
  const excessNs = gapNs - Math.min(gapNs, paceNs ?? 0);
  const aloneCount = company.pausedCount + company.wentOnCount;
  const view = { context, whole, gapNs, paceNs, excessNs };
  return {
    ...view,
    aftermath: aftermathOf(stream, gapNs, paceNs),
    prefill: prefillShare(context, excessNs, paceNs ?? 0),
    pausedRatio: aloneCount === 0 ? undefined : company.pausedCount / aloneCount,
  };
}

/** The median gap; where reads come in bunches, the median pass over what a pass brings. */
function paceOf({ stream, company }: StallContext): number | undefined {
  const { usualNs, passNs, gapsBeforeNs, nearZeroCount, readCount } = stream;
  if (passNs !== undefined && readCount >= 8 && nearZeroCount >= BUNCHED_RATIO * readCount) {
    return passNs * (1 - nearZeroCount / readCount);
  }
  if (usualNs !== undefined) return usualNs;
  // A stream that has hardly begun goes at the pace of the batch it came to.
  return company.usualP50Ns ?? (gapsBeforeNs.length >= 3 ? medianOf(gapsBeforeNs) : undefined);
}

function aftermathOf(stream: StallContext['stream'], gapNs: number, paceNs: number | undefined): Aftermath {
  if (paceNs === undefined || paceNs === 0) return 'unclear';
  const { gapsAfterNs, eventsFromEnd, tokensFromEnd } = stream;
  const perRead = Math.max(1, stream.eventCount / Math.max(1, stream.readCount));
  const missedCount = (gapNs / paceNs - 1) * perRead;
  const late = gapsAfterNs.findIndex((afterNs) => afterNs >= AT_ONCE_PART * paceNs);
  const atOnceCount = late === -1 ? gapsAfterNs.length : late;
  const events = sum(eventsFromEnd.slice(0, atOnceCount + 1));
  // Several tokens in an event that usually has one are a bunch as well; their usual number is not known, so
  // the reads after them have to be smaller.
  const tokens = sum(tokensFromEnd?.slice(0, atOnceCount + 1) ?? []);
  const laterTokens = medianOf(tokensFromEnd?.slice(atOnceCount + 1) ?? []);
  const extra = Math.max(events - perRead, laterTokens > 0 ? tokens - laterTokens : 0);
  const isAllAtOnce = late === -1 && gapsAfterNs.length >= 4;
  if (extra >= Math.max(1, missedCount / 2) || (isAllAtOnce && extra >= 4)) return 'burst';
  if (gapsAfterNs.length < 2) return 'unclear';
  return extra <= Math.max(1, perRead, 0.15 * missedCount) ? 'single' : 'unclear';
}

interface Window {
  readonly fromNs: number;
  readonly toNs: number;
}

/**
 * A prompt was being read for as long as prompts of its size take, up to its first token: one that waits in a queue
 * is not read. Where the cost was not learnt, it may have been read at any time since it was sent.
 */
function windowOf({ sentAtNs, firstTokenAtNs, endedAtNs, costNs }: StallArrival, paceNs: number): Window {
  const toNs = firstTokenAtNs ?? endedAtNs ?? Infinity;
  const longestNs = costNs === undefined || firstTokenAtNs === undefined ? Infinity : COST_SLACK * costNs + paceNs;
  return { fromNs: Math.max(sentAtNs, toNs === Infinity ? sentAtNs : toNs - longestNs), toNs };
}

function prefillShare(context: StallContext, excessNs: number, paceNs: number): PrefillShare {
  const { startAtNs, endAtNs, arrivals } = context;
  const known: Window[] = [];
  const all: Window[] = [];
  let costNs: number | undefined = 0;
  let possibleCostNs = 0;
  let promptBytes = 0;
  let isRecompute = false;
  for (const arrival of arrivals) {
    const window = clipped(windowOf(arrival, paceNs), startAtNs, endAtNs);
    if (window === undefined) continue;
    all.push(window);
    possibleCostNs += arrival.costNs ?? Infinity;
    if (arrival.firstTokenAtNs === undefined) continue;
    known.push(window);
    promptBytes += arrival.promptBytes;
    isRecompute ||= arrival.resumedAfterNs !== undefined;
    costNs = costNs === undefined || arrival.costNs === undefined ? undefined : costNs + arrival.costNs;
  }
  const within = (windows: readonly Window[], cost: number): number =>
    windows.length === 0 ? 0 : Math.min(excessNs, covered(windows), COST_SLACK * cost + paceNs);
  return {
    explainedNs: within(known, costNs ?? Infinity),
    possibleNs: within(all, possibleCostNs),
    ...(costNs === undefined || known.length === 0 ? {} : { costNs }),
    promptBytes,
    count: known.length,
    isRecompute,
  };
}

function clipped({ fromNs, toNs }: Window, startAtNs: number, endAtNs: number): Window | undefined {
  const window = { fromNs: Math.max(fromNs, startAtNs), toNs: Math.min(toNs, endAtNs) };
  return window.toNs > window.fromNs ? window : undefined;
}

/** Length of all windows together, what they share counted once. */
function covered(windows: readonly Window[]): number {
  let coveredNs = 0;
  let upToNs = -Infinity;
  for (const { fromNs, toNs } of windows.toSorted((a, b) => a.fromNs - b.fromNs)) {
    coveredNs += Math.max(0, toNs - Math.max(fromNs, upToNs));
    upToNs = Math.max(upToNs, toNs);
  }
  return coveredNs;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
