// The entries of the tape as values. The writer takes their fields, the reader hands them out.
// Moments are ns on the clock that all threads share (base/clock.ts).
import type { Framing, WireEnd } from '../base/outcome.ts';
import type { MarkKind, PauseCause } from './layout.ts';

/** Names and values in turn, as they came over the wire: order, case and repetitions kept. */
export type RawFields = readonly string[];

export interface TraceIds {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits each; the parent is absent when the trace begins here. */
  readonly parentSpanId: string | undefined;
  readonly serverSpanId: string;
  readonly clientSpanId: string;
  readonly sampled: boolean;
}

export interface OpenEntry {
  readonly exchange: number;
  readonly openedAtNs: number;
  /** Upper bound of how late that stamp is, 0 when it is not known. */
  readonly openedErrorBoundNs: number;
  /** Wall time when the head came, for the anchor of this exchange's spans. */
  readonly epochMs: number;
  readonly routeIndex: number;
  readonly clientPort: number;
  readonly localPort: number;
  readonly clientAddress: string;
  readonly method: string;
  readonly target: string;
  readonly fields: RawFields;
  readonly upgrade: boolean;
  /** The client speaks HTTP/2: the exchange is one stream of its connection. */
  readonly http2: boolean;
  readonly trace: TraceIds | undefined;
}

export interface MarkEntry {
  readonly exchange: number;
  readonly kind: MarkKind;
  readonly atNs: number;
  /** Bytes of the request for `uploadEnd`, status for `informational`, else 0. */
  readonly value: number;
}

export interface ConnectedEntry {
  readonly exchange: number;
  readonly atNs: number;
  readonly reused: boolean;
  readonly dnsNs: number | undefined;
  readonly tcpNs: number | undefined;
  readonly tlsNs: number | undefined;
  readonly wireFloorNs: number | undefined;
}

export interface HeadEntry {
  readonly exchange: number;
  readonly receivedAtNs: number;
  readonly status: number;
  readonly framing: Framing;
  readonly fields: RawFields;
}

export interface ChunkEntry {
  readonly exchange: number;
  /** Number of the chunk within its exchange, from 0. */
  readonly seq: number;
  readonly receivedAtNs: number;
  readonly writtenAtNs: number;
  readonly errorBoundNs: number;
  readonly byteCount: number;
  readonly queuedBytes: number;
  /** The chunk's bytes, good only during the call; undefined when they were not wanted or left out. */
  readonly bytes: Uint8Array | undefined;
  /** The bytes were wanted and left out because the tape was nearly full. */
  readonly bytesOmitted: boolean;
}

export interface FlushEntry {
  readonly exchange: number;
  readonly seq: number;
  readonly atNs: number;
}

export interface EndEntry {
  readonly exchange: number;
  /** The exchange ended on the client's side: last byte accepted by the kernel, or the cut. */
  readonly atNs: number;
  readonly wireEnd: WireEnd;
  /** Bounded word: errno or TLS code; empty when there is none. */
  readonly reason: string;
  /** The client got an answer made by rubato. */
  readonly answeredByUs: boolean;
  readonly chunkCount: number;
  readonly receivedBytes: number;
  readonly deliveredBytes: number;
  readonly requestBytes: number;
}

/** The relay's thread did not run, or not all of the time. */
export interface PauseEntry {
  readonly startAtNs: number;
  readonly endAtNs: number;
  readonly cause: PauseCause;
}

/** One call an entry, in the order of writing. */
export interface TapeHandler {
  onOpen(entry: OpenEntry): void;
  /** These bytes are the receiver's to keep. */
  onRequestBytes(exchange: number, offset: number, bytes: Uint8Array): void;
  onMark(entry: MarkEntry): void;
  onConnected(entry: ConnectedEntry): void;
  onHead(entry: HeadEntry): void;
  onChunk(entry: ChunkEntry): void;
  onFlush(entry: FlushEntry): void;
  onEnd(entry: EndEntry): void;
  onPause(entry: PauseEntry): void;
}
