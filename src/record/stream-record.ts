// The frozen account of one exchange: plain data that survives JSON unchanged. Every figure, rule
// and span is computed from it, so whoever has the record can recompute them bit for bit.
// Holds no body, no header value and no query string.
import type { Framing, Outcome, Phase, WireEnd } from '../base/outcome.ts';
import type { ChunkColumns } from './chunk-log.ts';
import type { EventColumns } from './event-log.ts';
import type { EngineFacts } from './engines.ts';
import type { HopFacts } from './hop-facts.ts';
import type { HopSigns } from './hop-signs.ts';
import type { StallContext } from './stall-context.ts';
import type { JobFacts } from './job-facts.ts';
import type { Doubt, EventKind } from './kinds.ts';
import type { AskedObjectives, Objective } from './objective.ts';
import type { RetryFacts } from './retry-facts.ts';

/** Version of this shape. A change that old readers cannot take raises it. */
export const RECORD_SCHEMA = 1;

/**
 * Moments in ns since the request head was received (which is moment 0). A moment that did not
 * happen, or of which we have no stamp, is absent.
 */
export interface Marks {
  /** The last byte of the request was received from the client. */
  uploadEndAtNs?: number;
  /** The admission queue let the request go on; absent where it did not wait. */
  admittedAtNs?: number;
  /** We began to get a connection to the upstream (a kept-alive one is found at once). */
  connectStartAtNs?: number;
  /** A connection to the upstream was ready for bytes. */
  connectedAtNs?: number;
  /** The last byte of the request was given to the upstream's socket. */
  requestSentAtNs?: number;
  /** The response head was received. */
  headReceivedAtNs?: number;
  /** The response head was given to the client's socket. */
  headWrittenAtNs?: number;
  /** The answer ended on the engine's side: its last byte, or the fault that ended it. */
  upstreamEndAtNs?: number;
  /** The exchange ended on the client's side: last byte accepted by the kernel, or the cut. */
  clientEndAtNs?: number;
}

/** How the connection to the upstream was had. Lengths in ns; absent when it was not measured. */
export interface ConnectionFacts {
  readonly reused: boolean;
  /** The kept connection used first ended without an answer, and the request was sent again on a fresh one. */
  readonly retried?: true;
  /** Name look-up: asked → answered. */
  dnsNs?: number;
  /** TCP handshake: SYN → connected. */
  tcpNs?: number;
  /** TLS handshake: connected → secure. */
  tlsNs?: number;
  /** Smallest TCP handshake to this upstream in the last 10 minutes, the floor of the part `wire`. */
  wireFloorNs?: number;
  /** Smallest TCP handshake of this route so far, our own lateness included: the round trip takes no longer. */
  handshakeLeastNs?: number;
}

export interface RequestFacts {
  /** Method as sent, at most 32 characters. */
  readonly method: string;
  /** Path without query, at most 128 characters. */
  readonly path: string;
  /** Version of HTTP that the client spoke; absent when it was 1.1 or 1.0. */
  readonly httpVersion?: '2';
  /** Body bytes received from the client. */
  bodyBytes: number;
  /** Model named in the request; absent when none could be read. */
  model?: string;
  /** The request asked for a stream; absent when that could not be read. */
  stream?: boolean;
  /** Number of choices asked for; absent when not stated. */
  choices?: number;
  /** Limit of output tokens asked for. */
  maxTokens?: number;
  /** UTF-8 bytes of the text given to the model; only known of a request that was copied whole. */
  promptBytes?: number;
  /** Prompt tokens by a ratio of bytes to tokens learnt from earlier usage of this model. An estimate. */
  promptTokensEstimate?: number;
  /** When the client or a hop before us began the request, by its own clock (`x-request-start`), ms since 1970. */
  otherClockStartEpochMs?: number;
  /** The client asked to keep this exchange's chunks (field `x-rubato-keep`). */
  keep?: true;
  /** The request asked a model to generate, by its path, its body or what came of it; so it is demand. */
  generation?: true;
  /** Limits that the client asked for by header; absent when it asked for none. */
  asked?: AskedObjectives;
}

export interface ResponseFacts {
  /** Absent when no head came. */
  status?: number;
  framing?: Framing;
  /** Media type without parameters, lower case, at most 64 characters. */
  mediaType?: string;
  /** Content coding when there is one (`gzip`, …). */
  encoding?: string;
  /** Body bytes received from the engine, transfer coding removed. */
  receivedBytes: number;
  /** Of these, bytes the kernel accepted for the client. */
  deliveredBytes: number;
  /** Chunks received, also those beyond the log. */
  chunkCount: number;
  /** Most bytes that the kernel was seen to hold unacknowledged for the client; absent when never looked at. */
  clientUnackedMaxBytes?: number;
  /** What the head says of hops on the way; absent when it says nothing. */
  hopSigns?: HopSigns;
}

/** Token counts as the engine stated them. What it did not state is absent, never 0. */
export interface TokenFacts {
  prompt?: number;
  cached?: number;
  output?: number;
  reasoning?: number;
  /** What `output` rests on, best first. */
  basis?: 'usage' | 'token_ids' | 'logprobs';
}

/** What the body said, in the dialect's own terms, brought to common ones. */
export interface AnswerFacts {
  /** Name of the dialect that read the body, `opaque` when none did. */
  dialect: string;
  /** The answer came as a stream of events. */
  streamed: boolean;
  /** The stream's own terminal mark came (chat: `[DONE]`, or a finish for every choice seen). */
  terminal: boolean;
  /** The `[DONE]`-like end mark itself came. */
  endMark: boolean;
  /** Nothing marks the end of this dialect's streams: a clean end of the body is theirs. */
  endsByClose?: true;
  /** Finish reasons seen, one a choice, at most 32 characters each. */
  finishReasons: string[];
  /** Different choices seen. */
  choiceCount: number;
  /** Type of an error object in the stream, at most 64 characters; `unknown` when it had none. */
  errorType?: string;
  /** Why the body could not be read: a content coding, `media_type`, `bomb` … */
  unreadable?: string;
  /** Model named in the answer, and the answer's id. Bounded; for spans only. */
  model?: string;
  responseId?: string;
  /** Events by kind; kinds that did not occur are absent. */
  eventCounts: Partial<Record<EventKind, number>>;
}

/** An exchange that got no answer of the engine's has no dialect either. */
export function unansweredFacts(): AnswerFacts {
  return {
    dialect: 'opaque',
    streamed: false,
    terminal: false,
    endMark: false,
    finishReasons: [],
    choiceCount: 0,
    eventCounts: {},
  };
}

/**
 * What the engine said about its time and load in this answer, in its own words and units: the path of
 * the field in the message (`metrics.queue_time_ms`, `timings.prompt_ms`) or, for a field of the
 * response head, `head.` and its lower-case name → the last number it had. What the numbers lie
 * between is for the sources of evidence to know. At most STATEMENTS_MAX_COUNT entries.
 */
export type Statements = Readonly<Record<string, number>>;

/** What one source says about time that we cannot see from outside. Lengths in ns. */
export interface Evidence {
  /** Name of the source, from the table of sources. */
  readonly source: string;
  readonly basis: 'exact' | 'model';
  /** Which two events of the engine the lengths lie between, where that is not quite what the parts mean. */
  readonly definition?: string;
  /** Engine accepted the request → engine began its prefill. */
  readonly queueNs?: number;
  /** Prefill began → first token computed. */
  readonly prefillNs?: number;
  /** Half width of the error band of a modelled value. */
  readonly errorNs?: number;
}

/** The class an exchange belongs to, with the settings that its measures use. */
export interface ClassFacts {
  readonly name: string;
  /** Smallest gap that can be a stall, in ns. */
  readonly stallNs: number;
  /** What was promised of the class when the exchange was opened; absent where nothing was. */
  readonly objectives?: readonly Objective[];
}

/**
 * The relay's thread did not run, or not all of the time: a garbage collection, the CPU taken away, or a clock
 * that stepped. Moments as in {@link Marks}.
 */
export interface Pause {
  readonly startAtNs: number;
  readonly endAtNs: number;
  readonly cause: 'gc' | 'cpu' | 'clock';
  /**
   * How many reads with generated fragments had been measured when this pause became known. It can name the
   * cause of later gaps only, so that a replay says what was said live. Absent: known from the start.
   */
  readonly knownFromRead?: number;
}

export interface TraceFacts {
  readonly traceId: string;
  /** Span of the caller, absent when the trace began here. */
  readonly parentSpanId?: string;
  readonly serverSpanId: string;
  readonly clientSpanId: string;
  readonly sampled: boolean;
  /** `tracestate` as received, at most 512 characters. */
  readonly traceState?: string;
}

export interface StreamRecord {
  readonly schema: typeof RECORD_SCHEMA;
  /** Unique within the process: relay number and exchange number. */
  readonly id: string;
  /** Wall time at which the request head was received, ms since 1970 with fraction. */
  readonly openedAtEpochMs: number;
  /** Upper bound of how late moment 0 was stamped, in ns; absent when it is not known. */
  readonly openedErrorBoundNs?: number;
  readonly route: string;
  /** The hop before which this exchange was seen (`--edge`): its engine's side is that hop. Absent before an engine. */
  readonly edge?: string;
  readonly class: ClassFacts;
  /** Label values frozen at the first token, or at the end when none came. */
  readonly labels: { readonly model: string; readonly promptBucket: string };
  readonly marks: Marks;
  readonly connection?: ConnectionFacts;
  readonly request: RequestFacts;
  readonly response: ResponseFacts;
  readonly answer: AnswerFacts;
  readonly tokens: TokenFacts;
  /** Which engine answered; absent when nothing told. */
  readonly engine?: EngineFacts;
  /** Absent when the engine said nothing of the kind. */
  readonly statements?: Statements;
  readonly evidence: readonly Evidence[];
  readonly chunks: ChunkColumns;
  readonly events: EventColumns;
  /** Intervals in which our socket to the client was blocked: from, to, from, to … in ns. */
  readonly blockedNs: readonly number[];
  /** Pauses of the relay's thread that overlap the exchange. */
  readonly pauses: readonly Pause[];
  /** What went on around its stalls, the first of them, in order of time; absent without any. */
  readonly stalls?: readonly StallContext[];
  readonly end: {
    readonly wire: WireEnd;
    readonly outcome: Outcome;
    readonly phase: Phase;
    /** Bounded word for people: an errno, a TLS reason. Never a text from the wire. */
    readonly reason?: string;
    /** Code of the answer that rubato made itself. */
    readonly code?: string;
  };
  readonly doubts: readonly Doubt[];
  readonly trace?: TraceFacts;
  /** The same exchange as it was seen behind the hop; absent when it was not, or no pair was certain. */
  readonly hop?: HopFacts;
  /** An earlier try of the same request; absent of what asks for something new. */
  readonly retryOf?: RetryFacts;
  /** The batch job it belongs to; absent when its client named none. */
  readonly job?: JobFacts;
}
