// What the parts of the rule of two points look at, and what each of them says. Types only.
import type { HopFacts } from '../../record/hop-facts.ts';
import type { StreamRecord } from '../../record/stream-record.ts';
import type { DeliveryWord, HoldWay } from '../delivery/verdict.ts';
import type { HopRead, Release } from './reads.ts';

export interface HopView {
  readonly record: StreamRecord;
  readonly hop: HopFacts;
  /** In order of their going in; those that a slow client spoiled are left out. */
  readonly reads: readonly HopRead[];
  readonly releases: readonly Release[];
  readonly baseNs: number;
  readonly heldNs: number;
  readonly mattersNs: number;
  /** Of the reads, those that came out with one that went in clearly later. */
  readonly heldReads: ReadonlySet<HopRead>;
}

/** What one part of the rule found. */
export interface HopFinding {
  readonly word: DeliveryWord;
  readonly way?: HoldWay;
  readonly confidence: number;
  readonly signs: readonly string[];
  readonly numbers?: Readonly<Record<string, number>>;
}
