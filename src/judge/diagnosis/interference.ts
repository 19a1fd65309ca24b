// Prefill that slows running streams: gaps have a slow mode, and it is fuller in the slices in which more prompts
// came. A slow mode that goes with nothing is told as that.
import type { Finding } from './finding.ts';
import { percent, spoken, together, toMs, type DiagnosisView } from './view.ts';

/** Rank correlation from which two things go together: by chance 1 in 20 of 20 slices reach it. */
const TOGETHER_LEAST = 0.4;

export function findInterference(view: DiagnosisView): Finding | undefined {
  const { shape } = view;
  const slow = shape?.modes.find(({ atNs }) => atNs > shape.main.atNs);
  if (shape === undefined || slow === undefined) return undefined;
  const withArrivals = together(
    view,
    ({ slowRatio }) => slowRatio,
    ({ slice }) => slice.arrivalCount,
  );
  const withPrompts = together(
    view,
    ({ slowRatio }) => slowRatio,
    ({ slice }) => slice.promptTokens,
  );
  const correlation = Math.max(withArrivals ?? 0, withPrompts ?? 0);
  const numbers = {
    mainMs: toMs(shape.main.atNs),
    slowMs: toMs(slow.atNs),
    slowShare: shape.slowRatio,
    ...(withArrivals !== undefined && { arrivalCorrelation: withArrivals }),
    ...(withPrompts !== undefined && { promptCorrelation: withPrompts }),
  };
  const modes = `${percent(shape.slowRatio)} of gaps lie in slower modes (from ${spoken(slow.atNs)}, usual ones ${spoken(shape.main.atNs)})`;
  if (correlation < TOGETHER_LEAST) {
    return {
      cause: 'slow_mode_unexplained',
      weight: 0.3,
      says: `${modes}, and nothing that is known rises and falls with them.`,
      numbers,
    };
  }
  const what = (withPrompts ?? 0) > (withArrivals ?? 0) ? 'prompt tokens arriving' : 'arrivals';
  return {
    cause: 'prefill_interference',
    weight: Math.min(1, 0.2 + correlation),
    says: `${modes}, and more of them do when there are more ${what} (rank correlation ${correlation.toFixed(2)}).`,
    numbers,
  };
}
