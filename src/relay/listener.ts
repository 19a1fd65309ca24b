// One listening HTTP server of a relay, as Node gives it, with everything that Node's defaults would do to
// bytes, limits and faults taken out of its hands. A relay has one for its main address and one for each edge;
// they share their books, so that limits hold for all of them together. Knows nothing of Fastify or exchanges.
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { nowNs } from '../base/clock.ts';
import { ERROR_CODES, HEAD_TOO_LARGE, METHOD_REFUSED, SLOW_REQUEST, type ErrorCode } from '../base/error-codes.ts';
import {
  CLIENT_HEAD_TIMEOUT_MS,
  CLIENT_KEEP_ALIVE_MS,
  HEAD_MAX_BYTES,
  PIPELINED_MAX_COUNT,
  TCP_KEEP_ALIVE_MS,
} from '../base/limits.ts';
import { ConnectionCap } from './connection-cap.ts';
import { asksForWebSocket } from './headers.ts';
import { closeAfter, closeGently } from './linger.ts';
import { certificateOptions, isTlsFault, secureOptions, type TlsPair } from './listener-tls.ts';
import { OpenAnswers } from './open-answers.ts';
import { respondRaw } from './synthetic.ts';

/** What the server hands over; it knows nothing of exchanges beyond `start`. */
export interface Admission {
  /** Takes a request; undefined when it was answered already. */
  admit(arrival: Arrival): Startable | undefined;
  /** A request that became no exchange: no parser could read it, or it was one too many. */
  onUnreadable(): void;
  /**
   * What follows on this connection cannot be read, or the client ended it within a request; true when that
   * ended the exchange under way on it.
   */
  onBroken(socket: Socket, why: 'unreadable' | 'left'): boolean;
  /** Connections beyond so many are refused. */
  readonly maxConnectionCount: number;
  /** A connection beyond them was closed without having asked for anything. */
  onOverflow(): void;
}

export interface Arrival {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** When the request's head was complete. */
  readonly openedAtNs: number;
  /** A WebSocket is asked for: what the client sent right behind its head. */
  readonly upgradeHead: Buffer | undefined;
  /** It came on a connection beyond the limit. */
  readonly isOverflow: boolean;
  /** Which listener took it: 0 is the main one, n the n-th edge. */
  readonly listener: number;
  /** The client's connection: the request's own, or for a stream of HTTP/2 the one that carries it. */
  readonly carrier: Socket;
}

export interface Startable {
  start(): void;
}

/** What the listeners of one relay share. */
export interface Books {
  readonly answers: OpenAnswers;
  readonly cap: ConnectionCap;
}

/** Takes a connection, as a listener of its server. */
export type Taker = (this: HttpServer, socket: Socket) => void;

/** What lets HTTP/2 in: see h2-door.ts. */
export interface Http2Door {
  /** Stands before those who take connections by this event: what speaks HTTP/2 comes to them by streams. */
  stand(server: HttpServer, readyEvent: string, takers: readonly Taker[]): void;
  carrierOf(socket: Socket): Socket;
  /** Ends what serves nobody, and takes nothing new on what does. */
  closeIdle(): void;
}

export function createBooks(admission: Admission): Books {
  const cap = new ConnectionCap({
    maxCount: () => admission.maxConnectionCount,
    onUnanswered: () => admission.onOverflow(),
    refuse: (socket) => respondRaw(socket, ERROR_CODES.shed),
  });
  return { answers: new OpenAnswers(), cap };
}

export interface ListenerOptions extends Books {
  /** See {@link Arrival.listener}. */
  readonly listener: number;
  readonly admission: Admission;
  readonly tls: TlsPair | undefined;
  /** Undefined speaks HTTP/1.1 alone. */
  readonly http2: Http2Door | undefined;
  /** A request that is no upgrade. */
  readonly onRequest: (arrival: Arrival) => void;
}

export type HttpServer = http.Server | https.Server;

export function createListener(options: ListenerOptions): HttpServer {
  const { listener, admission, answers, cap, http2, onRequest } = options;
  const server = createHttpServer(options, (req, res) => {
    const { socket } = req;
    // Behind an answer that closes the connection nothing is served any more.
    if (!socket.writable) return;
    answers.add(socket, res);
    const carrier = http2 === undefined ? socket : http2.carrierOf(socket);
    // A stream of HTTP/2 carries one request, whatever its client still does with it.
    const isStream = carrier !== socket;
    if (isStream) closeAfter(req, res);
    if (answers.countOf(socket) <= (isStream ? 1 : PIPELINED_MAX_COUNT)) {
      const isOverflow = cap.isOverflow(carrier);
      return onRequest({ req, res, openedAtNs: nowNs(), upgradeHead: undefined, isOverflow, listener, carrier });
    }
    admission.onUnreadable();
    socket.destroy();
  });
  const takers = server.listeners(readyEvent(server)) as Taker[];
  wireConnections(server, cap, admission);
  http2?.stand(server, readyEvent(server), takers);
  wireUpgrades(server, options);
  server.on('connect', (_req, duplex) => {
    const socket = duplex as Socket;
    // Node leaves this socket to us, its faults as well.
    socket.on('error', () => socket.destroy());
    admission.onUnreadable();
    if (answers.countOf(socket) > 0) socket.destroy();
    else respondRaw(socket, METHOD_REFUSED);
  });
  return server;
}

/** To be called once nobody else touches the server any more: Fastify has a handler of its own for these. */
export function takeClientErrors(server: HttpServer, admission: Admission, { answers }: Books): void {
  server.removeAllListeners('clientError');
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) =>
    onClientError(admission, answers, error, socket as Socket),
  );
}

/** New connections get this certificate; those that are open keep theirs. Only where there was one. */
export function replaceCertificate(server: HttpServer, pair: TlsPair): void {
  if (server instanceof https.Server) server.setSecureContext(certificateOptions(pair));
}

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

function createHttpServer({ tls, http2 }: ListenerOptions, onRequest: Handler): HttpServer {
  const options = {
    insecureHTTPParser: false,
    // Our own gate answers with our own error; Node's would be a bare 400.
    requireHostHeader: false,
    maxHeaderSize: HEAD_MAX_BYTES,
    headersTimeout: CLIENT_HEAD_TIMEOUT_MS,
    // Bodies may take as long as they like: large images on slow lines.
    requestTimeout: 0,
    connectionsCheckingInterval: 500,
    keepAliveTimeout: CLIENT_KEEP_ALIVE_MS,
    keepAlive: true,
    keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
    noDelay: true,
  };
  const server =
    tls === undefined
      ? http.createServer(options)
      : https.createServer({ ...options, ...secureOptions(tls, http2 !== undefined) });
  server.timeout = 0;
  server.maxRequestsPerSocket = 0;
  // No cap on fields here: the gate has one, with an answer that says so.
  server.maxHeadersCount = 0;
  server.on('request', onRequest);
  // `Expect: 100-continue` is between client and engine; we pass both sides of it on.
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', onRequest);
  return server;
}

/** When a connection can carry requests: under TLS, after its handshake. */
function readyEvent(server: HttpServer): 'connection' | 'secureConnection' {
  return server instanceof https.Server ? 'secureConnection' : 'connection';
}

function wireConnections(server: HttpServer, cap: ConnectionCap, admission: Admission): void {
  server.on('connection', (socket: Socket) => cap.add(socket));
  server.on(readyEvent(server), (socket: Socket) => {
    // Node writes heads without naming an encoding; fields are bytes, which only Latin-1 keeps.
    socket.setDefaultEncoding('latin1');
    cap.ready(socket);
  });
  // Where no TLS was agreed upon no answer can be read; Node would take it for a bad request.
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (_error: Error, socket: Socket) => {
    admission.onUnreadable();
    socket.destroy();
  });
}

function wireUpgrades(server: HttpServer, { listener, admission, answers, cap }: ListenerOptions): void {
  // Only WebSockets are passed on. Other upgrades (h2c, which Java's client asks for by default) are
  // ordinary requests with a field that stops here. Node before 24.9 knows no such choice, so there
  // the request goes back to the parser without the field.
  // Behind answers still to come there is nothing to switch yet, so there the field is ignored too.
  (server as { shouldUpgradeCallback?: (req: IncomingMessage) => boolean }).shouldUpgradeCallback = (req) =>
    asksForWebSocket(req.rawHeaders) && answers.countOf(req.socket) === 0;
  server.on('upgrade', (req: IncomingMessage, duplex: Duplex, head: Buffer) => {
    const socket = duplex as Socket;
    socket.on('error', () => socket.destroy());
    if (answers.countOf(socket) > 0) return socket.destroy();
    if (!asksForWebSocket(req.rawHeaders)) return parseAgain(server, req, socket, head);
    const res = new http.ServerResponse(req);
    res.assignSocket(socket);
    res.shouldKeepAlive = false;
    res.on('finish', () => closeGently(socket));
    const isOverflow = cap.isOverflow(socket);
    admission
      .admit({ req, res, openedAtNs: nowNs(), upgradeHead: head, isOverflow, listener, carrier: socket })
      ?.start();
  });
}

function parseAgain(server: HttpServer, req: IncomingMessage, socket: Socket, head: Buffer): void {
  let text = `${req.method} ${req.url} HTTP/${req.httpVersion}\r\n`;
  for (let i = 0; i < req.rawHeaders.length; i += 2) {
    const name = req.rawHeaders[i] as string;
    if (name.toLowerCase() !== 'upgrade') text += `${name}: ${req.rawHeaders[i + 1] as string}\r\n`;
  }
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), head]));
  server.emit(readyEvent(server), socket);
}

const PARSE_CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: HEAD_TOO_LARGE,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { ...ERROR_CODES.client_protocol, status: 413 },
  ERR_HTTP_REQUEST_TIMEOUT: SLOW_REQUEST,
};

function onClientError(admission: Admission, answers: OpenAnswers, error: NodeJS.ErrnoException, socket: Socket): void {
  // What comes behind our last answer is dropped, readable or not.
  if (socket.writableEnded && !socket.destroyed) return;
  const isGone = error.code === 'ECONNRESET' || isTlsFault(error) || !socket.writable;
  const why = error.code === 'HPE_INVALID_EOF_STATE' ? 'left' : 'unreadable';
  if (!isGone && admission.onBroken(socket, why)) return;
  // In the middle of an answer an answer of ours would be taken for a part of it.
  if (isGone || answers.countOf(socket) > 0) {
    socket.destroy();
    return;
  }
  admission.onUnreadable();
  respondRaw(socket, PARSE_CODES[error.code ?? ''] ?? ERROR_CODES.client_protocol);
}
