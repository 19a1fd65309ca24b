// Bins of a distribution as the corners of a staircase. Bins that are empty are left out of what is told, so a way
// down and up again is put between those that do not touch. Pure.
import type { GapHistogram } from '../../telemetry/live/frame.ts';

const NS_PER_MS = 1e6;
/** The first bin takes all that is shorter and begins at 0, which has no place on a logarithmic scale. */
const FIRST_FROM_RATIO = 0.8;

export interface HistogramColumns {
  /** Where each step begins, ascending. */
  readonly edgesMs: number[];
  readonly counts: number[];
}

export function histogramColumns(bins: GapHistogram['bins']): HistogramColumns {
  const edgesMs: number[] = [];
  const counts: number[] = [];
  let endNs: number | undefined;
  for (const { fromNs: binFromNs, toNs, count } of bins) {
    const fromNs = binFromNs > 0 ? binFromNs : toNs * FIRST_FROM_RATIO;
    if (endNs !== undefined && fromNs > endNs) {
      edgesMs.push(endNs / NS_PER_MS);
      counts.push(0);
    }
    edgesMs.push(fromNs / NS_PER_MS);
    counts.push(count);
    endNs = toNs;
  }
  if (endNs !== undefined) {
    edgesMs.push(endNs / NS_PER_MS);
    counts.push(0);
  }
  return { edgesMs, counts };
}
