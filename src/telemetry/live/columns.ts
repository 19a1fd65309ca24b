// The heatmap's memory: how many gaps of each length each second brought, by class. Takes the cumulative buckets that
// the metric store keeps anyway and remembers their differences, so that no gap costs anything here.
import { LIVE_COLUMN_MS, LIVE_COLUMNS_MAX_COUNT } from '../../base/live-limits.ts';
import { GAP } from '../../measure/gap.ts';
import { boundsOf, type MetricStore } from '../store.ts';
import type { GapColumn } from './frame.ts';

interface Column {
  readonly atEpochMs: number;
  readonly counts: ReadonlyMap<string, Uint32Array>;
}

/** Upper bounds of the rows; one row more lies above the last. */
export const GAP_EDGES_NS: readonly number[] = boundsOf(GAP);

export class GapColumns {
  readonly #store: MetricStore;
  #columns: Column[] = [];
  /** Columns that were ever made. */
  madeCount = 0;
  /** Cumulative counts by class, as they were at the latest look. */
  #before: ReadonlyMap<string, Float64Array>;

  constructor(store: MetricStore) {
    this.#store = store;
    this.#before = this.#cumulative();
  }

  /**
   * To be called once a column, right after it is over. What came since the call before counts for the column that
   * ended last; when calls are late, columns are missing, and the next one has what came in them.
   */
  look(atEpochMs: number): void {
    const columnAtEpochMs = (Math.floor(atEpochMs / LIVE_COLUMN_MS) - 1) * LIVE_COLUMN_MS;
    // The wall clock was set back: what it says now is the time, and what lies ahead of it is not.
    if ((this.#columns.at(-1)?.atEpochMs ?? 0) >= columnAtEpochMs) {
      this.#columns = this.#columns.filter((column) => column.atEpochMs < columnAtEpochMs);
    }
    const now = this.#cumulative();
    this.#columns.push({ atEpochMs: columnAtEpochMs, counts: differences(now, this.#before) });
    this.#before = now;
    this.madeCount += 1;
    if (this.#columns.length > LIVE_COLUMNS_MAX_COUNT) this.#columns.shift();
  }

  /** Those that were made after so many, as far as they are remembered, the oldest first. */
  after(madeCount: number): GapColumn[] {
    const newCount = Math.min(this.madeCount - madeCount, this.#columns.length);
    return this.#columns.slice(this.#columns.length - newCount).map(({ atEpochMs, counts }) => ({
      atEpochMs,
      counts: Object.fromEntries([...counts].map(([name, each]) => [name, [...each]])),
    }));
  }

  #cumulative(): Map<string, Float64Array> {
    const sums = new Map<string, Float64Array>();
    const { labelNames, histograms } = this.#store.read(GAP);
    const [classAt, pointAt] = [labelNames.indexOf('class'), labelNames.indexOf('point')];
    for (const { labelValues, histogram } of histograms) {
      if (labelValues[pointAt] !== 'received') continue;
      const name = labelValues[classAt] ?? '';
      const sum = sums.get(name);
      if (sum === undefined) sums.set(name, histogram.counts.slice());
      else for (const [row, count] of histogram.counts.entries()) sum[row] = (sum[row] ?? 0) + count;
    }
    return sums;
  }
}

/** Classes without a gap are left out. */
function differences(
  now: ReadonlyMap<string, Float64Array>,
  before: ReadonlyMap<string, Float64Array>,
): Map<string, Uint32Array> {
  const found = new Map<string, Uint32Array>();
  for (const [name, counts] of now) {
    const old = before.get(name);
    const difference = Uint32Array.from(counts, (count, row) => count - (old?.[row] ?? 0));
    if (difference.some((count) => count > 0)) found.set(name, difference);
  }
  return found;
}
