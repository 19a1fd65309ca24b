// How much of a stall is there to stay: steps are longer because the batch or its context has grown. The gaps around
// it show a level below which no step falls any more, and no level is higher than the growth itself allows, for a
// step takes at most as many times longer as there is more in it. Reads a context, judges nothing.
import { rankOf } from '../rank.ts';
import type { StallContext } from '../../record/stall-context.ts';

const AROUND_LEAST_COUNT = 3;
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

export function growthNs(context: StallContext, usualNs: number, grown: number): number {
  const { gapsBeforeNs, gapsAfterNs } = context.stream;
  const leastNs = (context.endAtNs - context.startAtNs) / NEAR_ZERO_PART;
  const levels = [gapsAfterNs, gapsBeforeNs.slice(-AROUND_LEAST_COUNT - 1)].map((gaps) => {
    const steps = gaps.filter((gapNs) => gapNs >= leastNs);
    return steps.length >= AROUND_LEAST_COUNT ? rankOf(steps, LEVEL_PERCENT) : 0;
  });
  const levelNs = Math.min(Math.max(...levels), usualNs * Math.max(1, grown * STEP_SLACK));
  // What plain steps with so many streams were before needs no bound.
  return Math.max(0, Math.max(levelNs, context.company.plainStepNs ?? 0) - usualNs);
}
