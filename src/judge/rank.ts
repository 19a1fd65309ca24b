// Ranks of a few values, for rules that compare sizes and times of one stream. Pure.
import { ascending, nearestRank } from '../measure/percentile.ts';

/** The value of this rank; 0 where there are none, which rules ask for only behind a least count. */
export function rankOf(values: readonly number[], percent: number): number {
  return values.length === 0 ? 0 : nearestRank(ascending(values), percent);
}

export function medianOf(values: readonly number[]): number {
  return rankOf(values, 50);
}
