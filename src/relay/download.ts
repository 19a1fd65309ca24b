// The answer on its way to the client: head at once, each piece of body in the turn in which it
// came, framed anew. Stamps each chunk when it is written and when the kernel has it, and tells the
// tape. Parses nothing of the body.
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { nowNs } from '../base/clock.ts';
import { fieldValue } from '../base/fields.ts';
import type { TapeWriter } from '../tape/writer.ts';
import { BufferShelf } from './buffer-shelf.ts';
import type { OnException } from './guarded.ts';
import { fieldLines, passFields, passTrailers } from './headers.ts';
import type { ReadClock } from './read-clock.ts';
import type { ResponseHead } from './response-head.ts';
import { READ_BUFFER_BYTES } from './upstream-pool.ts';

/** Larger slices are copied into buffers that are used again, all of one read into the same. */
const SHELVED_FROM_BYTES = 4 * 1024;
/** Hex digits of a slice's size and the line ends around it. */
const FRAME_BYTES = 16;
const SHELF_COUNT = 32;
const SHEET_BYTES = READ_BUFFER_BYTES + FRAME_BYTES * (READ_BUFFER_BYTES / SHELVED_FROM_BYTES);
const shelf = new BufferShelf(SHEET_BYTES, SHELF_COUNT);

/** One such buffer while slices of one read lie in it. */
interface Sheet {
  readonly buffer: Buffer;
  usedBytes: number;
  /** Slices in it that the kernel has not accepted yet. */
  pendingCount: number;
}
/** Media types whose bytes the observer can read; of all others it gets stamps only. */
const READABLE = /^(?:text\/event-stream|application\/(?:[\w.+-]*json[\w.+-]*|x-ndjson|vnd\.amazon\.eventstream))\b/i;

export interface DownloadPlan {
  readonly exchange: number;
  readonly tape: TapeWriter;
  readonly clock: ReadClock;
  readonly res: ServerResponse;
  readonly socket: Socket;
  /** The client speaks HTTP/1.1, so bodies without a length can be chunked. */
  readonly chunkable: boolean;
  /** The kernel accepted everything that was written so far. */
  readonly onAllFlushed: () => void;
  /** What a listener of ours would have thrown. */
  readonly onException: OnException;
}

export class Download {
  readonly #plan: DownloadPlan;
  #chunked = false;
  #upgraded = false;
  #wanted = false;
  #corked = false;
  #blocked = false;
  /** Under TLS, and in HTTP/2, even a write that the kernel took at once is confirmed only later in the same turn. */
  readonly #confirmsLate: boolean;
  #looksLater = false;
  /** Chunks that the kernel has not accepted yet, oldest first: their sizes and what holds them. */
  readonly #unflushedBytes: number[] = [];
  readonly #unflushedSheets: (Sheet | undefined)[] = [];
  /** Where the next large slice of this read goes. */
  #sheet: Sheet | undefined;
  #flushedCount = 0;
  #readTurn = -1;
  #readAtNs = 0;
  #readErrorNs = 0;
  chunkCount = 0;
  receivedBytes = 0;
  deliveredBytes = 0;
  /** The client cannot tell the end of this body from a cut other than by a reset. */
  endsWithConnection = false;

  constructor(plan: DownloadPlan) {
    this.#plan = plan;
    this.#confirmsLate = !(plan.socket instanceof Socket) || plan.socket instanceof TLSSocket;
  }

  get headSent(): boolean {
    return this.#upgraded || this.#plan.res.headersSent;
  }

  get unflushedCount(): number {
    return this.#unflushedBytes.length;
  }

  /** Passes a 1xx head on as it is. Only HTTP/1.1 clients know them. */
  informational(head: ResponseHead): void {
    const { res, socket, chunkable } = this.#plan;
    if (!chunkable || res.headersSent) return;
    if (head.status === 100) res.writeContinue();
    else socket.write(rawHead(head, passFields(head.fields)), 'latin1');
  }

  /**
   * Sends the final head. `more`: bytes of the body came in the same read, so they leave in one segment, and the kernel
   * is asked once. Throws when Node refuses to write it (a status or value nobody may send).
   */
  head(head: ResponseHead, more: boolean): void {
    const { res, tape, exchange, chunkable } = this.#plan;
    const bodied = head.framing !== 'none';
    this.#chunked = bodied && head.framing !== 'length' && chunkable;
    this.endsWithConnection = bodied && head.framing !== 'length' && !chunkable;
    const drop = new Set<string>();
    if (bodied && head.framing !== 'length') drop.add('content-length');
    if (!this.#chunked) drop.add('trailer');
    const fields = passFields(head.fields, drop);
    if (this.#chunked) fields.push('Transfer-Encoding', 'chunked');
    if (more) this.#cork();
    res.sendDate = false;
    res.writeHead(head.status, head.reason, fields);
    res.flushHeaders();
    tape.mark(exchange, 'headWritten', nowNs());
    this.#wanted = READABLE.test(fieldValue(head.fields, 'content-type') ?? '');
  }

  /** Sends a 101 and turns into a plain pipe. */
  upgrade(head: ResponseHead): void {
    const { socket, tape, exchange } = this.#plan;
    const upgrade = fieldValue(head.fields, 'upgrade');
    const passed = passFields(head.fields);
    passed.push('Connection', 'Upgrade');
    if (upgrade !== undefined) passed.push('Upgrade', upgrade);
    socket.write(rawHead(head, passed), 'latin1');
    tape.mark(exchange, 'headWritten', nowNs());
    this.#upgraded = true;
  }

  /** Takes the moment of the read whose bytes follow; chunks of one turn share the first stamp. */
  readStamp(): void {
    const { clock } = this.#plan;
    if (clock.turn === this.#readTurn) return;
    this.#readTurn = clock.turn;
    this.#readAtNs = clock.atNs;
    this.#readErrorNs = clock.errorBoundNs;
  }

  get readAtNs(): number {
    return this.#readAtNs;
  }

  /** Sends one piece of body. `more`: others of the same read follow, so they leave together. */
  body(slice: Buffer, more: boolean): void {
    const { socket, tape, exchange } = this.#plan;
    if (more) this.#cork();
    const queuedBytesBefore = socket.writableLength;
    this.#write(slice);
    const writtenAtNs = nowNs();
    tape.chunk({
      exchange,
      seq: this.chunkCount,
      receivedAtNs: this.#readAtNs,
      writtenAtNs,
      errorBoundNs: this.#readErrorNs,
      byteCount: slice.length,
      queuedBytes: this.#confirmsLate ? queuedBytesBefore : socket.writableLength,
      bytes: this.#wanted ? slice : undefined,
    });
    this.chunkCount += 1;
    this.receivedBytes += slice.length;
  }

  /** What is written from here to the end of the read leaves together. */
  #cork(): void {
    if (this.#corked) return;
    this.#corked = true;
    this.#plan.socket.cork();
  }

  /** The read is over. False when the client takes no more for now. */
  readDone(): boolean {
    const { socket } = this.#plan;
    if (this.#corked) {
      this.#corked = false;
      socket.uncork();
    }
    const sheet = this.#sheet;
    this.#sheet = undefined;
    if (sheet?.pendingCount === 0) shelf.give(sheet.buffer);
    const queuedBytes = socket.writableLength;
    if (queuedBytes > 0 && !this.#blocked) {
      if (this.#confirmsLate) this.#lookLater(nowNs());
      else this.#noteBlocked(nowNs());
    }
    // The kernel holds megabytes for a client before it refuses one; what it refuses is all that we hold.
    // With no chunk under way nothing would tell when to go on: then what is queued is the head alone.
    if (queuedBytes === 0 || this.#unflushedBytes.length === 0) return true;
    return this.#confirmsLate && queuedBytes <= READ_BUFFER_BYTES + FRAME_BYTES;
  }

  #noteBlocked(atNs: number): void {
    this.#blocked = true;
    this.#plan.tape.mark(this.#plan.exchange, 'blockedFrom', atNs);
  }

  /** Whether a socket under TLS is blocked shows behind the confirmations of this turn, and before its next read. */
  #lookLater(atNs: number): void {
    if (this.#looksLater) return;
    this.#looksLater = true;
    setImmediate(() => {
      this.#looksLater = false;
      if (this.#plan.socket.writableLength > 0 && this.#unflushedBytes.length > 0) this.#noteBlocked(atNs);
    });
  }

  /** Ends the answer as its framing promised. */
  end(trailers: readonly string[]): void {
    const { res } = this.#plan;
    if (this.#chunked && trailers.length > 0) res.addTrailers(pairs(passTrailers(trailers)));
    res.end();
  }

  /** Frames a slice by copying it: the slice's own memory is read into again right after this turn. */
  #write(slice: Buffer): void {
    const size = this.#chunked ? slice.length.toString(16) : '';
    const sheet = slice.length >= SHELVED_FROM_BYTES ? this.#sheetFor(slice.length + FRAME_BYTES) : undefined;
    const buffer = sheet?.buffer ?? Buffer.allocUnsafe(slice.length + FRAME_BYTES);
    this.#unflushedBytes.push(slice.length);
    this.#unflushedSheets.push(sheet);
    const start = sheet?.usedBytes ?? 0;
    let at = start;
    if (this.#chunked) {
      at += buffer.write(size, at, 'latin1');
      buffer[at] = 13;
      buffer[at + 1] = 10;
      at += 2;
    }
    buffer.set(slice, at);
    at += slice.length;
    if (this.#chunked) {
      buffer[at] = 13;
      buffer[at + 1] = 10;
      at += 2;
    }
    if (sheet !== undefined) {
      sheet.usedBytes = at;
      sheet.pendingCount += 1;
    }
    this.#plan.socket.write(buffer.subarray(start, at), this.#onFlushed);
  }

  /** A sheet with so much room; undefined for what no read can hold. */
  #sheetFor(byteCount: number): Sheet | undefined {
    if (byteCount > SHEET_BYTES) return undefined;
    const present = this.#sheet;
    if (present !== undefined && present.usedBytes + byteCount <= SHEET_BYTES) return present;
    if (present?.pendingCount === 0) shelf.give(present.buffer);
    this.#sheet = { buffer: shelf.take(), usedBytes: 0, pendingCount: 0 };
    return this.#sheet;
  }

  /** Called once a chunk, in order of writing; the same function for all, so nothing is allocated. */
  readonly #onFlushed = (error?: Error | null): void => {
    if (error) return;
    try {
      this.#flushed();
    } catch (exception) {
      this.#plan.onException(exception);
    }
  };

  #flushed(): void {
    const { socket, tape, exchange, onAllFlushed } = this.#plan;
    const atNs = nowNs();
    this.deliveredBytes += this.#unflushedBytes.shift() ?? 0;
    const sheet = this.#unflushedSheets.shift();
    if (sheet !== undefined) {
      sheet.pendingCount -= 1;
      if (sheet.pendingCount === 0 && sheet !== this.#sheet) shelf.give(sheet.buffer);
    }
    tape.flush(exchange, this.#flushedCount, atNs);
    this.#flushedCount += 1;
    if (this.#unflushedBytes.length > 0) return;
    if (this.#blocked && socket.writableLength === 0) {
      this.#blocked = false;
      tape.mark(exchange, 'blockedTo', atNs);
    }
    onAllFlushed();
  }
}

function rawHead(head: ResponseHead, fields: readonly string[]): string {
  return `HTTP/1.1 ${head.status} ${head.reason}\r\n${fieldLines(fields)}\r\n`;
}

function pairs(flat: readonly string[]): [string, string][] {
  const result: [string, string][] = [];
  for (let i = 0; i < flat.length; i += 2) result.push([flat[i] as string, flat[i + 1] as string]);
  return result;
}
