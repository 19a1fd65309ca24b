// An answer as the relay writes it, in HTTP/1.1, on to a stream of HTTP/2: heads, pieces of body as they come, the
// end. Holds nothing back: what one write brought leaves as one, and is confirmed when the kernel has it.
import type { OutgoingHttpHeaders } from 'node:http';
import { constants, type ServerHttp2Stream, type ServerStreamResponseOptions } from 'node:http2';
import { passFields, passTrailers } from './headers.ts';
import type { ResponseHead } from './response-head.ts';
import { ResponseParser, type ResponseHandler } from './response-parser.ts';

const NO_CONTENT = 204;
const RESET_CONTENT = 205;

export class H2Answer implements ResponseHandler {
  readonly #stream: ServerHttp2Stream;
  readonly #parser = new ResponseParser(this);
  /** Of the write under way. */
  #bodies: Buffer[] = [];
  #trailers: readonly string[] = [];
  /** The relay has written all of it. */
  isWhole = false;
  /** Its stream's end has been sent: with the head, or behind all else. */
  #hasEnded = false;
  #onEnded: (() => void) | undefined;

  constructor(stream: ServerHttp2Stream, method: string) {
    this.#stream = stream;
    this.#parser.expect(method, false);
  }

  /** Its close is under way, and closes the connection that writes here. */
  get #isGone(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  /**
   * Takes one write; `onTaken` is told when the kernel has its body, and never once the stream is gone. Throws what the
   * parser makes of it, or Node of a head that HTTP/2 cannot carry.
   */
  write(pieces: readonly Buffer[], onTaken: () => void): void {
    for (const piece of pieces) if (!this.isWhole) this.#parser.push(piece);
    const bodies = this.#bodies;
    this.#bodies = [];
    const stream = this.#stream;
    if (this.#isGone) return;
    const onWritten = (fault?: Error | null): void => {
      if (!fault) onTaken();
    };
    if (bodies.length > 1) stream.cork();
    for (const [index, body] of bodies.entries()) stream.write(body, index < bodies.length - 1 ? undefined : onWritten);
    if (bodies.length > 1) stream.uncork();
    if (this.isWhole && !stream.writableEnded) stream.end();
    if (bodies.length === 0) onTaken();
  }

  /**
   * Told when the stream's end has been sent, which for nghttp2 takes room in the stream's window even where it has no
   * bytes; at once when the answer is not whole and none will be.
   */
  whenEnded(onEnded: () => void): void {
    if (this.#hasEnded || !this.isWhole || this.#isGone) onEnded();
    else this.#onEnded = onEnded;
  }

  onInformational(head: ResponseHead): void {
    if (this.#isGone) return;
    this.#stream.additionalHeaders({ ...headersOf(passFields(head.fields), false), ':status': head.status });
  }

  onHead(head: ResponseHead): void {
    if (this.#isGone) return;
    // Node ends a stream at the head of a 205 by itself.
    const endStream = head.framing === 'none' || head.status === RESET_CONTENT;
    this.#hasEnded = endStream;
    // Nobody knows before the end whether trailers come. And without this Node ends a stream that is cut as if it were
    // whole, and resets it only then.
    const waitForTrailers = !endStream;
    if (waitForTrailers) this.#stream.once('wantTrailers', () => this.#end());
    this.#stream.respond(
      { ...headersOf(passFields(head.fields), head.status !== NO_CONTENT), ':status': head.status },
      // `sendDate` is not among the types: without it Node adds a field that the engine did not send.
      { endStream, waitForTrailers, sendDate: false } as ServerStreamResponseOptions,
    );
  }

  onBody(slice: Buffer): void {
    if (!this.#hasEnded) this.#bodies.push(slice);
  }

  onComplete(trailers: readonly string[]): void {
    this.#trailers = passTrailers(trailers);
    this.isWhole = true;
  }

  /** Bodies and trailers have left; with none of these an empty piece ends the stream. */
  #end(): void {
    if (!this.isWhole || this.#stream.destroyed) return;
    try {
      this.#stream.sendTrailers(headersOf(this.#trailers, false));
    } catch {
      // Trailers that HTTP/2 cannot carry: an answer without them is not whole. Nobody is left to be told by a throw.
      this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    }
    this.#hasEnded = true;
    this.#onEnded?.();
  }
}

/**
 * As Node wants them: one name, all its values in their order. A length is said once, the parser knows that all are
 * equal, and only where it can be one (`hasLength`): clients of HTTP/2 refuse what those of HTTP/1.1 pass over.
 */
function headersOf(fields: readonly string[], hasLength: boolean): OutgoingHttpHeaders {
  const headers: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  for (let i = 0; i < fields.length; i += 2) {
    const name = (fields[i] as string).toLowerCase();
    const value = fields[i + 1] as string;
    const present = headers[name];
    if (name === 'content-length') {
      if (hasLength) headers[name] = value;
    } else if (present === undefined) headers[name] = value;
    else headers[name] = Array.isArray(present) ? [...present, value] : [present, value];
  }
  return headers;
}
