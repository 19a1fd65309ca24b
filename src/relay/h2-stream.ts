// One stream of HTTP/2 as a connection of its own that carries one request in HTTP/1.1, so that all behind it is the
// same for both. Bytes go through in the turn in which they come, both ways with back-pressure: what the stream's
// window has no room for waits here, as it would before a socket. How it closes is how the stream is closed.
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { H2Answer } from './h2-answer.ts';
import { plainTrailers, type PlainRequest } from './h2-request.ts';

/** Handed to the stream at once: a frame of the size that every client takes (RFC 9113 §4.2). */
const STEP_BYTES = 16 * 1024;

type OnWritten = (fault?: Error | null) => void;

export class StreamSocket extends Duplex {
  /** The connection that it came on. */
  readonly carrier: Socket;
  readonly #stream: ServerHttp2Stream;
  readonly #answer: H2Answer;
  readonly #isChunked: boolean;
  readonly #onMalformed: (socket: StreamSocket) => void;
  #trailers: readonly string[] = [];
  #isBroken = false;
  /** Of the body. */
  bytesRead = 0;
  /** Of whole writes. */
  #takenBytes = 0;
  /** Of the write under way, so many bytes the kernel has not taken yet. */
  leftBytes = 0;

  /** `onMalformed`: what came on the stream broke the rules, and it was closed for that. */
  constructor(
    stream: ServerHttp2Stream,
    { carrier, onMalformed }: { readonly carrier: Socket; readonly onMalformed: (socket: StreamSocket) => void },
    { method, isChunked }: PlainRequest,
  ) {
    super();
    this.carrier = carrier;
    this.#stream = stream;
    this.#answer = new H2Answer(stream, method);
    this.#isChunked = isChunked;
    this.#onMalformed = onMalformed;
    // As on every client's connection: fields are bytes, which only Latin-1 keeps.
    this.setDefaultEncoding('latin1');
  }

  /** The request begins. Whoever reads this connection must have begun to. */
  start({ head }: PlainRequest): void {
    const stream = this.#stream;
    this.push(head, 'latin1');
    stream.on('trailers', (_headers, _flags, fields: unknown) => {
      this.#trailers = fields as readonly string[];
    });
    stream.on('data', (bytes: Buffer) => this.#onData(bytes));
    stream.on('end', () => this.#onEnd());
    stream.on('close', () => this.#onClosed());
  }

  get remoteAddress(): string | undefined {
    return this.carrier.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.carrier.remotePort;
  }

  get localPort(): number | undefined {
    return this.carrier.localPort;
  }

  /** As a socket counts: with what waits. */
  get bytesWritten(): number {
    return this.#takenBytes + this.writableLength;
  }

  // --- what Node's HTTP server and the relay ask of a socket beyond a stream -----------------------

  /** How long the connection may rest is not the stream's to say. */
  setTimeout(): this {
    return this;
  }

  destroySoon(): void {
    if (this.#isBroken || this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy()).end();
  }

  resetAndDestroy(): this {
    return this.destroy();
  }

  // --- Duplex -------------------------------------------------------------------------------------

  override _read(): void {
    this.#stream.resume();
  }

  override _write(bytes: Buffer, _encoding: string, onWritten: OnWritten): void {
    this.#write([bytes], onWritten);
  }

  override _writev(writes: { chunk: Buffer }[], onWritten: OnWritten): void {
    this.#write(
      writes.map(({ chunk }) => chunk),
      onWritten,
    );
  }

  override _final(onFinal: OnWritten): void {
    this.#answer.whenEnded(() => onFinal());
  }

  override _destroy(fault: Error | null, onDestroyed: OnWritten): void {
    const stream = this.#stream;
    // Behind a whole answer the rest of the request is of no use (RFC 9113 §8.1); any other close is a cut.
    const isClean = this.#answer.isWhole && this.writableLength === 0;
    if (!stream.closed) stream.close(isClean ? constants.NGHTTP2_NO_ERROR : constants.NGHTTP2_INTERNAL_ERROR);
    stream.resume();
    onDestroyed(fault);
  }

  /** In steps, of which each has its own confirmation: a client that reads slowly is seen to read. */
  #write(pieces: readonly Buffer[], onWritten: OnWritten): void {
    this.leftBytes = bytesIn(pieces);
    const byteCount = this.leftBytes;
    this.#writeSteps(pieces, () => {
      this.#takenBytes += byteCount;
      onWritten();
    });
  }

  #writeSteps(pieces: readonly Buffer[], onWritten: OnWritten): void {
    const [step, rest] = splitAt(pieces, STEP_BYTES);
    try {
      this.#answer.write(step, () => {
        this.leftBytes = bytesIn(rest);
        if (rest.length === 0) onWritten();
        else this.#writeSteps(rest, onWritten);
      });
    } catch (fault) {
      // What was written is bad, and this connection takes nothing more.
      this.#isBroken = true;
      // A head is written in the turn of whoever makes it, and is for it to answer; what comes behind may have waited.
      if (!this.#stream.headersSent) throw fault;
      this.destroy();
    }
  }

  #onData(bytes: Buffer): void {
    this.bytesRead += bytes.length;
    if (this.destroyed) return;
    if (!this.#isChunked) {
      if (!this.push(bytes)) this.#stream.pause();
      return;
    }
    this.push(`${bytes.length.toString(16)}\r\n`, 'latin1');
    this.push(bytes);
    if (!this.push('\r\n', 'latin1')) this.#stream.pause();
  }

  /** Node tells it of a stream that was reset or whose client has gone as well, and such a body is not whole. */
  #onEnd(): void {
    if (!this.#isChunked || this.destroyed || this.#stream.closed) return;
    this.push(`0\r\n${plainTrailers(this.#trailers)}\r\n`, 'latin1');
  }

  #onClosed(): void {
    const { rstCode } = this.#stream;
    // Behind what this turn still has to tell of an answer that has left whole.
    if (this.#answer.isWhole && rstCode === constants.NGHTTP2_NO_ERROR) return void setImmediate(() => this.destroy());
    if (rstCode === constants.NGHTTP2_PROTOCOL_ERROR) this.#onMalformed(this);
    this.destroy();
  }
}

function bytesIn(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** The pieces of the first so many bytes, and the others. */
function splitAt(pieces: readonly Buffer[], byteCount: number): [first: Buffer[], rest: Buffer[]] {
  const [first, rest]: [Buffer[], Buffer[]] = [[], []];
  let left = byteCount;
  for (const piece of pieces) {
    if (left > 0) first.push(piece.subarray(0, left));
    if (piece.length > left) rest.push(piece.subarray(left));
    left = Math.max(0, left - piece.length);
  }
  return [first, rest];
}
