// What is known of a hop by now: the running verdict over the latest exchanges seen on both its sides. The
// contract between who keeps it (observe/) and who shows it (telemetry/). Lengths in ns.
import type { HopChange, PairBasis, UnpairedReason } from '../../record/hop-facts.ts';
import type { HopProduct } from '../../record/hop-signs.ts';
import type { DeliveryWord, HoldWay } from '../delivery/verdict.ts';

/** Nearest ranks of values that occurred. */
export interface HopSpread {
  readonly count: number;
  readonly p50Ns: number;
  readonly p95Ns: number;
  readonly maxNs: number;
}

export interface HopState {
  readonly hop: string;
  /** What the latest exchanges together say. */
  readonly word: DeliveryWord;
  readonly way?: HoldWay;
  readonly confidence: number;
  /** Bounded words, as in the verdicts of exchanges. */
  readonly signs: readonly string[];
  /** Medians over the exchanges that are held: the hop's signature (`blockBytes`, `intervalMs`, …). */
  readonly signature: Readonly<Record<string, number>>;
  /** What named itself in the heads of answers that came out of it, in the order in which it was first seen. */
  readonly products: readonly HopProduct[];
  /** Settings that usually cure it, where it holds; for people. */
  readonly cures: readonly string[];
  /** Since the start. */
  readonly pairedCount: number;
  readonly pairedBy: Readonly<Partial<Record<PairBasis, number>>>;
  readonly unpaired: Readonly<Partial<Record<UnpairedReason, number>>>;
  readonly words: Readonly<Partial<Record<DeliveryWord, number>>>;
  readonly changes: Readonly<Partial<Record<HopChange, number>>>;
  /** Of the latest exchanges, as many as `recentCount`. A spread that has no values is absent. */
  readonly recentCount: number;
  /** Largest hold of each. */
  readonly holdMax?: HopSpread;
  /** Median hold of each. */
  readonly holdP50?: HopSpread;
  readonly ttftAdded?: HopSpread;
  readonly gapJitterAdded?: HopSpread;
  /** Client left → the exchange behind the hop was ended for it. */
  readonly abort?: HopSpread;
  /** Half of the interval in which the other side's clock lies, at the latest exchange; absent where the clock is one. */
  readonly clockErrorNs?: number;
}
