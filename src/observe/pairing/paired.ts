// What comes of looking for the other sight of an exchange. Types only.
import type { HopFacts, UnpairedReason } from '../../record/hop-facts.ts';

/** What became of an exchange that was seen before a hop; empty for any other. */
export interface Pairing {
  readonly hop?: HopFacts;
  readonly unpaired?: { readonly hop: string; readonly reason: UnpairedReason };
}
