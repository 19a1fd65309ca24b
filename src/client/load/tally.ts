// Lengths of one figure, by nearest rank. Exact as long as they fit; beyond that they go into bands of equal ratio,
// so that a run of days needs no more memory than one of minutes. What failed counts as never, above every length.
import { P95_FROM_COUNT, P99_FROM_COUNT } from '../../measure/percentile.ts';

/** Bands of one doubling: the middle of a band is at most 1/512 away from what fell into it. */
const BANDS_COUNT = 256;
const DOUBLINGS_COUNT = 54;
const FIRST_ROOM_COUNT = 64;

/** `never`: so large a share failed that the rank lies among them. */
export type Rank = number | 'never';

/** How lengths lie. What so few values cannot tell is absent. */
export interface TallySpread {
  readonly count: number;
  /** Of these, how many never came. */
  readonly neverCount: number;
  readonly meanNs?: number;
  readonly p50Ns?: Rank;
  readonly p95Ns?: Rank;
  readonly p99Ns?: Rank;
  readonly maxNs?: Rank;
  /** Values were too many to keep: percentiles are within 0.2 %. */
  readonly banded?: true;
}

export class Tally {
  readonly #exactMaxCount: number;
  #values = new Float64Array(FIRST_ROOM_COUNT);
  #bands: Float64Array | undefined;
  #count = 0;
  #neverCount = 0;
  #sumNs = 0;
  #maxNs = -Infinity;

  constructor(exactMaxCount: number) {
    this.#exactMaxCount = exactMaxCount;
  }

  add(lengthNs: number): void {
    if (this.#bands === undefined && this.#count >= this.#exactMaxCount) this.#toBands();
    if (this.#bands === undefined) this.#keep(lengthNs);
    else this.#band(lengthNs);
    this.#count += 1;
    this.#sumNs += lengthNs;
    this.#maxNs = Math.max(this.#maxNs, lengthNs);
  }

  /** It failed before it came: later than any length. */
  addNever(): void {
    this.#neverCount += 1;
  }

  spread(): TallySpread {
    const count = this.#count + this.#neverCount;
    const sorted = this.#bands === undefined ? this.#values.slice(0, this.#count).sort() : undefined;
    const at = (percent: number): Rank => this.#rank(percent, count, sorted);
    return {
      count,
      neverCount: this.#neverCount,
      ...(this.#count > 0 && { meanNs: Math.round(this.#sumNs / this.#count) }),
      ...(count > 0 && { p50Ns: at(50) }),
      ...(count >= P95_FROM_COUNT && { p95Ns: at(95) }),
      ...(count >= P99_FROM_COUNT && { p99Ns: at(99) }),
      ...(count > 0 && { maxNs: this.#neverCount > 0 ? ('never' as const) : this.#maxNs }),
      ...(this.#bands !== undefined && { banded: true as const }),
    };
  }

  #rank(percent: number, count: number, sorted: Float64Array | undefined): Rank {
    const rank = Math.ceil((percent * count) / 100);
    if (rank > this.#count) return 'never';
    // What never came lies above, so the rank among all is the same among those that came.
    if (sorted !== undefined) return sorted[rank - 1] ?? 0;
    let seenCount = 0;
    for (const [band, inBand] of this.#bands?.entries() ?? []) {
      seenCount += inBand;
      if (seenCount >= rank) return Math.min(this.#maxNs, middleOf(band));
    }
    return this.#maxNs;
  }

  #keep(lengthNs: number): void {
    if (this.#count === this.#values.length) {
      const wider = new Float64Array(Math.min(this.#exactMaxCount, this.#values.length * 2));
      wider.set(this.#values);
      this.#values = wider;
    }
    this.#values[this.#count] = lengthNs;
  }

  #toBands(): void {
    this.#bands = new Float64Array(BANDS_COUNT * DOUBLINGS_COUNT);
    for (const lengthNs of this.#values) this.#band(lengthNs);
    this.#values = new Float64Array(0);
  }

  #band(lengthNs: number): void {
    const band = bandOf(lengthNs);
    if (this.#bands !== undefined) this.#bands[band] = (this.#bands[band] ?? 0) + 1;
  }
}

function bandOf(lengthNs: number): number {
  const least = Math.max(1, lengthNs);
  const doubling = Math.min(DOUBLINGS_COUNT - 1, Math.floor(Math.log2(least)));
  const share = least / 2 ** doubling - 1;
  return doubling * BANDS_COUNT + Math.min(BANDS_COUNT - 1, Math.max(0, Math.floor(share * BANDS_COUNT)));
}

function middleOf(band: number): number {
  const doubling = Math.floor(band / BANDS_COUNT);
  return Math.round(2 ** doubling * (1 + ((band % BANDS_COUNT) + 0.5) / BANDS_COUNT));
}
