// Which of the two figures of an engine got worse: the time to the first token, the time per token after it, or
// both. The first alone speaks for queue or prefill, the second for the batch, both for capacity.
import type { DiagnosisFacts, DiagnosisPeriod } from './facts.ts';
import type { Moved } from './finding.ts';
import { countAbove, countOf, percentileNs, type LogCounts } from './log-counts.ts';

/** A bucket is 9 % wide, so two of them could differ by chance. */
const MOVED_RATIO = 1.25;
const LEAST_COUNT = 20;
/** A percentile of few values moves by itself: more of them must lie above the old one than so many deviations allow. */
const CHANCE_DEVIATIONS = 3;

export function movedOf({ now, before }: DiagnosisFacts): { readonly moved: Moved; readonly says: string } {
  if (before === undefined) return { moved: 'unknown', says: 'There is no earlier time to compare with yet.' };
  const ttft = changeOf(now.ttft, before.ttft, 95);
  const tpot = changeOf(stepsOf(now), stepsOf(before), 50);
  if (ttft === undefined && tpot === undefined) return { moved: 'unknown', says: 'Too little came to compare.' };
  const [ttftMoved, tpotMoved] = [hasMoved(ttft), hasMoved(tpot)];
  const ratios = `TTFT p95 ${times(ttft)}, time per token p50 ${times(tpot)} of before`;
  if (ttftMoved && tpotMoved) return { moved: 'both', says: `Both figures got worse (${ratios}): capacity.` };
  if (ttftMoved) return { moved: 'ttft', says: `TTFT got worse and tokens did not (${ratios}): queue or prefill.` };
  if (tpotMoved)
    return { moved: 'tpot', says: `Tokens got slower and TTFT did not (${ratios}): the batch, or preemption.` };
  return { moved: 'none', says: `Neither figure got worse (${ratios}).` };
}

/** Time per token needs token counts; without them the gaps stand for it. */
function stepsOf({ tpot, gaps }: DiagnosisPeriod): LogCounts {
  return countOf(tpot) >= LEAST_COUNT ? tpot : gaps;
}

/** A figure now over the one before, and whether more values are above the old one than chance explains. */
interface Change {
  readonly ratio: number;
  readonly isBeyondChance: boolean;
}

function changeOf(now: LogCounts, before: LogCounts, percent: number): Change | undefined {
  const count = countOf(now);
  if (count < LEAST_COUNT || countOf(before) < LEAST_COUNT) return undefined;
  const [a, b] = [percentileNs(now, percent), percentileNs(before, percent)];
  if (a === undefined || b === undefined) return undefined;
  const aboveRatio = 1 - percent / 100;
  const expected = count * aboveRatio;
  const chance = CHANCE_DEVIATIONS * Math.sqrt(expected * (1 - aboveRatio));
  return { ratio: a / b, isBeyondChance: countAbove(now, b) > expected + chance };
}

function hasMoved(change: Change | undefined): boolean {
  return change !== undefined && change.isBeyondChance && change.ratio >= MOVED_RATIO;
}

function times(change: Change | undefined): string {
  return change === undefined ? 'unknown' : `${change.ratio.toFixed(2)} ×`;
}
