// The latest so many values of one kind, and their spread. Percentiles are taken from the values
// themselves by nearest rank, never from other percentiles.
import { ascending, nearestRank, P95_FROM_COUNT, P99_FROM_COUNT } from '../measure/percentile.ts';

/** Lengths in ns. A percentile of too few values would be the maximum under another name. */
export interface Spread {
  readonly count: number;
  readonly minNs: number;
  readonly p50Ns: number;
  /** Absent below 20 values. */
  readonly p95Ns?: number;
  /** Absent below 100 values. */
  readonly p99Ns?: number;
  readonly maxNs: number;
}

export class RecentValues {
  readonly #values: number[] = [];
  readonly #maxCount: number;
  #next = 0;
  #sorted: readonly number[] | undefined;

  constructor(maxCount: number) {
    this.#maxCount = maxCount;
  }

  /** Adds a value in place of the oldest one; an absent value adds nothing. */
  add(value: number | undefined): void {
    if (value === undefined) return;
    this.#values[this.#next] = value;
    this.#next = (this.#next + 1) % this.#maxCount;
    this.#sorted = undefined;
  }

  /** Sorted once however often somebody asks before the next value comes. */
  ascending(): readonly number[] {
    this.#sorted ??= ascending(this.#values);
    return this.#sorted;
  }

  /** In no order. */
  values(): readonly number[] {
    return this.#values;
  }

  spread(): Spread | undefined {
    const sorted = this.ascending();
    const [minNs] = sorted;
    const maxNs = sorted.at(-1);
    if (minNs === undefined || maxNs === undefined) return undefined;
    const count = sorted.length;
    return {
      count,
      minNs,
      p50Ns: nearestRank(sorted, 50),
      ...(count >= P95_FROM_COUNT && { p95Ns: nearestRank(sorted, 95) }),
      ...(count >= P99_FROM_COUNT && { p99Ns: nearestRank(sorted, 99) }),
      maxNs,
    };
  }
}
