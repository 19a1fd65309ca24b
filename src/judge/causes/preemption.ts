// The engine threw this stream out of its batch to make room, and computed all it had again later. It is silent for
// long while others go on, nothing was written meanwhile, and the engine counts it; where nobody can look at the
// engine, the work done again must show: the others' last step before it came back was as long as that work.
import type { CauseFinding } from './verdict.ts';
import type { StallView } from './view.ts';

const WENT_ON_LEAST_RATIO = 0.5;
/** The step that did the work again is so much longer than usual. */
const RECOMPUTE_FACTOR = 1.8;

export function findPreemption(view: StallView): CauseFinding | undefined {
  // Room for this one often comes free by the end of another, which went on up to it.
  const { context, aftermath, gapNs, wentOnCount } = view;
  const { company, engine } = context;
  const { pausedCount, endedWithinCount = 0 } = company;
  if (aftermath === 'burst' || wentOnCount === 0) return undefined;
  if (wentOnCount < WENT_ON_LEAST_RATIO * (wentOnCount + pausedCount)) return undefined;
  const preempted = engine?.preemptedCount;
  if (preempted === 0) return undefined;
  const { wentOnLastGapP50Ns: lastGapNs, usualP50Ns } = company;
  const isRecomputed =
    lastGapNs !== undefined && usualP50Ns !== undefined && lastGapNs >= RECOMPUTE_FACTOR * usualP50Ns;
  const numbers = {
    gapMs: gapNs / 1e6,
    wentOn: wentOnCount,
    ...(preempted === undefined ? {} : { preempted }),
    ...(engine?.kvUsedRatio === undefined ? {} : { kvUsedRatio: engine.kvUsedRatio }),
    ...(lastGapNs === undefined ? {} : { recomputeMs: lastGapNs / 1e6 }),
  };
  const signs = [
    ...(company.wentOnCount > 0 ? ['others_went_on'] : []),
    ...(endedWithinCount > 0 ? ['others_ended'] : []),
    ...(isRecomputed ? ['recompute'] : []),
  ];
  if (preempted !== undefined)
    return { confidence: isRecomputed ? 0.95 : 0.9, signs: ['preempted', ...signs], numbers };
  if (aftermath !== 'single' || !isRecomputed) return undefined;
  return { confidence: 0.7, signs, numbers };
}
