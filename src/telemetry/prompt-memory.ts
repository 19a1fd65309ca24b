// What recent exchanges of one class and one prompt bucket were like: percentiles of what came, by nearest rank
// over the values themselves, and of all that was asked for, where what failed never came.
import type { Report } from '../judge/report.ts';
import { nearestRank, P95_FROM_COUNT, P99_FROM_COUNT } from '../measure/percentile.ts';
import { RecentValues, type Spread } from './recent-values.ts';

/** A length, or that it never came. */
export type LateNs = number | 'never';

/** Lengths of all demand. A percentile that falls among failures never came. */
export interface DemandSpread {
  readonly count: number;
  readonly neverCount: number;
  readonly p50Ns: LateNs;
  /** Absent below 20. */
  readonly p95Ns?: LateNs;
  /** Absent below 100. */
  readonly p99Ns?: LateNs;
}

/** Of one class, or of one prompt bucket of it. One that has no values is absent. */
export interface PromptSummary {
  readonly ttft?: Spread;
  /** Of all that asked for generation, not of survivors only. */
  readonly ttftOfDemand?: DemandSpread;
  /** Recent gaps of all exchanges together, as received. */
  readonly gap?: Spread;
  /** Percentiles of each exchange's own gaps, one value an exchange that has enough of them. */
  readonly gapP50?: Spread;
  readonly gapP95?: Spread;
  readonly gapP99?: Spread;
  /** The worst gap of each exchange. */
  readonly gapMax?: Spread;
}

export interface PromptMemoryCaps {
  readonly exchangeCount: number;
  readonly gapCount: number;
}

export class PromptMemory {
  readonly #ttft: RecentValues;
  readonly #ttftOfDemand: RecentValues;
  readonly #gaps: RecentValues;
  readonly #gapP50: RecentValues;
  readonly #gapP95: RecentValues;
  readonly #gapP99: RecentValues;
  readonly #gapMax: RecentValues;

  constructor({ exchangeCount, gapCount }: PromptMemoryCaps) {
    const lengths = (): RecentValues => new RecentValues(exchangeCount);
    this.#ttft = lengths();
    this.#ttftOfDemand = lengths();
    this.#gapP50 = lengths();
    this.#gapP95 = lengths();
    this.#gapP99 = lengths();
    this.#gapMax = lengths();
    this.#gaps = new RecentValues(gapCount);
  }

  addGap(gapNs: number): void {
    this.#gaps.add(gapNs);
  }

  addReport({ figures, slo }: Report): void {
    const { ttftNs, gapsReceived } = figures;
    this.#ttft.add(ttftNs);
    if (slo !== undefined) this.#ttftOfDemand.add(ttftNs ?? (slo.never === 'first_token' ? Infinity : undefined));
    this.#gapP50.add(gapsReceived.p50Ns);
    this.#gapP95.add(gapsReceived.p95Ns);
    this.#gapP99.add(gapsReceived.p99Ns);
    this.#gapMax.add(gapsReceived.maxNs);
  }

  read(): PromptSummary {
    const found = {
      ttft: this.#ttft.spread(),
      ttftOfDemand: demandSpread(this.#ttftOfDemand.ascending()),
      gap: this.#gaps.spread(),
      gapP50: this.#gapP50.spread(),
      gapP95: this.#gapP95.spread(),
      gapP99: this.#gapP99.spread(),
      gapMax: this.#gapMax.spread(),
    };
    return Object.fromEntries(Object.entries(found).filter(([, spread]) => spread !== undefined)) as PromptSummary;
  }

  /** In no order. */
  get gapsNs(): readonly number[] {
    return this.#gaps.values();
  }

  /** Each exchange's own gap p99, and all gaps ascending: for a warning to whoever would average the former. */
  gapP99s(): { readonly ownNs: readonly number[]; readonly pooledNs: readonly number[] } {
    return { ownNs: this.#gapP99.values(), pooledNs: this.#gaps.ascending() };
  }
}

function demandSpread(sorted: readonly number[]): DemandSpread | undefined {
  const count = sorted.length;
  if (count === 0) return undefined;
  const late = (percent: number): LateNs => {
    const lengthNs = nearestRank(sorted, percent);
    return lengthNs === Infinity ? 'never' : lengthNs;
  };
  return {
    count,
    neverCount: sorted.filter((lengthNs) => lengthNs === Infinity).length,
    p50Ns: late(50),
    ...(count >= P95_FROM_COUNT && { p95Ns: late(95) }),
    ...(count >= P99_FROM_COUNT && { p99Ns: late(99) }),
  };
}
