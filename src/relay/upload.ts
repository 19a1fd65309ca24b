// The request on its way to the engine: head as received less hop-by-hop fields, body as it comes,
// at once, with back-pressure. Stamps when its last byte came in and when it went out. Both stamps are taken
// before the write: a write wakes the engine, and on a busy machine the engine runs at once while this thread
// waits for its turn. Stamped after it, a request was seen to leave 60 ms after its answer had begun.
import type { IncomingMessage } from 'node:http';
import { nowNs } from '../base/clock.ts';
import { fieldValue } from '../base/fields.ts';
import { guarded, type OnException } from './guarded.ts';
import { fieldLines, passTrailers } from './headers.ts';
import { RequestCopy } from './request-copy.ts';
import type { TapeWriter } from '../tape/writer.ts';
import type { UpstreamConnection } from './upstream-pool.ts';

const LAST_CHUNK = '0\r\n';
/** Media types under which JSON arrives; the last two are what `curl -d` and careless clients send. */
const MAY_BE_JSON = /json|x-www-form-urlencoded|text\/plain/i;

/** Smaller pieces are left to the collector: what is young when it dies costs it nothing. */
const FREED_LEAST_BYTES = 16 * 1024;

export interface UploadPlan {
  readonly exchange: number;
  readonly tape: TapeWriter;
  readonly req: IncomingMessage;
  /** Method, target and fields as the engine shall see them. */
  readonly method: string;
  readonly target: string;
  readonly fields: readonly string[];
  readonly openedAtNs: number;
  /** The last byte was given to a connection that is ready. */
  readonly onSent: () => void;
  /** What a listener of ours would have thrown. */
  readonly onException: OnException;
}

export class Upload {
  readonly #plan: UploadPlan;
  readonly #connection: UpstreamConnection;
  readonly #chunked: boolean;
  /** Bytes of a body that says its length. */
  readonly #length: number | undefined;
  readonly hasBody: boolean;
  readonly #onData: (bytes: Buffer) => void;
  readonly #onEnd: () => void;
  readonly #copy: RequestCopy | undefined;
  #stopped = false;
  /** Body bytes taken from the client. */
  byteCount = 0;
  /** The last byte was given to the connection. */
  finished = false;
  #lastByteAtNs: number | undefined;
  #connectedAtNs = 0;
  #givenAtNs = 0;

  constructor(plan: UploadPlan, connection: UpstreamConnection) {
    this.#plan = plan;
    this.#connection = connection;
    const length = fieldValue(plan.req.rawHeaders, 'content-length');
    this.#chunked = fieldValue(plan.req.rawHeaders, 'transfer-encoding') !== undefined;
    this.#length = this.#chunked || length === undefined ? undefined : Number(length);
    this.hasBody = this.#chunked || (length !== undefined && length !== '0');
    this.#onData = guarded(plan.onException, (bytes: Buffer) => this.#take(bytes));
    this.#onEnd = guarded(plan.onException, () => this.#finish());
    this.#copy = this.#wantsCopy()
      ? new RequestCopy(this.#length, (offset, bytes) => plan.tape.requestBytes(plan.exchange, offset, bytes))
      : undefined;
  }

  /** Sends the head and begins to send the body. */
  start(): void {
    const { socket } = this.#connection;
    const { req } = this.#plan;
    if (!this.hasBody) {
      const atNs = nowNs();
      socket.write(this.#headText(), 'latin1');
      this.#onUploadEnd(this.#plan.openedAtNs);
      this.#onAllGiven(atNs);
      return;
    }
    req.on('data', this.#onData);
    req.on('end', this.#onEnd);
    // A body that came with its head leaves with it, in one segment.
    socket.cork();
    socket.write(this.#headText(), 'latin1');
    process.nextTick(() => socket.uncork());
  }

  /** The engine's socket takes bytes again. */
  drain(): void {
    if (!this.#stopped) this.#plan.req.resume();
  }

  /** The connection is ready: what was given to it before leaves only now. */
  connected(): void {
    this.#connectedAtNs = nowNs();
    if (this.finished) this.#markSent();
  }

  /** Gives nothing more to the engine; what the client still sends is read and dropped. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#release();
    this.#plan.req.resume();
  }

  #release(): void {
    const { req } = this.#plan;
    req.off('data', this.#onData);
    req.off('end', this.#onEnd);
  }

  #wantsCopy(): boolean {
    const mediaType = fieldValue(this.#plan.req.rawHeaders, 'content-type');
    return this.hasBody && (mediaType === undefined || MAY_BE_JSON.test(mediaType));
  }

  #headText(): string {
    const { method, target, fields } = this.#plan;
    const framing = this.#chunked ? 'transfer-encoding: chunked\r\n' : '';
    return `${method} ${target} HTTP/1.1\r\n${fieldLines(fields)}${framing}\r\n`;
  }

  #take(bytes: Buffer): void {
    const { socket } = this.#connection;
    this.byteCount += bytes.length;
    if (this.byteCount === this.#length) this.#lastByteAtNs = nowNs();
    if (this.#chunked) {
      socket.write(`${bytes.length.toString(16)}\r\n`, 'latin1');
      this.#give(bytes);
      socket.write('\r\n', 'latin1');
    } else {
      this.#give(bytes);
    }
    // While it connects a socket reports no need to wait, but holds all it is given.
    if (socket.writableLength >= socket.writableHighWaterMark) this.#plan.req.pause();
  }

  #give(bytes: Buffer): void {
    const { socket } = this.#connection;
    if (bytes.length < FREED_LEAST_BYTES) {
      socket.write(bytes);
      this.#copy?.push(bytes);
      return;
    }
    let isHeld = true;
    socket.write(bytes, (fault) => {
      if (!fault && !isHeld) freeMemoryOf(bytes);
    });
    isHeld = this.#copy?.push(bytes) ?? false;
  }

  #finish(): void {
    const { socket } = this.#connection;
    this.#release();
    this.#copy?.end();
    const atNs = this.#lastByteAtNs ?? nowNs();
    this.#onUploadEnd(atNs);
    if (this.#chunked)
      socket.write(`${LAST_CHUNK}${fieldLines(passTrailers(this.#plan.req.rawTrailers))}\r\n`, 'latin1');
    this.#onAllGiven(atNs);
  }

  #onUploadEnd(atNs: number): void {
    this.#plan.tape.mark(this.#plan.exchange, 'uploadEnd', atNs, this.byteCount);
  }

  #onAllGiven(atNs: number): void {
    this.finished = true;
    this.#givenAtNs = atNs;
    if (this.#connection.ready) this.#markSent();
  }

  /** What was given while the connection was made left when it was ready. */
  #markSent(): void {
    this.#plan.tape.mark(this.#plan.exchange, 'requestSent', Math.max(this.#givenAtNs, this.#connectedAtNs));
    this.#plan.onSent();
  }
}

/**
 * Gives back the memory of bytes that have left. Left to V8 it goes by collections of the whole heap, one for every
 * 64 MiB, of 15 to 50 ms each: a large upload stopped all other streams several times a second.
 */
function freeMemoryOf({ buffer, byteLength }: Buffer): void {
  // Nobody else has a view of a buffer that these bytes fill.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
