// The reading end of the tape, on the main thread. Reads at its own pace; what it has read is free
// for the writer at once, so every byte that outlives the call is copied out.
import { FRAMINGS, WIRE_ENDS } from '../base/outcome.ts';
import type { RawFields, TapeHandler, TraceIds } from './entries.ts';
import {
  CHUNK_FLAG,
  CONNECTED_FLAG,
  END_FLAG,
  ENTRY,
  ENTRY_HEADER_BYTES,
  MARK_KINDS,
  OPEN_FLAG,
  PAUSE_CAUSES,
  SLOT,
  type Tape,
} from './layout.ts';

/** A read of the relay; the scratch grows should a chunk ever be larger. */
const SCRATCH_BYTES = 64 * 1024;

export class TapeReader {
  readonly #tape: Tape;
  readonly #text: Buffer;
  /** Holds the bytes of one chunk while its handler runs. */
  #scratch = Buffer.alloc(SCRATCH_BYTES);
  /** Of its beginning, as long as the bytes lent last: those of the next chunk are often as many. */
  #lent = this.#scratch.subarray(0, 0);
  #tail: number;

  constructor(tape: Tape) {
    this.#tape = tape;
    this.#text = Buffer.from(tape.u8.buffer, tape.u8.byteOffset, tape.dataBytes);
    this.#tail = Atomics.load(tape.control, SLOT.tail) >>> 0;
  }

  /** Bytes that wait to be read. */
  waitingBytes(): number {
    return ((Atomics.load(this.#tape.control, SLOT.head) >>> 0) - this.#tail) >>> 0;
  }

  /** The share of the ring that they take. */
  fillRatio(): number {
    return this.waitingBytes() / this.#tape.dataBytes;
  }

  /**
   * Hands out at most so many entries; returns how many. `pausesAtEnds`: none behind the end of an exchange, which
   * takes its handler as long as a hundred others.
   */
  drain(handler: TapeHandler, maxCount: number, pausesAtEnds = false): number {
    const { control, u32, dataBytes } = this.#tape;
    let count = 0;
    while (count < maxCount && this.waitingBytes() > 0) {
      const at = this.#tail & (dataBytes - 1);
      const entryBytes = u32[at >> 2] as number;
      const isEnd = ((u32[(at >> 2) + 1] as number) & 0xff) === ENTRY.end;
      count += 1;
      try {
        this.#dispatch(at, handler);
      } finally {
        // An entry is read once, also when its handler throws.
        this.#tail = (this.#tail + entryBytes) >>> 0;
        Atomics.store(control, SLOT.tail, this.#tail | 0);
      }
      if (isEnd && pausesAtEnds) break;
    }
    return count;
  }

  #dispatch(at: number, handler: TapeHandler): void {
    const { u32, f64 } = this.#tape;
    const word = u32[(at >> 2) + 1] as number;
    const flags = (word >>> 8) & 0xff;
    const small = word >>> 16;
    const exchange = u32[(at >> 2) + 2] as number;
    const aux = u32[(at >> 2) + 3] as number;
    const f = (at + ENTRY_HEADER_BYTES) >> 3;
    switch (word & 0xff) {
      case ENTRY.pad:
        return;
      case ENTRY.open:
        return this.#open(at, flags, exchange, handler);
      case ENTRY.requestBytes:
        return handler.onRequestBytes(exchange, f64[f] as number, this.#copy(at + ENTRY_HEADER_BYTES + 8, aux));
      case ENTRY.mark:
        return handler.onMark({
          exchange,
          kind: MARK_KINDS[flags] as (typeof MARK_KINDS)[number],
          atNs: f64[f] as number,
          value: f64[f + 1] as number,
        });
      case ENTRY.connected:
        return handler.onConnected({
          exchange,
          atNs: f64[f] as number,
          reused: (flags & CONNECTED_FLAG.reused) !== 0,
          dnsNs: flags & CONNECTED_FLAG.dns ? f64[f + 1] : undefined,
          tcpNs: flags & CONNECTED_FLAG.tcp ? f64[f + 2] : undefined,
          tlsNs: flags & CONNECTED_FLAG.tls ? f64[f + 3] : undefined,
          wireFloorNs: flags & CONNECTED_FLAG.floor ? f64[f + 4] : undefined,
        });
      case ENTRY.head:
        return handler.onHead({
          exchange,
          receivedAtNs: f64[f] as number,
          status: small,
          framing: FRAMINGS[flags] as (typeof FRAMINGS)[number],
          fields: splitFields(this.#latin1(at + ENTRY_HEADER_BYTES + 8, aux)),
        });
      case ENTRY.chunk:
        return this.#chunk(at, flags, exchange, handler);
      case ENTRY.flush:
        return handler.onFlush({ exchange, seq: aux, atNs: f64[f] as number });
      case ENTRY.end:
        return handler.onEnd({
          exchange,
          atNs: f64[f] as number,
          wireEnd: WIRE_ENDS[small] as (typeof WIRE_ENDS)[number],
          reason: this.#latin1(at + ENTRY_HEADER_BYTES + 40, aux),
          answeredByUs: (flags & END_FLAG.answeredByUs) !== 0,
          chunkCount: f64[f + 1] as number,
          receivedBytes: f64[f + 2] as number,
          deliveredBytes: f64[f + 3] as number,
          requestBytes: f64[f + 4] as number,
        });
      case ENTRY.pause:
        return handler.onPause({
          startAtNs: f64[f] as number,
          endAtNs: f64[f + 1] as number,
          cause: PAUSE_CAUSES[flags] as (typeof PAUSE_CAUSES)[number],
        });
      default:
        throw new Error(`tape: unknown entry type ${word & 0xff}`);
    }
  }

  #open(at: number, flags: number, exchange: number, handler: TapeHandler): void {
    const { u32, f64 } = this.#tape;
    const f = (at + ENTRY_HEADER_BYTES) >> 3;
    const u = (f + 2) << 1;
    const idsAt = at + ENTRY_HEADER_BYTES + 40;
    const parts = this.#latin1(idsAt + 80, u32[(at >> 2) + 3] as number).split('\0');
    handler.onOpen({
      exchange,
      openedAtNs: f64[f] as number,
      openedErrorBoundNs: u32[u + 3] as number,
      epochMs: f64[f + 1] as number,
      routeIndex: u32[u] as number,
      clientPort: u32[u + 1] as number,
      localPort: u32[u + 2] as number,
      method: parts[0] as string,
      target: parts[1] as string,
      clientAddress: parts[2] as string,
      fields: parts.slice(3),
      upgrade: (flags & OPEN_FLAG.upgrade) !== 0,
      http2: (flags & OPEN_FLAG.http2) !== 0,
      trace: flags & OPEN_FLAG.traced ? this.#traceIds(idsAt, flags) : undefined,
    });
  }

  #traceIds(at: number, flags: number): TraceIds {
    return {
      traceId: this.#latin1(at, 32),
      parentSpanId: flags & OPEN_FLAG.parented ? this.#latin1(at + 32, 16) : undefined,
      serverSpanId: this.#latin1(at + 48, 16),
      clientSpanId: this.#latin1(at + 64, 16),
      sampled: (flags & OPEN_FLAG.sampled) !== 0,
    };
  }

  #chunk(at: number, flags: number, exchange: number, handler: TapeHandler): void {
    const { u32, f64 } = this.#tape;
    const f = (at + ENTRY_HEADER_BYTES) >> 3;
    const u = f << 1;
    const bytesOmitted = (flags & CHUNK_FLAG.bytesOmitted) !== 0;
    handler.onChunk({
      exchange,
      seq: u32[(at >> 2) + 3] as number,
      receivedAtNs: f64[f] as number,
      writtenAtNs: f64[f + 1] as number,
      errorBoundNs: u32[u + 4] as number,
      byteCount: u32[u + 5] as number,
      queuedBytes: u32[u + 6] as number,
      bytes:
        (flags & CHUNK_FLAG.bytesWanted) !== 0 && !bytesOmitted
          ? this.#borrow(at + ENTRY_HEADER_BYTES + 32, u32[u + 7] as number)
          : undefined,
      bytesOmitted,
    });
  }

  /** A view that is only good until the handler returns; a copy, as decoders refuse shared memory. */
  #borrow(at: number, byteCount: number): Uint8Array {
    if (byteCount > this.#scratch.length) this.#scratch = Buffer.alloc(byteCount);
    if (byteCount !== this.#lent.length) this.#lent = this.#scratch.subarray(0, byteCount);
    this.#text.copy(this.#scratch, 0, at, at + byteCount);
    return this.#lent;
  }

  #copy(at: number, byteCount: number): Uint8Array {
    const copy = Buffer.allocUnsafe(byteCount);
    copy.set(this.#tape.u8.subarray(at, at + byteCount));
    return copy;
  }

  #latin1(at: number, byteCount: number): string {
    return this.#text.toString('latin1', at, at + byteCount);
  }
}

function splitFields(text: string): RawFields {
  return text === '' ? [] : text.split('\0');
}
