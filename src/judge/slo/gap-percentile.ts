// A percentile of the exchange's own gaps, by nearest rank. Of too few gaps it would be the worst one under
// another name: p95 needs 20, p99 needs 100, p50 two.
import { nearestRank } from '../../measure/percentile.ts';
import { isLost } from './fate.ts';
import { areGapsDoubtful } from './gaps.ts';
import { type KindRule, MISSED, UNKNOWN, within } from './rule.ts';

export const gapPercentile: KindRule = (objective, subject) => {
  if (isLost(subject.fate)) return MISSED;
  const { percent = 0 } = objective;
  const { count } = subject.figures.gapsReceived;
  if (count * (100 - percent) < 100 || areGapsDoubtful(subject)) return UNKNOWN;
  return within(nearestRank(subject.gapsNs(), percent), objective);
};
