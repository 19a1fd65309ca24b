// The engine read somebody else's prompt. Its steps are longer while it does, for every stream in the batch, by what
// reading so much text costs on this route, and at the end of it stands a first token.
import type { CauseFinding } from './verdict.ts';
import { COST_SLACK } from './prefill-share.ts';
import type { StallView } from './view.ts';

/** Of the excess, so much must be accounted for, by prompts more than by anything else. */
const EXPLAINED_RATIO = 0.5;
/** And so many times what growth explains. */
const AHEAD_FACTOR = 1.2;
/** Of the others, so many must have paused as well: a prompt slows the whole batch. */
const PAUSED_RATIO = 0.6;
/** A prompt that has no first token to show must cost about what the gap was longer by. */
const UNSEEN_COST_LEAST_RATIO = 0.5;
/** Where steps are passes with several tokens each, what tokens come apart by anyway is theirs. */
const PASS_RATIO = 0.7;

export function findPrefillInterference(view: StallView): CauseFinding | undefined {
  const { prefill, excessNs, aftermath, pausedRatio, wentOnCount, context, growthNs, isBunched, usualNs = 0 } = view;
  const { pausedCount } = context.company;
  if (aftermath === 'burst' || excessNs <= 0) return undefined;
  // Who read on, be it until its own end, had steps in which this stream had no part.
  if (pausedCount < PAUSED_RATIO * (pausedCount + wentOnCount)) return undefined;
  if (isBunched && excessNs < PASS_RATIO * usualNs) return undefined;
  const numbers = {
    excessMs: excessNs / 1e6,
    explainedMs: prefill.explainedNs / 1e6,
    promptBytes: prefill.promptBytes,
    ...(prefill.costNs === undefined ? {} : { costMs: prefill.costNs / 1e6 }),
  };
  const signs = [
    ...(pausedRatio === undefined ? [] : ['others_paused']),
    ...(prefill.isRecompute ? ['recompute'] : []),
  ];
  if (prefill.explainedNs >= EXPLAINED_RATIO * excessNs && prefill.explainedNs >= AHEAD_FACTOR * growthNs) {
    if (prefill.costNs !== undefined) {
      if (prefill.isUnfinished) return { confidence: 0.8, signs: ['in_turn', 'cost', ...signs], numbers };
      return { confidence: pausedRatio === undefined ? 0.85 : 0.95, signs: ['first_token', 'cost', ...signs], numbers };
    }
    // Nothing was learnt of costs yet: the prompt was under way all the while, and that is all.
    return pausedRatio === undefined ? undefined : { confidence: 0.75, signs: ['first_token', ...signs], numbers };
  }
  const unseen = context.arrivals.find(
    ({ firstTokenAtNs, sentAtNs, costNs }) =>
      firstTokenAtNs === undefined &&
      sentAtNs >= context.startAtNs - usualNs &&
      costNs !== undefined &&
      COST_SLACK * costNs >= excessNs &&
      UNSEEN_COST_LEAST_RATIO * costNs <= excessNs,
  );
  if (unseen === undefined || pausedRatio === undefined) return undefined;
  return {
    confidence: 0.7,
    signs: ['sent_as_it_began', 'cost', ...signs],
    numbers: { ...numbers, promptBytes: unseen.promptBytes, costMs: (unseen.costNs ?? 0) / 1e6 },
  };
}
