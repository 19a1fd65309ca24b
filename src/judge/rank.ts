// Ranks and the most common of a few values, for opinions about streams. Pure.
import { ascending, nearestRank } from '../measure/percentile.ts';

/** The value of this rank; 0 where there are none, which rules ask for only behind a least count. */
export function rankOf(values: readonly number[], percent: number): number {
  return values.length === 0 ? 0 : nearestRank(ascending(values), percent);
}

export function medianOf(values: readonly number[]): number {
  return rankOf(values, 50);
}

/** The one that occurs most often, the first of them where several do; undefined where there is none. */
export function mostCommon<Name extends string>(names: readonly Name[]): Name | undefined {
  const counts = new Map<Name, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}
