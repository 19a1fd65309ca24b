// What can be said of a stall: who made it, and what led there. The words that all rules of causes share.
import type { StallCause } from '../../record/stall-context.ts';
import type { DeliveryVerdict, HopVerdict } from '../delivery/verdict.ts';

export interface StallVerdict {
  /** Row in the chunk log at which the stall ended, and its length; absent of a stall that was only counted. */
  readonly chunk?: number;
  readonly gapNs?: number;
  readonly cause: StallCause;
  /** 0 to 1: how far the evidence goes. `unknown` has none. */
  readonly confidence: number;
  /** Bounded words: which signs led there; each names its figure in `numbers`. */
  readonly signs: readonly string[];
  /** Named with their unit. */
  readonly numbers: Readonly<Record<string, number>>;
}

/** What one rule has to say. */
export interface CauseFinding {
  readonly confidence: number;
  readonly signs: readonly string[];
  readonly numbers?: Readonly<Record<string, number>>;
}

/** What only a stream that has ended tells. */
export interface WholeStream {
  readonly delivery?: DeliveryVerdict;
  readonly hop?: HopVerdict;
}

/** A stall whose surroundings were not kept: there were too many, or its exchange was lost. */
export const UNJUDGED: StallVerdict = { cause: 'unknown', confidence: 0, signs: ['not_looked_at'], numbers: {} };
