// One stream of HTTP/2 as a connection of its own that carries one request in HTTP/1.1, so that all behind it is the
// same for both. Bytes go through in the turn in which they come, both ways with back-pressure: what the stream's
// window has no room for waits here, as it would before a socket. How it closes is how the stream is closed.
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { H2Answer } from './h2-answer.ts';
import { plainTrailers, type PlainRequest } from './h2-request.ts';

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
  #takenBytes = 0;

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

  override _destroy(fault: Error | null, onDestroyed: OnWritten): void {
    const stream = this.#stream;
    // Behind a whole answer the rest of the request is of no use (RFC 9113 §8.1); any other close is a cut.
    const isClean = this.#answer.isWhole && this.writableLength === 0;
    if (!stream.closed) stream.close(isClean ? constants.NGHTTP2_NO_ERROR : constants.NGHTTP2_INTERNAL_ERROR);
    stream.resume();
    onDestroyed(fault);
  }

  #write(pieces: readonly Buffer[], onWritten: OnWritten): void {
    try {
      this.#answer.write(pieces, () => {
        for (const { length } of pieces) this.#takenBytes += length;
        onWritten();
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

  #onEnd(): void {
    if (this.#isChunked && !this.destroyed) this.push(`0\r\n${plainTrailers(this.#trailers)}\r\n`, 'latin1');
  }

  #onClosed(): void {
    const { rstCode } = this.#stream;
    // Behind what this turn still has to tell of an answer that has left whole.
    if (this.#answer.isWhole && rstCode === constants.NGHTTP2_NO_ERROR) return void setImmediate(() => this.destroy());
    if (rstCode === constants.NGHTTP2_PROTOCOL_ERROR) this.#onMalformed(this);
    this.destroy();
  }
}
