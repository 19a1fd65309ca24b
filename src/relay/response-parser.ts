// Reads one engine connection's bytes as HTTP/1.1 responses (RFC 9112), strictly, and hands out
// heads, body slices and ends. Knows no sockets, no clock, no client. Body slices are views into the
// buffer that was pushed: whoever keeps them copies them.
//
// Why not Node's or undici's client: both refuse or hide what a proxy must pass on (informational
// answers, odd methods and targets, `Expect`, both framings stated at once, the raw field order),
// and both stamp late. The price is this file; test/unit/relay feeds it the corpus that llhttp is
// tested with and compares it with Node's own parser.
import { CHUNK_LINE_MAX_BYTES, HEAD_MAX_BYTES } from '../base/limits.ts';
import type { Framing } from '../base/outcome.ts';

export interface ResponseHead {
  readonly status: number;
  readonly reason: string;
  /** HTTP/1.0 answers end their connection unless they say otherwise; we never reuse one. */
  readonly minorVersion: 0 | 1;
  /** Names and values in turn, as received. */
  readonly fields: readonly string[];
  readonly framing: Framing;
  /** Only for framing `length`. */
  readonly lengthBytes: number;
}

export interface ResponseHandler {
  /** 1xx but not 101. */
  onInformational(head: ResponseHead): void;
  /** The final head; 101 comes with framing `upgrade`, and all bytes after it are body. */
  onHead(head: ResponseHead): void;
  /** `more`: further body bytes of the same push are likely to follow. */
  onBody(slice: Buffer, more: boolean): void;
  /** The answer is whole. `surplusBytes`: bytes behind it that belong to no request. */
  onComplete(trailers: readonly string[], surplusBytes: number): void;
}

/** The engine sent something that is no HTTP/1.1 response. The text is ours, never from the wire. */
export class ParseFault extends Error {}

type State = 'head' | 'length' | 'close' | 'upgrade' | 'size' | 'data' | 'data_end' | 'trailer' | 'done';

const CR = 13;
const LF = 10;
const HEAD_END = Buffer.from('\r\n\r\n', 'latin1');
const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: (.*))?$/s;
const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// Everything below space but tab, and DEL: refused in values, they could end a field for others.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;
// Thirteen digits are the most that a double holds exactly.
const CHUNK_SIZE = /^([0-9A-Fa-f]{1,13})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;

export class ResponseParser {
  readonly #handler: ResponseHandler;
  #state: State = 'head';
  #isHeadRequest = false;
  #upgradeAsked = false;
  /** Bytes of an unfinished head or line. */
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
          at = this.#pushLine(bytes, at);
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
    const rest = at === 0 ? bytes : bytes.subarray(at);
    const heldBytes = this.#held?.length ?? 0;
    const all = this.#held ? Buffer.concat([this.#held, rest]) : rest;
    // An end cut in pieces may begin up to three bytes before the new ones.
    const end = all.indexOf(HEAD_END, Math.max(0, heldBytes - 3));
    // Without an end yet, the last three bytes may be the beginning of one.
    const headBytes = end < 0 ? all.length - (HEAD_END.length - 1) : end;
    if (headBytes > HEAD_MAX_BYTES) throw new ParseFault('response head too large');
    if (end < 0) {
      if (all.length >= 5 && all.toString('latin1', 0, 5) !== 'HTTP/') throw new ParseFault('not an HTTP response');
      this.#held = Buffer.from(all);
      return bytes.length;
    }
    this.#held = undefined;
    const next = at + (end + HEAD_END.length - heldBytes);
    this.#onHead(all.toString('latin1', 0, end), bytes.length - next);
    return next;
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
    this.#handler.onHead(head);
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
      const sizeBytes = Number.parseInt(match[1] as string, 16);
      this.#remainingBytes = sizeBytes;
      this.#state = sizeBytes === 0 ? 'trailer' : 'data';
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

/** A head without its last blank line. Throws {@link ParseFault}. */
export function parseHead(text: string, isHeadRequest: boolean): ResponseHead {
  const lines = text.split('\r\n');
  const match = STATUS_LINE.exec(lines[0] as string);
  if (match === null) throw new ParseFault('bad status line');
  const status = Number(match[2]);
  const reason = match[3] ?? '';
  if (status < 100) throw new ParseFault('status below 100');
  if (CONTROL.test(reason)) throw new ParseFault('control character in reason phrase');
  const fields: string[] = [];
  for (let i = 1; i < lines.length; i += 1) pushField(fields, lines[i] as string);
  const minorVersion = match[1] === '0' ? 0 : 1;
  return { status, reason, minorVersion, fields, ...framingOf(status, minorVersion, fields, isHeadRequest) };
}

function pushField(fields: string[], line: string): void {
  const colon = line.indexOf(':');
  // A line that begins with white space is an obsolete folded field; it has no name either.
  if (colon <= 0) throw new ParseFault('field without name');
  const name = line.slice(0, colon);
  const value = trimBlanks(line, colon + 1);
  if (!FIELD_NAME.test(name)) throw new ParseFault('bad field name');
  if (CONTROL.test(value)) throw new ParseFault('control character in field value');
  fields.push(name, value);
}

/** The text from `from` on without the spaces and tabs around it (`trim` would take more). */
function trimBlanks(text: string, from: number): string {
  let start = from;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

/** Message body length by RFC 9112 §6.3. Both framings stated: chunking wins and the length goes. */
function framingOf(
  status: number,
  minorVersion: 0 | 1,
  fields: readonly string[],
  isHeadRequest: boolean,
): { framing: Framing; lengthBytes: number } {
  let length: string | undefined;
  let coding: string | undefined;
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] as string;
    // Lengths first: comparing them spares lower-casing nearly every name.
    if (name.length === 14 && name.toLowerCase() === 'content-length') {
      const value = fields[i + 1] as string;
      if (!/^\d{1,15}$/.test(value)) throw new ParseFault('bad content length');
      if (length !== undefined && length !== value) throw new ParseFault('two different content lengths');
      length = value;
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      if (coding !== undefined) throw new ParseFault('two transfer encodings');
      coding = (fields[i + 1] as string).toLowerCase();
    }
  }
  if (status === 101) return { framing: 'upgrade', lengthBytes: 0 };
  if (isHeadRequest || status < 200 || status === 204 || status === 304) return { framing: 'none', lengthBytes: 0 };
  if (coding !== undefined && coding !== 'identity') {
    // Another coding under the chunks would lose its name when we frame anew.
    if (coding !== 'chunked' || minorVersion === 0) throw new ParseFault('unsupported transfer encoding');
    return { framing: length === undefined ? 'chunked' : 'conflict', lengthBytes: 0 };
  }
  if (length !== undefined) return { framing: 'length', lengthBytes: Number(length) };
  return { framing: 'close_delimited', lengthBytes: 0 };
}
