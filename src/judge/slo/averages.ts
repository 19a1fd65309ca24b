// A warning for whoever would average percentiles: what that would have said, beside what is so. The average itself
// is never a figure.
import { nearestRank } from '../../measure/percentile.ts';

/** Differences below this share of the true percentile mislead nobody. */
const MISLEADING_SHARE = 0.2;
const NS_PER_MS = 1e6;

/**
 * `ownNs`: a percentile of each exchange's own gaps, in any order. `pooledNs`: all gaps together, ascending. Undefined
 * where the average would be near enough, or there is none.
 */
export function averagesWarning(
  percent: number,
  ownNs: readonly number[],
  pooledNs: readonly number[],
): string | undefined {
  if (ownNs.length < 2 || pooledNs.length === 0) return undefined;
  const meanNs = ownNs.reduce((sumNs, lengthNs) => sumNs + lengthNs, 0) / ownNs.length;
  const trueNs = nearestRank(pooledNs, percent);
  if (Math.abs(meanNs - trueNs) <= MISLEADING_SHARE * trueNs) return undefined;
  return (
    `The mean of the gap p${percent} of ${ownNs.length} exchanges would be ${ms(meanNs)} ms; ` +
    `the p${percent} of all their gaps together is ${ms(trueNs)} ms. Percentiles cannot be averaged.`
  );
}

function ms(lengthNs: number): string {
  return String(Math.round(lengthNs / (NS_PER_MS / 100)) / 100);
}
