// Reads HTTP/1 messages off raw bytes as they come, without making anything nicer than it was: head
// lines stay as sent, and each read leaves a mark that says how much body had come by then. It is
// deliberately not Node's parser: faults of HTTP libraries are what the wire tests look for.
import { createHash, type Hash } from 'node:crypto';

export interface WireHead {
  /** Status line or request line, without its line end. */
  readonly startLine: string;
  /** Field lines as sent, in order. */
  readonly lines: readonly string[];
  /** The read that completed the head. */
  readonly atNs: number;
}

/** How much body had come when a read (or write) was over. */
export interface BodyMark {
  readonly atNs: number;
  readonly bodyBytes: number;
}

export type WireFraming = 'none' | 'length' | 'chunked' | 'close' | 'upgrade';

/** Body bytes kept for looking at; beyond them only length and hash go on. */
const BODY_KEPT_BYTES = 16 * 1024 * 1024;

export class WireMessage {
  readonly informational: WireHead[] = [];
  readonly marks: BodyMark[] = [];
  readonly trailers: string[] = [];
  head: WireHead | undefined;
  framing: WireFraming = 'none';
  bodyBytes = 0;
  /** The message ended as its framing promised. */
  complete = false;
  endAtNs: number | undefined;
  readonly #kept: Buffer[] = [];
  readonly #hash: Hash = createHash('sha256');

  addBody(bytes: Buffer): void {
    this.bodyBytes += bytes.length;
    this.#hash.update(bytes);
    if (this.bodyBytes <= BODY_KEPT_BYTES) this.#kept.push(bytes);
  }

  /** The body without transfer coding, as far as it came. */
  get body(): Buffer {
    if (this.bodyBytes > BODY_KEPT_BYTES) throw new Error('the body was too large to be kept; compare sha256');
    return Buffer.concat(this.#kept);
  }

  get sha256(): string {
    return this.#hash.copy().digest('hex');
  }

  get status(): number {
    return Number(this.head?.startLine.split(' ')[1]);
  }

  /** Values of every field line with this name, in order. */
  values(name: string): string[] {
    return fieldValues(this.head?.lines ?? [], name);
  }
}

export function fieldName(line: string): string {
  return line.slice(0, line.indexOf(':')).trim().toLowerCase();
}

export function fieldValues(lines: readonly string[], name: string): string[] {
  return lines.filter((line) => fieldName(line) === name).map((line) => line.slice(line.indexOf(':') + 1).trim());
}

type State = 'head' | 'length' | 'chunk_line' | 'chunk_data' | 'chunk_end' | 'trailers' | 'until_close';

export interface ParserOptions {
  readonly kind: 'request' | 'response';
  readonly onHead?: (message: WireMessage) => void;
  readonly onEnd?: (message: WireMessage) => void;
}

export class MessageParser {
  readonly messages: WireMessage[] = [];
  /** For each response still to come: it answers a HEAD and so has no body whatever it says. */
  readonly bodyless: boolean[] = [];
  /** What is wrong with the bytes; the parser stops there. */
  fault: string | undefined;
  #state: State = 'head';
  #left = 0;
  #pending: Buffer = Buffer.alloc(0);
  #current: WireMessage | undefined;
  readonly #options: ParserOptions;

  constructor(options: ParserOptions) {
    this.#options = options;
  }

  feed(bytes: Buffer, atNs: number): void {
    if (this.fault !== undefined) return;
    this.#pending = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    while (this.#pending.length > 0 && this.#step(atNs));
    this.#mark(atNs);
  }

  /** The sender closed its side. */
  end(atNs: number): void {
    if (this.#state === 'until_close') this.#finish(atNs);
  }

  /** The last request was answered with 101: all bytes behind it are the tunnel's. */
  becomeTunnel(atNs: number): void {
    const message = this.last;
    if (message === undefined || message.framing === 'upgrade') return;
    [message.framing, message.complete, message.endAtNs] = ['upgrade', false, undefined];
    this.#current = message;
    this.#state = 'until_close';
    this.feed(Buffer.alloc(0), atNs);
  }

  /** The message under way, or the last one. */
  get last(): WireMessage | undefined {
    return this.messages.at(-1);
  }

  /** Bytes that belong to no complete line or message yet. */
  get pendingBytes(): number {
    return this.#pending.length;
  }

  #mark(atNs: number): void {
    const message = this.#current;
    if (message === undefined) return;
    if (message.bodyBytes > (message.marks.at(-1)?.bodyBytes ?? 0)) {
      message.marks.push({ atNs, bodyBytes: message.bodyBytes });
    }
  }

  /** Does one thing; false when more bytes are needed first. */
  #step(atNs: number): boolean {
    switch (this.#state) {
      case 'head':
        return this.#readHead(atNs);
      case 'length':
      case 'chunk_data':
        return this.#readCounted(atNs);
      case 'until_close':
        this.#current?.addBody(this.#take(this.#pending.length));
        return false;
      case 'chunk_line':
      case 'chunk_end':
      case 'trailers':
        return this.#readChunkLine(atNs);
    }
  }

  #readHead(atNs: number): boolean {
    const end = this.#pending.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const [startLine = '', ...lines] = this.#take(end + 4)
      .toString('latin1')
      .slice(0, -4)
      .split('\r\n');
    const head: WireHead = { startLine, lines, atNs };
    const message = this.#current ?? new WireMessage();
    if (this.#current === undefined) this.messages.push(message);
    this.#current = message;
    const status = Number(startLine.split(' ')[1]);
    if (this.#options.kind === 'response' && status >= 100 && status < 200 && status !== 101) {
      message.informational.push(head);
      this.#options.onHead?.(message);
      return true;
    }
    message.head = head;
    this.#chooseFraming(message, status);
    this.#options.onHead?.(message);
    if (message.framing === 'none' || (message.framing === 'length' && this.#left === 0)) this.#finish(atNs);
    return true;
  }

  #chooseFraming(message: WireMessage, status: number): void {
    const isResponse = this.#options.kind === 'response';
    const length = message.values('content-length')[0];
    const chunked = message.values('transfer-encoding').some((value) => /chunked/i.test(value));
    const bodyless = isResponse && (this.bodyless.shift() === true || status === 204 || status === 304);
    if (isResponse && status === 101) [message.framing, this.#state] = ['upgrade', 'until_close'];
    else if (bodyless) message.framing = 'none';
    else if (chunked) [message.framing, this.#state] = ['chunked', 'chunk_line'];
    else if (length !== undefined) [message.framing, this.#state, this.#left] = ['length', 'length', Number(length)];
    else if (isResponse) [message.framing, this.#state] = ['close', 'until_close'];
  }

  #readCounted(atNs: number): boolean {
    const bytes = this.#take(Math.min(this.#left, this.#pending.length));
    this.#left -= bytes.length;
    this.#current?.addBody(bytes);
    if (this.#left > 0) return false;
    if (this.#state === 'length') this.#finish(atNs);
    else this.#state = 'chunk_end';
    return true;
  }

  #readChunkLine(atNs: number): boolean {
    const end = this.#pending.indexOf('\r\n');
    if (end < 0) return false;
    const line = this.#take(end + 2)
      .toString('latin1')
      .slice(0, -2);
    if (this.#state === 'chunk_end') {
      if (line !== '') this.fault = `no line end after a chunk but ${JSON.stringify(line.slice(0, 40))}`;
      this.#state = 'chunk_line';
    } else if (this.#state === 'trailers') {
      if (line === '') this.#finish(atNs);
      else this.#current?.trailers.push(line);
    } else {
      this.#left = Number.parseInt(line, 16);
      if (!/^[0-9a-f]+\s*(;.*)?$/i.test(line)) this.fault = `not a chunk size: ${JSON.stringify(line.slice(0, 40))}`;
      this.#state = this.#left === 0 ? 'trailers' : 'chunk_data';
    }
    return this.fault === undefined;
  }

  #take(count: number): Buffer {
    const taken = this.#pending.subarray(0, count);
    this.#pending = this.#pending.subarray(count);
    return taken;
  }

  #finish(atNs: number): void {
    const message = this.#current;
    if (message === undefined) return;
    this.#mark(atNs);
    message.complete = true;
    message.endAtNs = atNs;
    this.#state = 'head';
    this.#current = undefined;
    this.#options.onEnd?.(message);
  }
}
