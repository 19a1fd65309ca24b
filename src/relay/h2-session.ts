// One connection of HTTP/2: its bounds, its rest between requests, and each of its streams as a connection for the
// server. Whoever floods it with resets, settings, pings or pieces of heads is cut off by Node's own HTTP/2 (nghttp2),
// by the bounds given here.
import http2, { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import {
  H2_CONNECTION_WINDOW_BYTES,
  H2_REFUSED_MAX_COUNT,
  H2_RESET_BURST_COUNT,
  H2_RESETS_PER_SECOND,
  H2_SESSION_MAX_MIB,
  H2_STREAM_WINDOW_BYTES,
  H2_STREAMS_MAX_COUNT,
} from '../base/client-limits.ts';
import { FIELDS_MAX_COUNT, HEAD_MAX_BYTES, LINGER_MS } from '../base/limits.ts';
import { plainRequest } from './h2-request.ts';
import { StreamSocket } from './h2-stream.ts';

const OPTIONS = {
  settings: {
    maxConcurrentStreams: H2_STREAMS_MAX_COUNT,
    maxHeaderListSize: HEAD_MAX_BYTES,
    initialWindowSize: H2_STREAM_WINDOW_BYTES,
    enablePush: false,
  },
  // With the four that stand for the request line.
  maxHeaderListPairs: FIELDS_MAX_COUNT + 4,
  // An engine's head may be as large as a head can be, and is not said to be larger than it is.
  maxSendHeaderBlockLength: 2 * HEAD_MAX_BYTES,
  maxSessionMemory: H2_SESSION_MAX_MIB,
  maxSessionInvalidFrames: H2_REFUSED_MAX_COUNT,
  maxSessionRejectedStreams: H2_REFUSED_MAX_COUNT,
  streamResetBurst: H2_RESET_BURST_COUNT,
  streamResetRate: H2_RESETS_PER_SECOND,
  // An engine may repeat what Node takes for a field that nobody repeats.
  strictSingleValueFields: false,
};

export interface H2SessionOptions {
  readonly socket: Socket;
  /** It came beyond the limit of connections: it has one request refused. */
  readonly isOverflow: boolean;
  /** How long it may be without a stream: until its first one, and behind one. */
  readonly firstMs: number;
  readonly restMs: number;
  /** A stream, as the server takes a connection. */
  readonly accept: (socket: Socket) => void;
  /** Something came that is no request. */
  readonly onUnreadable: () => void;
  /** The request of this stream turned out to be none. */
  readonly onMalformed: (socket: Socket) => void;
  readonly onClosed: (session: H2Session) => void;
}

export class H2Session {
  readonly #options: H2SessionOptions;
  readonly #session: ServerHttp2Session;
  #timer: NodeJS.Timeout | undefined;
  #openCount = 0;
  #isLeaving = false;
  /** A stream came on it. */
  wasAsked = false;

  constructor(options: H2SessionOptions) {
    const { socket, firstMs, onUnreadable, onClosed } = options;
    this.#options = options;
    this.#session = http2.performServerHandshake(socket, OPTIONS);
    this.#session.setLocalWindowSize(H2_CONNECTION_WINDOW_BYTES);
    this.#session.on('error', (fault: NodeJS.ErrnoException) => {
      // Errors of the socket are a client that has gone.
      if (fault.code?.startsWith('ERR_HTTP2') === true) onUnreadable();
    });
    this.#session.on('stream', (stream, _headers, _flags, fields) => this.#onStream(stream, fields as unknown));
    this.#session.once('close', () => {
      clearTimeout(this.#timer);
      onClosed(this);
    });
    // A client that has closed its sending side counts as gone, as it does in HTTP/1.1.
    socket.once('end', () => this.#session.destroy());
    this.#rest(firstMs);
  }

  /** Takes no more streams (GOAWAY), and ends behind those that are open. */
  close(): void {
    // The client may have closed it, too, which waits for nothing.
    if (this.#isLeaving) return;
    this.#session.close();
    if (this.#openCount === 0) this.#leave();
  }

  /** Who does not close in turn is not waited for. */
  #leave(): void {
    this.#isLeaving = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#options.socket.destroy(), LINGER_MS);
    this.#timer.unref();
  }

  #rest(forMs: number): void {
    this.#timer = setTimeout(() => this.close(), forMs);
    this.#timer.unref();
  }

  #onStream(stream: ServerHttp2Stream, fields: unknown): void {
    const { socket: carrier, isOverflow, accept, onUnreadable, onMalformed } = this.#options;
    stream.on('error', ignore);
    // Reset before anybody could look at it.
    if (stream.closed) return;
    this.wasAsked = true;
    this.#openCount += 1;
    clearTimeout(this.#timer);
    stream.once('close', () => this.#onStreamClosed());
    const request = plainRequest(fields as readonly string[], stream.endAfterHeaders);
    if (request === undefined) {
      onUnreadable();
      stream.close(constants.NGHTTP2_PROTOCOL_ERROR);
      return;
    }
    const socket = new StreamSocket(
      stream,
      { carrier, onMalformed: (broken) => onMalformed(asSocket(broken)) },
      request,
    );
    accept(asSocket(socket));
    socket.start(request);
    if (isOverflow) this.close();
  }

  #onStreamClosed(): void {
    this.#openCount -= 1;
    if (this.#openCount > 0) return;
    if (this.#session.closed) this.#leave();
    else this.#rest(this.#options.restMs);
  }
}

/** What Node's HTTP server and the relay ask of a socket, it has. */
function asSocket(socket: StreamSocket): Socket {
  return socket as unknown as Socket;
}

/** The stream's close tells its end. */
function ignore(): void {}
