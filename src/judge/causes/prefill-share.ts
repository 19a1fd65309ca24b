// How much of a stall the prompts of others explain: by when each was read, and by what reading so much text costs
// on this route. Reads a context, judges nothing.
import type { StallArrival, StallContext } from '../../record/stall-context.ts';

export interface PrefillShare {
  /** By prompts whose first token came in the gap or right after it, and by one whose turn it was. */
  readonly explainedNs: number;
  /** The same with those whose first token is not known, so that they may have been read at any time. */
  readonly possibleNs: number;
  /** Sum of what the prompts cost that explain something; absent where that was not learnt. */
  readonly costNs?: number;
  readonly promptBytes: number;
  /** Some of it is the work of a stream that had been thrown out, done again. */
  readonly isRecompute: boolean;
  /** None of them had come to its first token yet: that it was read then follows from its turn and its cost. */
  readonly isUnfinished: boolean;
}

export const NO_PREFILL: PrefillShare = {
  explainedNs: 0,
  possibleNs: 0,
  promptBytes: 0,
  isRecompute: false,
  isUnfinished: false,
};

/** Prompts may cost so much more than those of like size before. */
export const COST_SLACK = 1.5;
/** First tokens come with the step that ends a gap, give or take their ways. */
export const TOGETHER_NS = 5e6;

interface Window {
  readonly fromNs: number;
  readonly toNs: number;
}

/** `excessNs`: what is to be explained. `stepNs`: a plain step by then. */
export function prefillShare(context: StallContext, excessNs: number, stepNs: number): PrefillShare {
  const { startAtNs, endAtNs, arrivals } = context;
  const known: Window[] = [];
  const all: Window[] = [];
  let costNs: number | undefined = 0;
  let possibleCostNs = 0;
  let promptBytes = 0;
  let isRecompute = false;
  let isUnfinished = true;
  for (const arrival of arrivals) {
    // An engine that threw nobody out did no work again, however long somebody was silent.
    if (arrival.resumedAfterNs !== undefined && context.engine?.preemptedCount === 0) continue;
    const window = clipped(windowOf(arrival, stepNs), startAtNs, endAtNs);
    if (window === undefined) continue;
    all.push(window);
    possibleCostNs += arrival.costNs ?? Infinity;
    if (arrival.firstTokenAtNs === undefined && !isInTurn(arrival)) continue;
    known.push(window);
    const restNs = restOf(arrival, context, stepNs);
    promptBytes += arrival.promptBytes;
    isUnfinished &&= arrival.firstTokenAtNs === undefined;
    isRecompute ||= arrival.resumedAfterNs !== undefined;
    costNs = costNs === undefined || restNs === undefined ? undefined : costNs + restNs;
  }
  // Those that found no room on the list came with the ones that did.
  const leftOutNs = context.arrivalsLeftOut?.costNs ?? 0;
  if (costNs !== undefined && known.length > 0) costNs += leftOutNs;
  possibleCostNs += leftOutNs;
  const within = (windows: readonly Window[], cost: number): number =>
    windows.length === 0 ? 0 : Math.min(excessNs, covered(windows), COST_SLACK * cost);
  return {
    explainedNs: within(known, costNs ?? Infinity),
    possibleNs: within(all, possibleCostNs),
    ...(costNs === undefined || known.length === 0 ? {} : { costNs }),
    promptBytes,
    isRecompute,
    isUnfinished: isUnfinished && known.length > 0,
  };
}

/** What of a prompt's cost is not felt in the gaps after the stall: one that was read then was not read before. */
function restOf({ costNs, firstTokenAtNs }: StallArrival, context: StallContext, stepNs: number): number | undefined {
  if (costNs === undefined) return undefined;
  // In its turn it is read before the stall, in it and after it: its window says for how long.
  if (firstTokenAtNs === undefined) return costNs;
  let atNs = context.endAtNs;
  let feltNs = 0;
  for (const gapNs of context.stream.gapsAfterNs) {
    if (atNs >= firstTokenAtNs - TOGETHER_NS) break;
    atNs += gapNs;
    feltNs += Math.max(0, gapNs - stepNs);
  }
  return Math.max(0, costNs - feltNs);
}

/**
 * A prompt was being read for as long as prompts of its size take, up to its first token: one that waits in a queue
 * is not read. Where the cost was not learnt, it may have been read at any time since it was sent.
 */
export function windowOf(arrival: StallArrival, stepNs: number): Window {
  const { sentAtNs, firstTokenAtNs, endedAtNs, costNs } = arrival;
  if (isInTurn(arrival)) {
    return {
      fromNs: arrival.firstInLineAtNs,
      toNs: arrival.firstInLineAtNs + COST_SLACK * arrival.costNs + 2 * stepNs,
    };
  }
  const toNs = firstTokenAtNs ?? endedAtNs ?? Infinity;
  const longestNs = costNs === undefined || firstTokenAtNs === undefined ? Infinity : COST_SLACK * costNs + 2 * stepNs;
  return { fromNs: toNs === Infinity ? sentAtNs : Math.max(sentAtNs, toNs - longestNs), toNs };
}

/** It is its turn, and what it costs says for how long. */
export function isInTurn(arrival: StallArrival): arrival is StallArrival & { firstInLineAtNs: number; costNs: number } {
  const { firstTokenAtNs, endedAtNs, firstInLineAtNs, costNs } = arrival;
  return (
    firstTokenAtNs === undefined && endedAtNs === undefined && firstInLineAtNs !== undefined && costNs !== undefined
  );
}

/** When it was read is known: by its first token or by its place in line, and by what it costs. */
export function hasTurn(arrival: StallArrival): boolean {
  return isInTurn(arrival) || (arrival.costNs !== undefined && arrival.firstTokenAtNs !== undefined);
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
