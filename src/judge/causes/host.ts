// The engine's process stood still, or had work of its own between two steps: every stream stops at once and comes
// back at once, one step's worth each, and no prompt accounts for it. Unseen clients would look the same, so the
// engine's own count of requests is asked where it is known; a stream that nobody keeps company needs it.
import { medianOf } from '../rank.ts';
import type { CauseFinding } from './verdict.ts';
import type { StallView } from './view.ts';

const TOGETHER_RATIO = 0.8;
/** Prompts that account for this much leave it open whose the rest is. */
const EXPLAINED_MAX_RATIO = 0.3;
/** The gaps after it are shorter than this part of it: the pause is over. */
const PASSES_RATIO = 0.5;

export function findHost(view: StallView): CauseFinding | undefined {
  const { context, aftermath, prefill, excessNs, gapNs, pausedRatio } = view;
  const { company, stream, engine } = context;
  if (aftermath !== 'single' || prefill.possibleNs >= EXPLAINED_MAX_RATIO * excessNs) return undefined;
  if (medianOf(stream.gapsAfterNs) >= PASSES_RATIO * gapNs) return undefined;
  const { streamCount, pausedCount, resumedTogetherCount, burstCount, runningAt } = company;
  const numbers = {
    excessMs: excessNs / 1e6,
    others: streamCount,
    paused: pausedCount,
    together: resumedTogetherCount,
  };
  const running = engine?.runningAfter ?? engine?.runningBefore;
  // The engine runs more than what came through here: their prompts cannot be seen.
  const strangers = running === undefined ? undefined : running > runningAt + context.arrivals.length;
  if (strangers === true) return undefined;
  if (pausedRatio === undefined) {
    if (streamCount > 0 || strangers === undefined || running !== 1) return undefined;
    return { confidence: 0.7, signs: ['alone_in_engine', 'no_arrival'], numbers };
  }
  if (pausedRatio < 1 || pausedCount < streamCount || burstCount > 0) return undefined;
  if (resumedTogetherCount < TOGETHER_RATIO * pausedCount) return undefined;
  return { confidence: pausedCount >= 2 ? 0.85 : 0.75, signs: ['all_paused', 'together', 'no_arrival'], numbers };
}
