// Reads one engine connection's bytes as HTTP/1.1 responses (RFC 9112), strictly, and hands out
// heads, body slices and ends. Knows no sockets, no clock, no client. Body slices are views into the
// buffer that was pushed: whoever keeps them copies them.
//
// Why not Node's or undici's client: both refuse or hide what a proxy must pass on (informational
// answers, odd methods and targets, `Expect`, both framings stated at once, the raw field order),
// and both stamp late. The price is this file; test/unit/relay feeds it the corpus that llhttp is
// tested with and compares it with Node's own parser.
import { CHUNK_LINE_MAX_BYTES } from '../base/limits.ts';
import { HeadBuffer } from './head-buffer.ts';
import { parseHead, ParseFault, pushField, type ResponseHead } from './response-head.ts';

export interface ResponseHandler {
  /** 1xx but not 101. */
  onInformational(head: ResponseHead): void;
  /**
   * The final head; 101 comes with framing `upgrade`, and all bytes after it are body. `more`: bytes of its body came
   * with it.
   */
  onHead(head: ResponseHead, more: boolean): void;
  /** `more`: further body bytes of the same push are likely to follow. */
  onBody(slice: Buffer, more: boolean): void;
  /** The answer is whole. `surplusBytes`: bytes behind it that belong to no request. */
  onComplete(trailers: readonly string[], surplusBytes: number): void;
}

type State = 'head' | 'length' | 'close' | 'upgrade' | 'size' | 'data' | 'data_end' | 'trailer' | 'done';

const CR = 13;
const LF = 10;
/** What a chunk's size may have of digits to be read from the bytes: enough for all but absurd ones. */
const PLAIN_DIGITS_MAX_COUNT = 7;
// Thirteen digits are the most that a double holds exactly.
const CHUNK_SIZE = /^([0-9A-Fa-f]{1,13})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;

export class ResponseParser {
  readonly #handler: ResponseHandler;
  #state: State = 'head';
  #isHeadRequest = false;
  #upgradeAsked = false;
  readonly #head = new HeadBuffer();
  /** Bytes of an unfinished line of chunked framing. */
  #held: Buffer | undefined;
  #remainingBytes = 0;
  #trailers: string[] = [];
  #trailerBytes = 0;

  constructor(handler: ResponseHandler) {
    this.#handler = handler;
  }

  /** Makes ready for the answer to one request. */
  expect(method: string, upgradeAsked: boolean): void {
    this.#state = 'head';
    this.#isHeadRequest = method === 'HEAD';
    this.#upgradeAsked = upgradeAsked;
    this.#head.clear();
    this.#held = undefined;
    this.#trailers = [];
    this.#trailerBytes = 0;
  }

  /** Takes bytes as they came. Throws {@link ParseFault}. */
  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      switch (this.#state) {
        case 'head':
          at = this.#pushHead(bytes, at);
          break;
        case 'length':
        case 'data':
          at = this.#pushCounted(bytes, at);
          break;
        case 'close':
        case 'upgrade':
          this.#handler.onBody(at === 0 ? bytes : bytes.subarray(at), false);
          return;
        case 'size':
        case 'data_end':
        case 'trailer':
          at = this.#pushPlain(bytes, at) ?? this.#pushLine(bytes, at);
          break;
        case 'done':
          // Only reached when an answer ended inside this push and `#complete` already told how
          // many bytes lie behind it.
          return;
      }
    }
  }

  /** The connection ended. True when that is a proper end of the answer. */
  finish(): boolean {
    if (this.#state === 'close') {
      this.#state = 'done';
      this.#handler.onComplete([], 0);
      return true;
    }
    return this.#state === 'done' || this.#state === 'upgrade';
  }

  #pushHead(bytes: Buffer, at: number): number {
    const next = this.#head.push(bytes, at);
    if (next !== undefined) this.#onHead(this.#head.take(), bytes.length - next);
    return next ?? bytes.length;
  }

  #onHead(text: string, bytesBehind: number): void {
    const head = parseHead(text, this.#isHeadRequest);
    if (head.status < 200 && head.status !== 101) {
      this.#handler.onInformational(head);
      return;
    }
    if (head.status === 101 && !this.#upgradeAsked) throw new ParseFault('101 that nobody asked for');
    switch (head.framing) {
      case 'none':
        this.#state = 'done';
        break;
      case 'length':
        this.#state = head.lengthBytes === 0 ? 'done' : 'length';
        this.#remainingBytes = head.lengthBytes;
        break;
      case 'chunked':
      case 'conflict':
        this.#state = 'size';
        break;
      case 'close_delimited':
        this.#state = 'close';
        break;
      case 'upgrade':
        this.#state = 'upgrade';
        break;
    }
    const whole = this.#state === 'done';
    this.#handler.onHead(head, !whole && bytesBehind > 0);
    if (whole) this.#handler.onComplete([], bytesBehind);
  }

  #pushCounted(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#remainingBytes);
    this.#remainingBytes -= end - at;
    const isChunk = this.#state === 'data';
    const slice = at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end);
    if (this.#remainingBytes > 0) {
      this.#handler.onBody(slice, false);
      return end;
    }
    if (isChunk) {
      this.#state = 'data_end';
      // A lone line end behind the chunk is no further body.
      this.#handler.onBody(slice, bytes.length - end > 2);
      return end;
    }
    this.#state = 'done';
    this.#handler.onBody(slice, false);
    this.#handler.onComplete([], bytes.length - end);
    return end;
  }

  /**
   * The two lines around nearly every chunk, a bare size and the end of the data before it, read without making texts
   * of them: 0.06 µs a chunk instead of 0.4. Undefined where there is more to the line, or it is not whole, or it is
   * wrong: then nothing was taken.
   */
  #pushPlain(bytes: Buffer, at: number): number | undefined {
    if (this.#held !== undefined || this.#state === 'trailer') return undefined;
    let sizeBytes = 0;
    let end = at;
    if (this.#state === 'size') {
      const last = Math.min(bytes.length, at + PLAIN_DIGITS_MAX_COUNT);
      for (; end < last; end += 1) {
        const digit = hexDigit(bytes[end] as number);
        if (digit < 0) break;
        sizeBytes = sizeBytes * 16 + digit;
      }
      if (end === at) return undefined;
    }
    if (bytes[end] !== CR || bytes[end + 1] !== LF) return undefined;
    if (this.#state === 'size') this.#beginChunk(sizeBytes);
    else this.#state = 'size';
    return end + 2;
  }

  #beginChunk(sizeBytes: number): void {
    this.#remainingBytes = sizeBytes;
    this.#state = sizeBytes === 0 ? 'trailer' : 'data';
  }

  #pushLine(bytes: Buffer, at: number): number {
    const lf = bytes.indexOf(LF, at);
    const end = lf < 0 ? bytes.length : lf + 1;
    const heldBytes = this.#held?.length ?? 0;
    if (heldBytes + end - at > CHUNK_LINE_MAX_BYTES) throw new ParseFault('chunk line too long');
    const piece = bytes.subarray(at, end);
    const line = this.#held ? Buffer.concat([this.#held, piece]) : piece;
    if (lf < 0) {
      this.#held = Buffer.from(line);
      return end;
    }
    this.#held = undefined;
    if (line.length < 2 || line[line.length - 2] !== CR) throw new ParseFault('bare line feed in chunked body');
    this.#onLine(line.toString('latin1', 0, line.length - 2), bytes.length - end);
    return end;
  }

  #onLine(line: string, bytesBehind: number): void {
    if (this.#state === 'data_end') {
      if (line !== '') throw new ParseFault('chunk longer than stated');
      this.#state = 'size';
      return;
    }
    if (this.#state === 'size') {
      const match = CHUNK_SIZE.exec(line);
      if (match === null) throw new ParseFault('bad chunk size');
      this.#beginChunk(Number.parseInt(match[1] as string, 16));
      return;
    }
    if (line === '') {
      this.#state = 'done';
      this.#handler.onComplete(this.#trailers, bytesBehind);
      return;
    }
    this.#trailerBytes += line.length;
    if (this.#trailerBytes > CHUNK_LINE_MAX_BYTES) throw new ParseFault('trailers too large');
    pushField(this.#trailers, line);
  }
}

/** Below 0 when the byte is no digit. */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
