// The writing end of the tape, on the relay thread. Never blocks, never notifies, never throws on
// a full ring: it leaves out detail in the steps of the limits and counts each.
import {
  ERROR_BOUND_MAX_NS,
  TAPE_DROP_BYTES_BELOW_RATIO,
  TAPE_DROP_CHUNKS_BELOW_RATIO,
  TAPE_END_BACKLOG_COUNT,
  TAPE_HEAD_BYTES,
} from '../base/limits.ts';
import { FRAMINGS, WIRE_ENDS } from '../base/outcome.ts';
import type { ChunkEntry, ConnectedEntry, EndEntry, HeadEntry, OpenEntry, RawFields } from './entries.ts';
import {
  aligned,
  CHUNK_FLAG,
  CONNECTED_FLAG,
  END_FLAG,
  ENTRY,
  ENTRY_HEADER_BYTES,
  MARK_KINDS,
  OPEN_FLAG,
  PAUSE_CAUSES,
  SLOT,
  type MarkKind,
  type PauseCause,
  type Tape,
} from './layout.ts';

const MARK_NUMBER = new Map<MarkKind, number>(MARK_KINDS.map((kind, index) => [kind, index]));
const NO_SPAN = '0000000000000000';

export class TapeWriter {
  readonly #tape: Tape;
  readonly #text: Buffer;
  readonly #dropBytesBelow: number;
  readonly #dropChunksBelow: number;
  readonly #endBacklog: EndEntry[] = [];
  #head: number;
  #tail: number;

  constructor(tape: Tape) {
    this.#tape = tape;
    this.#text = Buffer.from(tape.u8.buffer, tape.u8.byteOffset, tape.dataBytes);
    this.#dropBytesBelow = tape.dataBytes * TAPE_DROP_BYTES_BELOW_RATIO;
    this.#dropChunksBelow = tape.dataBytes * TAPE_DROP_CHUNKS_BELOW_RATIO;
    this.#head = Atomics.load(tape.control, SLOT.head) >>> 0;
    this.#tail = Atomics.load(tape.control, SLOT.tail) >>> 0;
  }

  open(entry: OpenEntry): void {
    const { trace } = entry;
    const text = joinText(
      [entry.method, entry.target.slice(0, TAPE_HEAD_BYTES), entry.clientAddress],
      cutFields(entry.fields, TAPE_HEAD_BYTES),
    );
    const at = this.#reserve(ENTRY.open, 40 + 80 + text.length, 0);
    if (at < 0) return this.#count(SLOT.lostEntryCount);
    const flags =
      (entry.upgrade ? OPEN_FLAG.upgrade : 0) |
      (entry.http2 ? OPEN_FLAG.http2 : 0) |
      (trace ? OPEN_FLAG.traced : 0) |
      (trace?.sampled ? OPEN_FLAG.sampled : 0) |
      (trace?.parentSpanId ? OPEN_FLAG.parented : 0);
    this.#stamp(at, flags, entry.exchange, text.length);
    const { f64, u32 } = this.#tape;
    const f = (at + ENTRY_HEADER_BYTES) >> 3;
    f64[f] = entry.openedAtNs;
    f64[f + 1] = entry.epochMs;
    const u = (f + 2) << 1;
    u32[u] = entry.routeIndex;
    u32[u + 1] = entry.clientPort;
    u32[u + 2] = entry.localPort;
    u32[u + 3] = Math.min(entry.openedErrorBoundNs, ERROR_BOUND_MAX_NS);
    const idsAt = at + ENTRY_HEADER_BYTES + 40;
    if (trace) {
      const ids = trace.traceId + (trace.parentSpanId ?? NO_SPAN) + trace.serverSpanId + trace.clientSpanId;
      this.#text.write(ids, idsAt, 'latin1');
    }
    this.#text.write(text, idsAt + 80, 'latin1');
    this.#publish();
  }

  /** Bytes of the request body's copy; `offset` is their place in the body. */
  requestBytes(exchange: number, offset: number, bytes: Uint8Array): void {
    const at = this.#reserve(ENTRY.requestBytes, 8 + bytes.length, this.#dropBytesBelow);
    if (at < 0) return this.#count(SLOT.droppedBytesCount);
    this.#stamp(at, 0, exchange, bytes.length);
    this.#tape.f64[(at + ENTRY_HEADER_BYTES) >> 3] = offset;
    this.#tape.u8.set(bytes, at + ENTRY_HEADER_BYTES + 8);
    this.#publish();
  }

  mark(exchange: number, kind: MarkKind, atNs: number, value = 0): void {
    const at = this.#reserve(ENTRY.mark, 16, 0);
    if (at < 0) return this.#count(SLOT.lostEntryCount);
    this.#stamp(at, MARK_NUMBER.get(kind) ?? 0, exchange, 0);
    this.#fill(at, atNs, value);
    this.#publish();
  }

  connected(entry: ConnectedEntry): void {
    const at = this.#reserve(ENTRY.connected, 40, 0);
    if (at < 0) return this.#count(SLOT.lostEntryCount);
    const flags =
      (entry.reused ? CONNECTED_FLAG.reused : 0) |
      (entry.dnsNs === undefined ? 0 : CONNECTED_FLAG.dns) |
      (entry.tcpNs === undefined ? 0 : CONNECTED_FLAG.tcp) |
      (entry.tlsNs === undefined ? 0 : CONNECTED_FLAG.tls) |
      (entry.wireFloorNs === undefined ? 0 : CONNECTED_FLAG.floor);
    this.#stamp(at, flags, entry.exchange, 0);
    this.#fill(at, entry.atNs, entry.dnsNs ?? 0, entry.tcpNs ?? 0, entry.tlsNs ?? 0, entry.wireFloorNs ?? 0);
    this.#publish();
  }

  head(entry: HeadEntry): void {
    const text = joinText([], cutFields(entry.fields, TAPE_HEAD_BYTES));
    const at = this.#reserve(ENTRY.head, 8 + text.length, 0);
    if (at < 0) return this.#count(SLOT.lostEntryCount);
    this.#stamp(at, FRAMINGS.indexOf(entry.framing) | (entry.status << 8), entry.exchange, text.length);
    this.#fill(at, entry.receivedAtNs);
    this.#text.write(text, at + ENTRY_HEADER_BYTES + 8, 'latin1');
    this.#publish();
  }

  /** The hot one: called once a chunk, right after the chunk was written to the client. */
  chunk(entry: Omit<ChunkEntry, 'bytesOmitted'>): void {
    const { bytes } = entry;
    let at = -1;
    let flags = 0;
    let copied = 0;
    if (bytes !== undefined) {
      at = this.#reserve(ENTRY.chunk, 32 + bytes.length, this.#dropBytesBelow);
      if (at < 0) {
        flags = CHUNK_FLAG.bytesOmitted;
        this.#count(SLOT.droppedBytesCount);
      } else copied = bytes.length;
    }
    if (at < 0) at = this.#reserve(ENTRY.chunk, 32, this.#dropChunksBelow);
    if (at < 0) return this.#count(SLOT.droppedChunkCount);
    this.#stamp(at, flags | (bytes === undefined ? 0 : CHUNK_FLAG.bytesWanted), entry.exchange, entry.seq);
    const { f64, u32, u8 } = this.#tape;
    const f = (at + ENTRY_HEADER_BYTES) >> 3;
    f64[f] = entry.receivedAtNs;
    f64[f + 1] = entry.writtenAtNs;
    u32[(f << 1) + 4] = Math.min(entry.errorBoundNs, ERROR_BOUND_MAX_NS);
    u32[(f << 1) + 5] = entry.byteCount;
    u32[(f << 1) + 6] = Math.min(entry.queuedBytes, 0xffff_ffff);
    u32[(f << 1) + 7] = copied;
    if (copied > 0) u8.set(bytes as Uint8Array, at + ENTRY_HEADER_BYTES + 32);
    this.#publish();
  }

  flush(exchange: number, seq: number, atNs: number): void {
    const at = this.#reserve(ENTRY.flush, 8, this.#dropChunksBelow);
    if (at < 0) return this.#count(SLOT.droppedChunkCount);
    this.#stamp(at, 0, exchange, seq);
    this.#fill(at, atNs);
    this.#publish();
  }

  /** An end is never left out: when the ring is full it waits for room. */
  end(entry: EndEntry): void {
    if (this.#endBacklog.length === 0 && this.#writeEnd(entry)) return;
    if (this.#endBacklog.length >= TAPE_END_BACKLOG_COUNT) return this.#count(SLOT.lostEntryCount);
    this.#endBacklog.push(entry);
  }

  /** This thread did not run, or not all of the time. */
  pause(startAtNs: number, endAtNs: number, cause: PauseCause): void {
    const at = this.#reserve(ENTRY.pause, 16, this.#dropChunksBelow);
    if (at < 0) return this.#count(SLOT.droppedChunkCount);
    this.#stamp(at, PAUSE_CAUSES.indexOf(cause), 0, 0);
    this.#fill(at, startAtNs, endAtNs);
    this.#publish();
  }

  /** Writes ends that found the ring full; the heartbeat calls it. */
  retryEnds(): void {
    while (this.#endBacklog.length > 0) {
      if (!this.#writeEnd(this.#endBacklog[0] as EndEntry)) return;
      this.#endBacklog.shift();
    }
  }

  #writeEnd(entry: EndEntry): boolean {
    const reason = entry.reason.slice(0, 64);
    const at = this.#reserve(ENTRY.end, 40 + reason.length, 0);
    if (at < 0) return false;
    const flags = entry.answeredByUs ? END_FLAG.answeredByUs : 0;
    this.#stamp(at, flags | (WIRE_ENDS.indexOf(entry.wireEnd) << 8), entry.exchange, reason.length);
    this.#fill(at, entry.atNs, entry.chunkCount, entry.receivedBytes, entry.deliveredBytes, entry.requestBytes);
    this.#text.write(reason, at + ENTRY_HEADER_BYTES + 40, 'latin1');
    this.#publish();
    return true;
  }

  /**
   * Room for an entry with so many payload bytes, as a byte offset into the data; -1 when less than
   * `keepFreeBytes` would be left. An entry that does not fit before the ring's end goes to its
   * start, behind a pad.
   */
  #reserve(type: number, payloadBytes: number, keepFreeBytes: number): number {
    const { dataBytes, u32 } = this.#tape;
    const entryBytes = aligned(ENTRY_HEADER_BYTES + payloadBytes);
    const at = this.#head & (dataBytes - 1);
    const untilEnd = dataBytes - at;
    const padBytes = untilEnd < entryBytes ? untilEnd : 0;
    const needed = entryBytes + padBytes + keepFreeBytes;
    if (dataBytes - ((this.#head - this.#tail) >>> 0) < needed) {
      this.#tail = Atomics.load(this.#tape.control, SLOT.tail) >>> 0;
      if (dataBytes - ((this.#head - this.#tail) >>> 0) < needed) return -1;
    }
    if (padBytes > 0) {
      // Offsets are multiples of 8, so there is always room for a pad's length and type.
      u32[at >> 2] = padBytes;
      u32[(at >> 2) + 1] = ENTRY.pad;
    }
    const start = padBytes > 0 ? 0 : at;
    u32[start >> 2] = entryBytes;
    u32[(start >> 2) + 1] = type;
    this.#head = (this.#head + padBytes + entryBytes) >>> 0;
    return start;
  }

  /** `flags` are 8 bits, with 16 bits of an entry's own above them. */
  #stamp(at: number, flags: number, exchange: number, aux: number): void {
    const { u32 } = this.#tape;
    const i = at >> 2;
    u32[i + 1] = (u32[i + 1] as number) | (flags << 8);
    u32[i + 2] = exchange;
    u32[i + 3] = aux;
  }

  #fill(at: number, ...values: number[]): void {
    const { f64 } = this.#tape;
    const f = (at + ENTRY_HEADER_BYTES) >> 3;
    for (let i = 0; i < values.length; i += 1) f64[f + i] = values[i] as number;
  }

  #publish(): void {
    Atomics.store(this.#tape.control, SLOT.head, this.#head | 0);
  }

  #count(slot: number): void {
    Atomics.add(this.#tape.control, slot, 1);
  }
}

/** Fields joined by NUL, which no field can hold: the gate and the parsers refuse it. */
function joinText(parts: readonly string[], fields: RawFields): string {
  return parts.concat(fields).join('\0');
}

/** Whole pairs of fields up to a size. */
function cutFields(fields: RawFields, maxBytes: number): RawFields {
  let bytes = 0;
  for (let i = 0; i < fields.length; i += 2) {
    bytes += (fields[i] as string).length + (fields[i + 1] as string).length + 2;
    if (bytes > maxBytes) return fields.slice(0, i);
  }
  return fields;
}
