// The engine's process stood still, or had work of its own between two steps: every stream stops at once and comes
// back at once, one step's worth each, and no prompt accounts for it. Unseen clients would look the same, so the
// engine's own count of requests is asked where it is known; a stream that nobody keeps company needs it.
import type { CauseFinding } from './verdict.ts';
import type { StallView } from './view.ts';

const TOGETHER_RATIO = 0.8;
/** What growth and prompts leave of the excess, at least. */
const LEFT_RATIO = 0.6;
const PASS_RATIO = 0.7;
/** A prompt that costs so many times less is not it, even if its cost is not known well. */
const FAR_TOO_SHORT_FACTOR = 3;
const WAITED_RATIO = 0.6;

export function findHost(view: StallView): CauseFinding | undefined {
  const { context, aftermath, prefill, excessNs, growthNs, isBunched, usualNs, pausedRatio } = view;
  const { company, engine } = context;
  if (aftermath === 'burst' || usualNs === undefined || (isBunched && excessNs < PASS_RATIO * usualNs))
    return undefined;
  if (excessNs - growthNs - prefill.possibleNs < LEFT_RATIO * excessNs) return undefined;
  if (mayBeRead(view)) return undefined;
  const { streamCount, pausedCount, resumedTogetherCount, burstCount, endedWithinCount = 0 } = company;
  // Somebody read on until the end of its own: the engine did not stand still.
  if (endedWithinCount > 0) return undefined;
  const numbers = {
    excessMs: excessNs / 1e6,
    others: streamCount,
    paused: pausedCount,
    together: resumedTogetherCount,
  };
  const running = engine?.runningAfter ?? engine?.runningBefore;
  // The engine runs more than what came through here: their prompts cannot be seen.
  const strangers = running === undefined ? undefined : running > (engine?.presentCount ?? 0);
  if (strangers === true) return undefined;
  if (pausedRatio === undefined) {
    if (aftermath !== 'single' || streamCount > 0 || strangers === undefined || (running ?? 0) > 1) return undefined;
    return { confidence: 0.7, signs: ['alone_in_engine', 'no_arrival'], numbers };
  }
  if (pausedRatio < 1 || pausedCount < streamCount || burstCount > 0) return undefined;
  // A stream that ended right after it shows nothing of its own; the others do.
  if (aftermath === 'unclear' && context.stream.gapsAfterNs.length > 1) return undefined;
  if (resumedTogetherCount < TOGETHER_RATIO * pausedCount) return undefined;
  return { confidence: pausedCount >= 2 ? 0.85 : 0.75, signs: ['all_paused', 'together', 'no_arrival'], numbers };
}

/** Somebody waited all the while, or got a first token with the end of it, whose prompt is not far too short for that. */
function mayBeRead({ context, excessNs }: StallView): boolean {
  const { startAtNs, endAtNs, arrivals } = context;
  return arrivals.some(
    ({ sentAtNs, firstTokenAtNs = Infinity, endedAtNs = Infinity, costNs = Infinity, resumedAfterNs }) => {
      if (resumedAfterNs !== undefined || costNs * FAR_TOO_SHORT_FACTOR < excessNs) return false;
      const overlapNs = Math.min(endAtNs, firstTokenAtNs, endedAtNs) - Math.max(startAtNs, sentAtNs);
      return overlapNs >= WAITED_RATIO * (endAtNs - startAtNs);
    },
  );
}
