// Prefill that slows running streams: gaps are slow in the slices in which more prompts came. Chunks of one size make a
// mode of their own, prompts of all lengths only a tail, so that both are looked at. A mode that goes with nothing is
// told as that; a tail is nobody's.
import type { Finding } from './finding.ts';
import { countAbove } from './log-counts.ts';
import { leastCorrelation } from './trend.ts';
import { percent, spoken, together, toMs, type DiagnosisView } from './view.ts';

/** Rank correlation from which two things go together, however many slices there are. */
const TOGETHER_LEAST = 0.4;
/** Fewer slow gaps do not slow anybody: of 1,000 two. */
const SLOW_LEAST_RATIO = 0.002;

export function findInterference(view: DiagnosisView): Finding | undefined {
  const { shape, slowFromNs, facts, busy } = view;
  if (shape === undefined || slowFromNs === undefined) return undefined;
  const slow = shape.modes.find(({ atNs }) => atNs > shape.main.atNs);
  const slowShare = slow === undefined ? countAbove(facts.now.gaps, slowFromNs) / shape.count : shape.slowRatio;
  if (slowShare < SLOW_LEAST_RATIO) return undefined;
  const withArrivals = together(
    view,
    ({ slowExcess }) => slowExcess,
    ({ slice }) => slice.arrivalCount,
  );
  const withPrompts = together(
    view,
    ({ slowExcess }) => slowExcess,
    ({ slice }) => slice.promptTokens,
  );
  const correlation = Math.max(withArrivals ?? 0, withPrompts ?? 0);
  const numbers = {
    mainMs: toMs(shape.main.atNs),
    ...(slow !== undefined && { slowMs: toMs(slow.atNs) }),
    slowFromMs: toMs(slowFromNs),
    slowShare,
    ...(withArrivals !== undefined && { arrivalCorrelation: withArrivals }),
    ...(withPrompts !== undefined && { promptCorrelation: withPrompts }),
  };
  const usual = `usual ones ${spoken(shape.main.atNs)}`;
  const slowGaps =
    slow === undefined
      ? `${percent(slowShare)} of gaps are longer than ${spoken(slowFromNs)} (${usual})`
      : `${percent(slowShare)} of gaps lie in slower modes (from ${spoken(slow.atNs)}, ${usual})`;
  if (correlation >= Math.max(TOGETHER_LEAST, leastCorrelation(busy.length))) {
    const what = (withPrompts ?? 0) > (withArrivals ?? 0) ? 'prompt tokens arriving' : 'arrivals';
    return {
      cause: 'prefill_interference',
      weight: Math.min(1, 0.2 + correlation),
      says: `${slowGaps}, and more of them do when there are more ${what} (rank correlation ${correlation.toFixed(2)}).`,
      numbers,
    };
  }
  if (slow === undefined) return undefined;
  const says = `${slowGaps}, and nothing that is known rises and falls with them.`;
  return { cause: 'slow_mode_unexplained', weight: 0.3, says, numbers };
}
