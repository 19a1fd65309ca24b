// A percentile of all gaps of the class together. It is judged over gaps: so many kept the limit, so many did
// not, and the share of the whole class says whether the percentile keeps it. Percentiles of exchanges are never
// averaged: 1,000 smooth gaps beside 200 with ten stalls have a p99 of their own, not one between two.
import { isLost } from './fate.ts';
import { areGapsDoubtful, countWithin, rankOf, taintedCount } from './gaps.ts';
import type { KindRule, Subject } from './rule.ts';
import type { GapTally, Met } from './verdict.ts';

export const gapPooled: KindRule = (objective, subject) => {
  const { limitNs = 0, percent = 0 } = objective;
  const unknown = taintedCount(subject.figures);
  const { count } = subject.figures.gapsReceived;
  const kept = count === 0 ? 0 : countWithin(subject.gapsNs(), limitNs);
  const gaps: GapTally = { within: kept, beyond: count - kept, unknown };
  if (isLost(subject.fate)) return { met: 'false', gaps };
  // An answer that came in one read has no gap in the pool.
  if (count + unknown === 0) return undefined;
  return { met: standing(subject, gaps, percent), gaps };
};

/** Whether the exchange's own gaps would keep it, however few they are: for its part in goodput. */
function standing(subject: Subject, { within, beyond }: GapTally, percent: number): Met {
  if (within + beyond === 0 || areGapsDoubtful(subject)) return 'unknown';
  return within >= rankOf(percent, within + beyond) ? 'true' : 'false';
}
