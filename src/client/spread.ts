// Percentiles of a handful of values, and how numbers look to people. Unknown looks like a dash and
// never like a zero.
import { ascending, nearestRank, P95_FROM_COUNT, P99_FROM_COUNT } from '../measure/percentile.ts';

/** How values lie, by nearest rank. What so few values cannot tell is absent. */
export interface Spread {
  readonly count: number;
  readonly p50: number | undefined;
  readonly p95: number | undefined;
  readonly p99: number | undefined;
  readonly max: number | undefined;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = ascending(values);
  const count = sorted.length;
  return {
    count,
    p50: count > 0 ? nearestRank(sorted, 50) : undefined,
    p95: count >= P95_FROM_COUNT ? nearestRank(sorted, 95) : undefined,
    p99: count >= P99_FROM_COUNT ? nearestRank(sorted, 99) : undefined,
    max: sorted.at(-1),
  };
}

const NS_PER_MS = 1e6;
export const ABSENT = '–';

/** Nanoseconds as milliseconds: to 0.1 ms, below 1 ms to the microsecond, so that little is not shown as none. */
export function showMs(ns: number | undefined): string {
  if (ns === undefined) return ABSENT;
  return groupThousands((ns / NS_PER_MS).toFixed(Math.abs(ns) < NS_PER_MS ? 3 : 1));
}

export function showCount(count: number | undefined): string {
  return count === undefined ? ABSENT : groupThousands(String(count));
}

/** Commas by hand: the summary must not depend on the machine's locale. */
function groupThousands(digits: string): string {
  const [whole = '', fraction] = digits.split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
