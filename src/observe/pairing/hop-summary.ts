// The running verdict of each hop: what the latest exchanges that were seen on both its sides say together. One
// exchange may stumble over anything; a hop that holds does it again and again. Bounded in hops and exchanges.
import { HOP_EXCHANGES_KEPT_COUNT, HOPS_MAX_COUNT } from '../../base/pairing-limits.ts';
import type { DeliveryWord, HopVerdict } from '../../judge/delivery/verdict.ts';
import { curesFor } from '../../judge/hop/cures.ts';
import type { HopSpread, HopState } from '../../judge/hop/state.ts';
import type { Report, Sink } from '../../judge/report.ts';
import { defined } from '../../measure/defined.ts';
import { ascending, nearestRank } from '../../measure/percentile.ts';
import type { HopChange, HopFacts, PairBasis, UnpairedReason } from '../../record/hop-facts.ts';
import type { HopProduct } from '../../record/hop-signs.ts';
import { opinionOf } from './hop-opinion.ts';

type Counts<Name extends string> = Partial<Record<Name, number>>;

interface Judged {
  readonly facts: HopFacts;
  readonly verdict: HopVerdict | undefined;
}

export class HopSummary implements Sink {
  readonly name = 'hops';
  readonly #hops = new Map<string, HopMemory>();

  onReport({ record, hop: verdict, unpaired }: Report): void {
    const products = record.response.hopSigns?.products ?? [];
    if (record.hop !== undefined) this.#memoryOf(record.hop.name)?.addPair({ facts: record.hop, verdict }, products);
    else if (unpaired !== undefined) this.#memoryOf(unpaired.hop)?.addUnpaired(unpaired.reason);
  }

  /** By name. */
  states(): HopState[] {
    return [...this.#hops].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([hop, memory]) => memory.read(hop));
  }

  /** Hops are named by configuration; one process sees a handful, whatever was configured in between. */
  #memoryOf(hop: string): HopMemory | undefined {
    const known = this.#hops.get(hop);
    if (known !== undefined || this.#hops.size >= HOPS_MAX_COUNT) return known;
    const made = new HopMemory();
    this.#hops.set(hop, made);
    return made;
  }
}

class HopMemory {
  readonly #recent: Judged[] = [];
  readonly #pairedBy: Counts<PairBasis> = {};
  readonly #unpaired: Counts<UnpairedReason> = {};
  readonly #words: Counts<DeliveryWord> = {};
  readonly #changes: Counts<HopChange> = {};
  /** Of a closed set of names. */
  readonly #products = new Set<HopProduct>();
  #pairedCount = 0;

  addPair(judged: Judged, products: readonly HopProduct[]): void {
    const { facts, verdict } = judged;
    this.#pairedCount += 1;
    for (const product of products) this.#products.add(product);
    count(this.#pairedBy, facts.pairedBy);
    for (const change of facts.changes) count(this.#changes, change);
    if (verdict !== undefined) count(this.#words, verdict.word);
    // The curve stays with the record; here only what was made of it counts.
    this.#recent.push({ facts: { ...facts, curve: NO_CURVE }, verdict });
    if (this.#recent.length > HOP_EXCHANGES_KEPT_COUNT) this.#recent.shift();
  }

  addUnpaired(reason: UnpairedReason): void {
    count(this.#unpaired, reason);
  }

  read(hop: string): HopState {
    const verdicts = this.#recent.flatMap(({ verdict }) => verdict ?? []);
    const spread = (of: (verdict: HopVerdict) => number | undefined): HopSpread | undefined =>
      spreadOf(verdicts.flatMap((verdict) => of(verdict) ?? []));
    const opinion = opinionOf(verdicts);
    const products = [...this.#products];
    return {
      hop,
      ...opinion,
      products,
      cures: opinion.way === undefined ? [] : curesFor(opinion.way, products),
      pairedCount: this.#pairedCount,
      pairedBy: { ...this.#pairedBy },
      unpaired: { ...this.#unpaired },
      words: { ...this.#words },
      changes: { ...this.#changes },
      recentCount: this.#recent.length,
      ...defined({
        holdMax: spread(({ holdMaxNs }) => holdMaxNs),
        holdP50: spread(({ holdP50Ns }) => holdP50Ns),
        ttftAdded: spread(({ ttftAddedNs }) => ttftAddedNs),
        gapJitterAdded: spread(({ gapJitterAddedNs }) => gapJitterAddedNs),
        abort: spreadOf(this.#recent.flatMap(({ facts }) => facts.abortNs ?? [])),
        clockErrorNs: this.#recent.at(-1)?.facts.clockErrorNs,
      }),
    };
  }
}

const NO_CURVE: HopFacts['curve'] = {
  channel: [],
  choice: [],
  endChars: [],
  innerAtNs: [],
  innerBytes: [],
  outerAtNs: [],
};

function count<Name extends string>(counts: Counts<Name>, name: Name): void {
  counts[name] = ((counts[name] as number | undefined) ?? 0) + 1;
}

function spreadOf(values: readonly number[]): HopSpread | undefined {
  if (values.length === 0) return undefined;
  const sorted = ascending(values);
  return {
    count: sorted.length,
    p50Ns: nearestRank(sorted, 50),
    p95Ns: nearestRank(sorted, 95),
    maxNs: nearestRank(sorted, 100),
  };
}
