// How much of a stall is there to stay: steps are longer because the batch or its context has grown. The gaps around
// it show a level below which no step falls any more, and no level is higher than the growth itself allows, for a
// step takes at most as many times longer as there is more in it. Reads a context, judges nothing.
import { rankOf } from '../rank.ts';
import type { StallContext } from '../../record/stall-context.ts';

const AROUND_LEAST_COUNT = 3;
const OTHERS_LEAST_COUNT = 2;
/** A prompt that costs less than this part of the gap makes no level. */
const PROMPT_MATTERS_RATIO = 0.2;
/** First tokens come with the step that ends a stall, give or take their ways. */
const TOGETHER_NS = 5e6;
/** What one step is off from another. */
const STEP_SLACK = 1.3;
/** No more of the steps around it are shorter than their level. */
const LEVEL_PERCENT = 25;
/** Below this part of the gap a read belongs to the step before it. */
const NEAR_ZERO_PART = 16;

/** Against when the stream began; one that has hardly begun stands against the engine with little to do. */
export function grownBy({ stream, company }: StallContext): number {
  const { runningBefore, runningAt, contextBeforeBytes = 0, contextAtBytes = 0, quietRunning } = company;
  if (stream.usualNs === undefined) return runningAt / Math.max(1, quietRunning ?? runningBefore);
  const content = contextBeforeBytes === 0 ? 1 : contextAtBytes / contextBeforeBytes;
  return Math.max(runningAt / Math.max(1, runningBefore), content);
}

export function growthNs(context: StallContext, usualNs: number): number {
  const { stream, company, endAtNs, startAtNs } = context;
  const leastNs = (endAtNs - startAtNs) / NEAR_ZERO_PART;
  const levels = [stepsAfterPrompts(context), stream.gapsBeforeNs.slice(-AROUND_LEAST_COUNT - 1)].map((gaps) => {
    const steps = gaps.filter((gapNs) => gapNs >= leastNs);
    return steps.length >= AROUND_LEAST_COUNT ? rankOf(steps, LEVEL_PERCENT) : 0;
  });
  // Others are used to that level already.
  if (company.streamCount >= OTHERS_LEAST_COUNT) levels.push(company.passP50Ns ?? 0);
  const levelNs = Math.min(Math.max(...levels), mostNs(context, usualNs));
  // What plain steps with so many streams were before needs no bound.
  return Math.max(0, Math.max(levelNs, company.plainStepNs ?? 0) - usualNs);
}

/** The gaps after the stall in which no prompt was read any more. */
function stepsAfterPrompts({ stream, arrivals, startAtNs, endAtNs }: StallContext): number[] {
  const mattersNs = PROMPT_MATTERS_RATIO * (endAtNs - startAtNs);
  const heavy = arrivals.filter(({ costNs = Infinity }) => costNs >= mattersNs);
  const readUntilNs = Math.max(endAtNs, ...heavy.map(({ firstTokenAtNs = 0 }) => firstTokenAtNs));
  let atNs = endAtNs;
  return stream.gapsAfterNs.filter((gapNs) => {
    const beganAtNs = atNs;
    atNs += gapNs;
    return beganAtNs >= readUntilNs - TOGETHER_NS;
  });
}

/** A step with so many streams takes at most as many times what it took with few. */
function mostNs({ company, stream }: StallContext, usualNs: number): number {
  const {
    quietStepNs,
    quietRunning = 1,
    runningAt,
    runningBefore,
    contextAtBytes = 0,
    contextBeforeBytes = 0,
  } = company;
  const content = contextBeforeBytes === 0 ? 1 : contextAtBytes / contextBeforeBytes;
  const ofUsual = stream.usualNs === undefined ? 1 : Math.max(1, runningAt / Math.max(1, runningBefore), content);
  const ofQuiet = quietStepNs === undefined ? 0 : quietStepNs * Math.max(1, runningAt / quietRunning, content);
  return STEP_SLACK * Math.max(usualNs * ofUsual, ofQuiet);
}
