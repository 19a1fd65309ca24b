// The floor has moved: the usual step itself is longer where more streams run or their contexts are longer.
import type { Finding } from './finding.ts';
import { rankOf } from '../rank.ts';
import { leastCorrelation } from './trend.ts';
import { spoken, together, toMs, type DiagnosisView } from './view.ts';

const TOGETHER_LEAST = 0.6;
/** Medians must differ by this much between quiet and busy slices to be worth a word. */
const SPREAD_LEAST_RATIO = 1.2;

export function findGrowth(view: DiagnosisView): Finding | undefined {
  const correlation = together(
    view,
    ({ medianNs }) => medianNs,
    ({ runningCount }) => runningCount,
  );
  const medians = view.busy.map(({ medianNs }) => medianNs);
  const least = Math.max(TOGETHER_LEAST, leastCorrelation(medians.length));
  if (correlation === undefined || correlation < least) return undefined;
  const [low, high] = [rankOf(medians, 10), rankOf(medians, 90)];
  if (high < SPREAD_LEAST_RATIO * low) return undefined;
  const running = view.busy.map(({ runningCount }) => runningCount);
  return {
    cause: 'batch_or_context_growth',
    weight: Math.min(1, correlation * Math.min(1, (high / low - 1) / 0.5)),
    says:
      `The usual gap itself goes from ${spoken(low)} to ${spoken(high)} as ${rankOf(running, 10).toFixed(1)} to ` +
      `${rankOf(running, 90).toFixed(1)} streams run (rank correlation ${correlation.toFixed(2)}).`,
    numbers: { lowMs: toMs(low), highMs: toMs(high), correlation },
  };
}
