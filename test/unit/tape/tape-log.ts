// What tests of the tape share: a handler that keeps what it is told, and plain entries to write.
import type {
  ChunkEntry,
  ConnectedEntry,
  EndEntry,
  FlushEntry,
  HeadEntry,
  MarkEntry,
  OpenEntry,
  PauseEntry,
  TapeHandler,
} from '../../../src/tape/entries.ts';

export interface RequestBytesEntry {
  readonly exchange: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** One entry as it was told, with the name of its kind. */
export type Told =
  | readonly ['open', OpenEntry]
  | readonly ['requestBytes', RequestBytesEntry]
  | readonly ['mark', MarkEntry]
  | readonly ['connected', ConnectedEntry]
  | readonly ['head', HeadEntry]
  | readonly ['chunk', ChunkEntry]
  | readonly ['flush', FlushEntry]
  | readonly ['end', EndEntry]
  | readonly ['pause', PauseEntry];

/** A handler that passes everything to one function. */
export function handlerOf(tell: (told: Told) => void): TapeHandler {
  return {
    onOpen: (entry) => tell(['open', entry]),
    onRequestBytes: (exchange, offset, bytes) => tell(['requestBytes', { exchange, offset, bytes: plain(bytes) }]),
    onMark: (entry) => tell(['mark', entry]),
    onConnected: (entry) => tell(['connected', entry]),
    onHead: (entry) => tell(['head', entry]),
    onChunk: (entry) =>
      tell(['chunk', entry.bytes === undefined ? entry : { ...entry, bytes: Uint8Array.from(entry.bytes) }]),
    onFlush: (entry) => tell(['flush', entry]),
    onEnd: (entry) => tell(['end', entry]),
    onPause: (entry) => tell(['pause', entry]),
  };
}

/** Buffers and arrays with the same bytes count as equal. */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

export function chunkOf(seq: number, bytes: Uint8Array | undefined, exchange = 1): Omit<ChunkEntry, 'bytesOmitted'> {
  return {
    exchange,
    seq,
    receivedAtNs: 1_000 + seq,
    writtenAtNs: 2_000 + seq,
    errorBoundNs: 30,
    byteCount: bytes?.length ?? 0,
    queuedBytes: 5,
    bytes,
  };
}

export function endOf(exchange: number, reason = ''): EndEntry {
  return {
    exchange,
    atNs: 9_000 + exchange,
    wireEnd: 'complete',
    reason,
    answeredByUs: false,
    chunkCount: 3,
    receivedBytes: 300,
    deliveredBytes: 300,
    requestBytes: 40,
  };
}

/** `length` bytes that differ from their neighbours, so that a shifted copy shows. */
export function pattern(length: number, from = 0): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (from + index * 7) & 0xff);
}
