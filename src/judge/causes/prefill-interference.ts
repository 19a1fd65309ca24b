// The engine read somebody else's prompt. Its steps are longer while it does, for every stream in the batch, by what
// reading so much text costs on this route, and at the end of it stands a first token.
import type { CauseFinding } from './verdict.ts';
import { COST_SLACK, TOGETHER_NS } from './prefill-share.ts';
import type { StallView } from './view.ts';

/** Of the excess, so much must be accounted for, by prompts more than by anything else. */
const EXPLAINED_RATIO = 0.5;
/** And so many times what growth explains. */
const AHEAD_FACTOR = 1.2;
/** Of the others, so many must have paused as well: a prompt slows the whole batch. */
const PAUSED_RATIO = 0.6;
/** A prompt that has no first token to show must cost about what the gap was longer by. */
const UNSEEN_COST_LEAST_RATIO = 0.5;
/** Without a known cost, the gap is so many times a plain step, and one beside it at least such a part of it. */
const FAR_LONGER_FACTOR = 3;
const LIKE_RATIO = 0.4;
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
    if (pausedRatio !== undefined) return { confidence: 0.75, signs: ['first_token', ...signs], numbers };
  }
  const reading = signOfReading(view);
  if (reading !== undefined) return { confidence: 0.65, signs: [reading, ...signs], numbers };
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

/**
 * What a prompt costs is not known, but one was under way all the while, and steps are far longer than plain ones
 * for as long as one is, again and again, or up to its first token. What stops an engine does so once.
 */
function signOfReading({ context, excessNs, growthNs }: StallView): string | undefined {
  const { stream, startAtNs, endAtNs, company } = context;
  const { quietStepNs } = company;
  if (quietStepNs === undefined || FAR_LONGER_FACTOR * (quietStepNs + growthNs) > endAtNs - startAtNs) return undefined;
  const underWay = context.arrivals.filter(
    ({ sentAtNs, firstTokenAtNs = Infinity, endedAtNs = Infinity, costNs, resumedAfterNs }) =>
      costNs === undefined &&
      resumedAfterNs === undefined &&
      sentAtNs <= startAtNs &&
      Math.min(firstTokenAtNs, endedAtNs) >= endAtNs - TOGETHER_NS,
  );
  if (underWay.length === 0) return undefined;
  if (underWay.some(({ firstTokenAtNs = Infinity }) => firstTokenAtNs <= endAtNs + TOGETHER_NS))
    return 'up_to_first_token';
  const isLong = (gapNs: number | undefined): boolean => gapNs !== undefined && gapNs >= LIKE_RATIO * excessNs;
  return isLong(stream.gapsAfterNs[0]) || isLong(stream.gapsBeforeNs.at(-1)) ? 'again_while_read' : undefined;
}
