// Every step is longer now: more requests share the batch, or there is more context to read. Not one gap stands out,
// those around it are as long; and no longer than the batch and the context have grown since the stream began.
import { medianOf } from '../rank.ts';
import type { CauseFinding } from './verdict.ts';
import type { StallView } from './view.ts';

/** The gaps around it are at least this part of it. */
const STAYS_RATIO = 0.6;
const AROUND_LEAST_COUNT = 4;
const GROWN_RATIO = 1.3;
/** A step grows with the batch at most in proportion, give or take what one step is off. */
const STEP_SLACK = 1.5;
const EXPLAINED_MAX_RATIO = 0.5;

export function findGrowth(view: StallView): CauseFinding | undefined {
  const { context, gapNs, excessNs, prefill, aftermath, paceNs, pausedRatio } = view;
  const { stream, company } = context;
  if (aftermath === 'burst' || stream.usualNs === undefined || paceNs === undefined) return undefined;
  const { gapsBeforeNs, gapsAfterNs } = stream;
  // Either the gaps after it, or those just before it: the last long step of a stream has none after it.
  const stays = [gapsAfterNs, gapsBeforeNs.slice(-AROUND_LEAST_COUNT)].some(
    (gaps) => gaps.length >= AROUND_LEAST_COUNT && medianOf(gaps) >= STAYS_RATIO * gapNs,
  );
  if (!stays) return undefined;
  if (prefill.possibleNs >= EXPLAINED_MAX_RATIO * excessNs || pausedRatio === 0) return undefined;
  const { runningBefore, runningAt, contextBeforeBytes, contextAtBytes } = company;
  const batch = runningAt / Math.max(1, runningBefore);
  const content = (contextAtBytes ?? 0) / Math.max(1, contextBeforeBytes ?? contextAtBytes ?? 1);
  const grown = Math.max(batch, content);
  if (grown < GROWN_RATIO || gapNs / paceNs > STEP_SLACK * grown) return undefined;
  return {
    confidence: pausedRatio === undefined ? 0.75 : 0.85,
    signs: ['stays', batch >= content ? 'batch_grew' : 'context_grew'],
    numbers: { gapMs: gapNs / 1e6, runningBefore, runningAt, grown },
  };
}
