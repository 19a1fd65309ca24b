// Every step is longer now: more requests share the batch, or there is more context to read. Not one gap stands out,
// those around it are as long; and no longer than the batch and the context have grown since the stream began.
import type { CauseFinding } from './verdict.ts';
import type { StallView } from './view.ts';

const EXPLAINED_RATIO = 0.5;
/** And so many times what prompts may explain. */
const AHEAD_FACTOR = 1.2;
/** Of the whole gap, at least. */
const GAP_LEAST_RATIO = 0.2;
/** Where tokens come in passes, what they come apart by anyway is not growth's. */
const PASS_RATIO = 0.7;

export function findGrowth(view: StallView): CauseFinding | undefined {
  const { context, gapNs, excessNs, growthNs, grown, prefill, aftermath, pausedRatio, isBunched, usualNs = 0 } = view;
  if (aftermath === 'burst' || pausedRatio === 0) return undefined;
  if (
    growthNs < GAP_LEAST_RATIO * gapNs ||
    growthNs < EXPLAINED_RATIO * excessNs ||
    growthNs < AHEAD_FACTOR * prefill.possibleNs
  )
    return undefined;
  if (isBunched && growthNs < PASS_RATIO * usualNs) return undefined;
  const { runningBefore, runningAt, quietStepNs } = context.company;
  return {
    confidence: pausedRatio === undefined ? 0.75 : 0.85,
    signs: ['stays', 'grew'],
    numbers: {
      gapMs: gapNs / 1e6,
      growthMs: growthNs / 1e6,
      runningBefore,
      runningAt,
      grown,
      ...(quietStepNs === undefined ? {} : { quietStepMs: quietStepNs / 1e6 }),
    },
  };
}
