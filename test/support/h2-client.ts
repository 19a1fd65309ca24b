// A client of HTTP/2 in clear text with prior knowledge: Node's own, which notes when each piece of an answer came,
// and one of bare frames for what Node's would not send.
import { connect as connectHttp2, type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { nowNs } from '../../src/base/clock.ts';
import { Signal } from './signal.ts';

/** What there is to say of one stream. */
export class H2Answer {
  readonly signal = new Signal();
  readonly stream: ClientHttp2Stream;
  readonly informational: number[] = [];
  status: number | undefined;
  /** Names and values in turn. */
  fields: readonly string[] = [];
  trailers: readonly string[] = [];
  readonly reads: { atNs: number; bytes: Buffer }[] = [];
  /** The answer's end came. */
  isWhole = false;
  isClosed = false;

  constructor(stream: ClientHttp2Stream) {
    this.stream = stream;
    stream.on('headers', (headers) => this.informational.push(Number(headers[':status'])));
    stream.on('response', (headers, _flags, fields: unknown) => {
      this.status = headers[':status'];
      this.fields = (fields as string[]).slice(2);
      this.signal.notify();
    });
    stream.on('trailers', (_headers, _flags, fields: unknown) => {
      this.trailers = fields as string[];
    });
    stream.on('data', (bytes: Buffer) => {
      this.reads.push({ atNs: nowNs(), bytes });
      this.signal.notify();
    });
    stream.on('end', () => {
      this.isWhole = true;
      this.signal.notify();
    });
    stream.on('error', () => undefined);
    stream.on('close', () => {
      this.isClosed = true;
      this.signal.notify();
    });
  }

  get body(): string {
    return Buffer.concat(this.reads.map(({ bytes }) => bytes)).toString('latin1');
  }

  get bodyBytes(): number {
    return this.reads.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  /** Error code of RST_STREAM, 0 for a good end. */
  get resetCode(): number {
    return this.stream.rstCode ?? 0;
  }

  field(name: string): string | undefined {
    const index = this.fields.findIndex((each, i) => i % 2 === 0 && each === name);
    return index < 0 ? undefined : this.fields[index + 1];
  }

  head(waitMs?: number): Promise<void> {
    return this.signal.until('the head of an answer', () => this.status !== undefined || this.isClosed, waitMs);
  }

  bytes(count: number): Promise<void> {
    return this.signal.until(`${count} bytes of an answer`, () => this.bodyBytes >= count);
  }

  /** Whole or not. */
  async closed(waitMs?: number): Promise<this> {
    await this.signal.until('the end of a stream', () => this.isClosed, waitMs);
    return this;
  }
}

export class H2Client {
  readonly session: ClientHttp2Session;
  readonly signal = new Signal();
  /** Error code of GOAWAY once one came. */
  goawayCode: number | undefined;
  isClosed = false;

  constructor(origin: string, options: Parameters<typeof connectHttp2>[1] = {}) {
    this.session = connectHttp2(origin, options as object);
    this.session.on('error', () => undefined);
    this.session.on('goaway', (code) => {
      this.goawayCode = code;
      this.signal.notify();
    });
    this.session.on('close', () => {
      this.isClosed = true;
      this.signal.notify();
    });
  }

  /** Sends a head; with `body` the whole request, with undefined a request without one. */
  ask(headers: Record<string, string | string[]>, body?: string | Buffer): H2Answer {
    const answer = this.open(headers, body === undefined);
    if (body !== undefined) answer.stream.end(body);
    return answer;
  }

  /** Sends a head, and leaves what follows to the caller. */
  open(headers: Record<string, string | string[]>, endStream = false): H2Answer {
    return new H2Answer(this.session.request({ ':path': '/', ...headers }, { endStream }));
  }

  untilGone(waitMs?: number): Promise<void> {
    return this.signal.until('the end of a session', () => this.isClosed, waitMs);
  }

  stop(): Promise<void> {
    this.session.destroy();
    return Promise.resolve();
  }
}

/** Types of frames (RFC 9113 §6). */
export const FRAME = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goaway: 7, window: 8, continuation: 9 };
export const FLAG = { endStream: 1, ack: 1, endHeaders: 4 };
export const { NGHTTP2_CANCEL: CANCEL, NGHTTP2_PROTOCOL_ERROR: PROTOCOL_ERROR } = constants;
export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.alloc(9 + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  payload.copy(bytes, 9);
  return bytes;
}

/** A header block of fields spelled out (RFC 7541 §6.2.2), none of 127 bytes or more. */
export function block(fields: readonly (readonly [string, string])[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([name, value]) => [
      Buffer.from([0, name.length]),
      Buffer.from(name, 'latin1'),
      Buffer.from([value.length]),
      Buffer.from(value, 'latin1'),
    ]),
  );
}

/** What stands for the request line of a POST. */
export const LINE = [
  [':method', 'POST'],
  [':scheme', 'http'],
  [':authority', 'x'],
  [':path', '/'],
] as const;

/** A whole head of a stream. */
export function headFrame(stream: number, fields: readonly (readonly [string, string])[], flags = 0): Buffer {
  return frame(FRAME.headers, FLAG.endHeaders | flags, stream, block(fields));
}

/** Sends frames as they are, and notes those that come. */
export class FrameClient {
  readonly signal = new Signal();
  readonly socket: Socket;
  readonly frames: Frame[] = [];
  /** Everything that came. */
  received: Buffer = Buffer.alloc(0);
  isClosed = false;
  #parsedBytes = 0;

  constructor(port: number) {
    this.socket = connectTcp({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('data', (bytes) => {
      this.received = Buffer.concat([this.received, bytes]);
      this.#parse();
      this.signal.notify();
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
      this.signal.notify();
    });
  }

  /** Preface and empty settings, with whatever shall come right behind them. */
  begin(...frames: readonly Buffer[]): void {
    this.send(Buffer.from(PREFACE), frame(FRAME.settings, 0, 0), ...frames);
  }

  send(...parts: readonly Buffer[]): void {
    this.socket.write(Buffer.concat(parts));
  }

  frame(what: string, matches: (frame: Frame) => boolean, waitMs?: number): Promise<void> {
    return this.signal.until(what, () => this.frames.some(matches), waitMs);
  }

  untilGone(waitMs?: number): Promise<void> {
    return this.signal.until('the end of a connection', () => this.isClosed, waitMs);
  }

  stop(): Promise<void> {
    this.socket.destroy();
    return Promise.resolve();
  }

  #parse(): void {
    const { received } = this;
    for (;;) {
      const at = this.#parsedBytes;
      if (received.length < at + 9) return;
      const end = at + 9 + received.readUIntBE(at, 3);
      if (received.length < end) return;
      this.frames.push({
        type: received[at + 3] as number,
        flags: received[at + 4] as number,
        stream: received.readUInt32BE(at + 5) & 0x7fff_ffff,
        payload: received.subarray(at + 9, end),
      });
      this.#parsedBytes = end;
    }
  }
}
