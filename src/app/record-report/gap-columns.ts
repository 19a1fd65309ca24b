// Gaps of many exchanges over the time in which they were recorded, in columns that grow wider as that time grows
// longer: bounded, whatever the length of a file. Gaps may come in any order.
import { REPORT_COLUMN_LEAST_MS, REPORT_COLUMNS_MAX_COUNT } from '../../base/report-limits.ts';
import type { GapColumn } from '../../telemetry/live/frame.ts';

type ByClass = Map<string, Uint32Array>;

export class RecordedColumns {
  readonly #edgesNs: readonly number[];
  readonly #maxCount: number;
  #columns = new Map<number, ByClass>();
  #columnMs = REPORT_COLUMN_LEAST_MS;
  #first = Infinity;
  #last = -Infinity;

  constructor(edgesNs: readonly number[], maxCount = REPORT_COLUMNS_MAX_COUNT) {
    this.#edgesNs = edgesNs;
    this.#maxCount = maxCount;
  }

  get columnMs(): number {
    return this.#columnMs;
  }

  add(className: string, endedAtEpochMs: number, gapNs: number): void {
    let column = Math.floor(endedAtEpochMs / this.#columnMs);
    while (Math.max(this.#last, column) - Math.min(this.#first, column) >= this.#maxCount) {
      this.#widen();
      column = Math.floor(column / 2);
    }
    this.#first = Math.min(this.#first, column);
    this.#last = Math.max(this.#last, column);
    const counts = countsOf(this.#columns, { column, className, rowCount: this.#edgesNs.length + 1 });
    const row = rowOf(this.#edgesNs, gapNs);
    counts[row] = (counts[row] ?? 0) + 1;
  }

  /** In order of time; those without a gap are left out. */
  read(): GapColumn[] {
    return [...this.#columns]
      .toSorted(([a], [b]) => a - b)
      .map(([column, byClass]) => ({
        atEpochMs: column * this.#columnMs,
        counts: Object.fromEntries([...byClass].map(([name, counts]) => [name, [...counts]])),
      }));
  }

  /** Two neighbours become one. */
  #widen(): void {
    this.#columnMs *= 2;
    this.#first = Math.floor(this.#first / 2);
    this.#last = Math.floor(this.#last / 2);
    const wider = new Map<number, ByClass>();
    for (const [column, byClass] of this.#columns) {
      for (const [className, counts] of byClass) {
        const sum = countsOf(wider, { column: Math.floor(column / 2), className, rowCount: counts.length });
        counts.forEach((count, row) => (sum[row] = (sum[row] ?? 0) + count));
      }
    }
    this.#columns = wider;
  }
}

interface Place {
  readonly column: number;
  readonly className: string;
  readonly rowCount: number;
}

function countsOf(columns: Map<number, ByClass>, { column, className, rowCount }: Place): Uint32Array {
  let byClass = columns.get(column);
  if (byClass === undefined) columns.set(column, (byClass = new Map()));
  let counts = byClass.get(className);
  if (counts === undefined) byClass.set(className, (counts = new Uint32Array(rowCount)));
  return counts;
}

/** Bounds are inclusive, as in the metric; the last row takes what lies above them all. */
function rowOf(edgesNs: readonly number[], gapNs: number): number {
  const row = edgesNs.findIndex((edgeNs) => gapNs <= edgeNs);
  return row === -1 ? edgesNs.length : row;
}
