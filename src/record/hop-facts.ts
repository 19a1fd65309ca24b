// What is known of an exchange that was seen on both sides of a hop: the two curves laid over each other, and
// what differs. Plain data of the outer record, so that a verdict can be recomputed from it.
import type { Outcome, Phase } from '../base/outcome.ts';
import type { Channel } from './kinds.ts';

export const PAIR_BASES = ['trace', 'request', 'response', 'content'] as const;
/** What two sights of an exchange were found by; each is confirmed by content wherever there is any. */
export type PairBasis = (typeof PAIR_BASES)[number];

/** What a hop did to an exchange, beside holding it. Closed set. */
export const HOP_CHANGES = [
  'text_lost', // text that went in did not come out
  'text_added', // text came out that did not go in
  'text_changed', // the texts part somewhere in their middle
  'channel_lost', // a whole channel did not come out (most often reasoning)
  'channel_moved', // the text of one channel came out on another
  'dialect_translated', // another API's words came out than went in
  'usage_lost', // token counts did not come out
  'usage_added',
  'terminal_lost', // the stream's own end mark did not come out
  'events_merged', // fewer events came out, with the same text
  'events_split',
  'comments_dropped', // keep-alive comments or pings did not come out
  'keep_alives_added',
  'accel_buffering_lost', // the field x-accel-buffering did not come out
  'cache_control_lost', // no-cache or no-transform did not come out
  'coding_added', // a content coding was put on
  'coding_removed',
  'length_added', // a stream came out with a length: it was collected whole
  'status_changed',
  'response_id_changed',
  'model_changed',
  'retried', // more than one exchange went in for the one that came out
  'abort_not_passed', // the client left, and the inner exchange was not ended for it
] as const;
export type HopChange = (typeof HOP_CHANGES)[number];

/** The inner exchange, moments on the outer record's clock: ns since the outer request head was received. */
export interface InnerSight {
  /** Its record's id in its own process. */
  readonly id: string;
  readonly openedAtNs: number;
  readonly headWrittenAtNs?: number;
  /** Its last byte was accepted by the kernel, or its cut. */
  readonly endAtNs?: number;
  readonly outcome?: Outcome;
  readonly phase?: Phase;
  readonly eventCount: number;
  readonly receivedBytes: number;
  /** Its own span as a server, for the link between the two; absent when it took no part in a trace. */
  readonly trace?: { readonly traceId: string; readonly serverSpanId: string; readonly sampled: boolean };
}

/**
 * Parallel columns, one entry for each growth of the text on the inner side that was found on the outer side
 * too, in order of time there. Moments as in {@link InnerSight}.
 */
export interface HopCurve {
  readonly channel: readonly Channel[];
  readonly choice: readonly number[];
  /** Code points of that lane, up to and with this growth. */
  readonly endChars: readonly number[];
  /** The inner chunk that completed them was accepted by the kernel, on its way to the hop. */
  readonly innerAtNs: readonly number[];
  /** Body bytes of the inner answer up to and with that chunk. */
  readonly innerBytes: readonly number[];
  /** First stamp of the outer read by which so many characters had come out of the hop. */
  readonly outerAtNs: readonly number[];
}

export const UNPAIRED_REASONS = [
  'not_seen', // no inner exchange could be this one: the hop answered by itself, or what it asked was not seen
  'outside', // ids agree with an exchange of another time: an answer out of a cache
  'content', // ids agree and the texts do not
  'ambiguous', // more than one could be it, or it could be another's
  'crowded', // too many waited
  'peer', // the peer could not be asked
] as const;
/** Why an exchange that was seen before a hop has no pair. Closed set. */
export type UnpairedReason = (typeof UNPAIRED_REASONS)[number];

export interface HopFacts {
  /** Name of the hop, from configuration. */
  readonly name: string;
  readonly pairedBy: PairBasis;
  /** Content was there to confirm the pair by, and did. */
  readonly confirmed: boolean;
  /** Inner exchanges that belong to this one: one, or more when the hop tried again. */
  readonly attemptCount: number;
  readonly inner: InnerSight;
  readonly curve: HopCurve;
  readonly changes: readonly HopChange[];
  /** Half of the interval in which the inner clock's offset lies, in ns; absent where the clock is one. */
  readonly clockErrorNs?: number;
  /** Client left → the inner exchange ended for it; absent unless the client left. */
  readonly abortNs?: number;
}
