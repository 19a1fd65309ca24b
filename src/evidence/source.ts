// The contract of a source of evidence: one place in which an engine, in its own words, tells of time
// that nobody can see from outside. A source is a pure function of what was seen of one exchange.
import type { EngineFacts } from '../record/engines.ts';
import type { Evidence, Statements } from '../record/stream-record.ts';

/** What was seen of one exchange. Moments are ns since its request head was received; absent when they did not happen. */
export interface EvidenceSubject {
  readonly engine: EngineFacts | undefined;
  /** Name of the dialect that read the body, `opaque` when none did. */
  readonly dialect: string;
  readonly streamed: boolean;
  /** Different choices seen; per-request times are meaningless or missing with more than one. */
  readonly choiceCount: number;
  /** {@link NOTHING_STATED} when the engine stated nothing. */
  readonly statements: Statements;
  /** The last byte of the request was given to the upstream's socket. */
  readonly requestSentAtNs?: number;
  readonly headReceivedAtNs?: number;
  /** Read that completed the first event of any kind, comments left out. */
  readonly firstEventAtNs?: number;
  /** Read that completed the first event with a generated fragment. */
  readonly firstTokenAtNs?: number;
  readonly lastTokenAtNs?: number;
  /** The client was slow between first and last token, so what came in between may have been received late. */
  readonly heldUp?: true;
  /** The answer ended on the engine's side: its last byte was received. */
  readonly upstreamEndAtNs?: number;
  /** Smallest TCP handshake to this upstream: the least time that a byte takes there and back. */
  readonly wireFloorNs?: number;
}

export const NOTHING_STATED: Statements = {};

/** One row of the table of sources. */
export interface EvidenceSource {
  readonly name: string;
  /** What this source says of the exchange; undefined when it says nothing. Never invents a length. */
  read(subject: EvidenceSubject): Evidence | undefined;
}
