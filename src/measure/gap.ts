// Gaps: the time between consecutive reads that carry generated fragments, in ns, at two points.
//   received: first stamp of the read → first stamp of the next
//   flushed:  kernel accepted the read's first chunk with a fragment → the same of the next read
// Which gaps count is the gap meter's to say; here they become figures.
import { GAP_BOUNDS_S, type MetricSpec } from '../base/metric-spec.ts';
import { defined } from './defined.ts';
import type { GapFigures } from './figures.ts';
import { ascending, nearestRank, P95_FROM_COUNT, P99_FROM_COUNT } from './percentile.ts';

export const GAP_POINTS = ['received', 'flushed'] as const;
export type GapPoint = (typeof GAP_POINTS)[number];

/** The figures of one exchange's trusted gaps at one point. */
export function gapFigures(gapsNs: readonly number[]): GapFigures {
  const sorted = ascending(gapsNs);
  const count = sorted.length;
  return {
    count,
    sumNs: sorted.reduce((sumNs, gapNs) => sumNs + gapNs, 0),
    ...defined({
      maxNs: sorted.at(-1),
      minNs: sorted[0],
      p50Ns: count > 0 ? nearestRank(sorted, 50) : undefined,
      p95Ns: count >= P95_FROM_COUNT ? nearestRank(sorted, 95) : undefined,
      p99Ns: count >= P99_FROM_COUNT ? nearestRank(sorted, 99) : undefined,
    }),
  };
}

export const GAP: MetricSpec = {
  name: 'rubato.gap',
  type: 'histogram',
  unit: 's',
  help:
    'Time between consecutive reads with generated fragments: from one received to the next received, or from one ' +
    'handed to the kernel for the client to the next.',
  labels: ['point'],
  classed: true,
  bounds: GAP_BOUNDS_S,
};

export const GAP_MAX: MetricSpec = {
  name: 'rubato.gap.max',
  type: 'histogram',
  unit: 's',
  help: 'Worst gap of an exchange, from one read with generated fragments received to the next; one value an exchange.',
  labels: [],
  classed: true,
  bounds: GAP_BOUNDS_S,
};
