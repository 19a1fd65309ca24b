// How much of a stall is there to stay: steps are longer because the batch or its context has grown. The gaps around
// it show a level below which no step falls any more, and no level is higher than the growth itself allows, for a
// step takes at most as many times longer as there is more in it. Reads a context, judges nothing.
import { rankOf } from '../rank.ts';
import type { StallContext } from '../../record/stall-context.ts';
import { hasTurn, isInTurn, TOGETHER_NS, windowOf } from './prefill-share.ts';

const AROUND_LEAST_COUNT = 3;
const OTHERS_LEAST_COUNT = 2;
/** A prompt that costs less than this part of the gap makes no level. */
const PROMPT_MATTERS_RATIO = 0.2;
/** What one step is off from another. */
const STEP_SLACK = 1.3;
/** No more of the steps around it are shorter than their level. */
const LEVEL_PERCENT = 25;
/** So much context lengthens no step by more than what it takes anyway: an engine reads its weights in each. */
const CONTEXT_FREE_BYTES = 16_384;
/** A level may fall so far when streams end; what falls further was none. */
const FALLS_MOST_FACTOR = 2;
/** Below this part of the gap a read belongs to the step before it. */
const NEAR_ZERO_PART = 16;

/** Against when the stream began; one that has hardly begun stands against the engine with little to do. */
export function grownBy({ stream, company }: StallContext): number {
  const { runningBefore, runningAt, contextBeforeBytes = 0, contextAtBytes = 0, quietRunning } = company;
  if (stream.usualNs === undefined) return runningAt / Math.max(1, quietRunning ?? runningBefore);
  const content = contextFactor(contextBeforeBytes, contextAtBytes);
  return Math.max(runningAt / Math.max(1, runningBefore), content);
}

/** How many times longer a step may be at most for what it has to read of contexts. */
function contextFactor(beforeBytes: number, atBytes: number): number {
  return atBytes / Math.max(CONTEXT_FREE_BYTES, beforeBytes);
}

export function growthNs(context: StallContext, usualNs: number): number {
  const { company, endAtNs, startAtNs } = context;
  const leastNs = (endAtNs - startAtNs) / NEAR_ZERO_PART;
  const reading = readingOf(context, usualNs);
  const levelOf = (gaps: readonly number[]): number => {
    const steps = gaps.filter((gapNs) => gapNs >= leastNs);
    return steps.length >= AROUND_LEAST_COUNT ? rankOf(steps, LEVEL_PERCENT) : 0;
  };
  const after = levelOf(stepsAfter(context, reading));
  const levels = [after, levelOf(stepsBefore(context, reading))];
  // Others are used to that level already; those that have just begun may be used to the reading of prompts alone.
  const { streamCount, passP50Ns = 0 } = company;
  const stays = after === 0 || passP50Ns <= FALLS_MOST_FACTOR * after;
  if (stays && streamCount >= OTHERS_LEAST_COUNT && !reading.isInTurn) levels.push(passP50Ns);
  const levelNs = Math.min(Math.max(...levels), mostNs(context, usualNs));
  // What plain steps with so many streams were before needs no bound.
  return Math.max(0, Math.max(levelNs, company.plainStepNs ?? 0) - usualNs);
}

interface Reading {
  /** A prompt was being read as the stall began, since then; `Infinity` where none is known to have been. */
  readonly sinceNs: number;
  /** The last prompt has been read; the end of the stall at the earliest. */
  readonly untilNs: number;
  /** A prompt whose first token had not come was being read as the stall began. */
  readonly isInTurn: boolean;
}

/** While prompts are read that lengthen a step by enough to matter, no step shows a level. */
function readingOf({ arrivals, startAtNs, endAtNs }: StallContext, stepNs: number): Reading {
  const mattersNs = PROMPT_MATTERS_RATIO * (endAtNs - startAtNs);
  const heavy = arrivals.filter(({ costNs = Infinity }) => costNs >= mattersNs);
  // One without a known cost may have been read at any time since it was sent, or may not.
  const turns = heavy.filter(hasTurn).map((arrival) => windowOf(arrival, stepNs));
  const around = turns.filter(({ fromNs, toNs }) => fromNs <= startAtNs + TOGETHER_NS && toNs > startAtNs);
  const untilNs = heavy.map((arrival) => arrival.firstTokenAtNs ?? (isInTurn(arrival) ? windowOf(arrival, 0).toNs : 0));
  return {
    sinceNs: Math.min(...around.map(({ fromNs }) => fromNs)),
    untilNs: Math.max(endAtNs, ...untilNs),
    isInTurn: heavy.some((arrival) => isInTurn(arrival) && arrival.firstInLineAtNs <= startAtNs + TOGETHER_NS),
  };
}

function stepsAfter({ stream, endAtNs }: StallContext, { untilNs }: Reading): number[] {
  let atNs = endAtNs;
  return stream.gapsAfterNs.filter((gapNs) => {
    const beganAtNs = atNs;
    atNs += gapNs;
    return beganAtNs >= untilNs - TOGETHER_NS;
  });
}

function stepsBefore({ stream, startAtNs }: StallContext, { sinceNs }: Reading): number[] {
  let atNs = startAtNs;
  const before = stream.gapsBeforeNs.toReversed().filter((gapNs) => {
    const endedAtNs = atNs;
    atNs -= gapNs;
    return endedAtNs <= sinceNs + TOGETHER_NS;
  });
  return before.slice(0, AROUND_LEAST_COUNT + 1);
}

/** A step with so many streams takes at most as many times what it took with few. */
function mostNs(context: StallContext, usualNs: number): number {
  const { stream, company } = context;
  const { quietStepNs = 0, quietRunning = 1, runningAt, contextAtBytes = 0 } = company;
  const ofUsual = stream.usualNs === undefined ? 1 : Math.max(1, grownBy(context));
  const ofQuiet = Math.max(1, runningAt / quietRunning, contextFactor(0, contextAtBytes));
  return STEP_SLACK * Math.max(usualNs * ofUsual, quietStepNs * ofQuiet);
}
