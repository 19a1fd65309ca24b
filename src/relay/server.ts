// The listening side of a relay: Node's HTTP server, Fastify and @fastify/http-proxy in front of our
// forwarder. http-proxy takes any object with a `request` function as its client: that is the seam.
// What Fastify is shown of a request is one constant route; the true method, target, fields and body
// ride along as the exchange, under a symbol among the header fields, which http-proxy copies.
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import httpProxy from '@fastify/http-proxy';
import fastify, { type FastifyInstance } from 'fastify';
import { ERROR_CODES, METHOD_REFUSED } from '../base/error-codes.ts';
import { nowNs } from '../base/clock.ts';
import { CLIENT_HEAD_TIMEOUT_MS, CLIENT_KEEP_ALIVE_MS, HEAD_MAX_BYTES, TCP_KEEP_ALIVE_MS } from '../base/limits.ts';
import { asksForWebSocket } from './headers.ts';
import { respondRaw } from './synthetic.ts';

const EXCHANGE = Symbol('rubato.exchange');

/** What the server hands over; it knows nothing of exchanges beyond `start`. */
export interface Admission {
  /** Takes a request; undefined when it was answered already. */
  admit(arrival: Arrival): Startable | undefined;
  /** A request that no parser could read. */
  onUnreadable(socket: Socket): boolean;
}

export interface Arrival {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** When the request's head was complete. */
  readonly openedAtNs: number;
  /** A WebSocket is asked for: what the client sent right behind its head. */
  readonly upgradeHead: Buffer | undefined;
}

export interface Startable {
  start(): void;
}

/** The seam: http-proxy calls it in place of undici. It never calls back, so nothing is retried. */
const seam = {
  request(options: { headers: { [EXCHANGE]?: Startable } }): void {
    options.headers[EXCHANGE]?.start();
  },
};

export interface RelayServer {
  readonly server: http.Server;
  readonly app: FastifyInstance;
}

export async function createRelayServer(admission: Admission): Promise<RelayServer> {
  let server: http.Server | undefined;
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: false,
    serverFactory: (handler) => {
      server = createHttpServer((req, res) =>
        serve(admission, handler, { req, res, openedAtNs: nowNs(), upgradeHead: undefined }),
      );
      return server;
    },
  });
  await app.register(httpProxy, {
    // Never asked: the forwarder knows the true upstream. Fastify wants one all the same.
    upstream: 'http://upstream.invalid',
    httpMethods: ['GET'],
    disableRequestLogging: true,
    undici: seam as never,
    retryMethods: [],
    replyOptions: { retryDelay: () => null },
  } as never);
  await app.ready();
  if (server === undefined) throw new Error('fastify made no server');
  wireUpgrades(server, admission);
  server.removeAllListeners('clientError');
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) =>
    onClientError(admission, error, socket as Socket),
  );
  server.on('connect', (_req, socket) => respondRaw(socket as Socket, METHOD_REFUSED));
  return { server, app };
}

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

function createHttpServer(onRequest: Handler): http.Server {
  const server = http.createServer({
    insecureHTTPParser: false,
    // Our own gate answers with our own error; Node's would be a bare 400.
    requireHostHeader: false,
    maxHeaderSize: HEAD_MAX_BYTES,
    headersTimeout: CLIENT_HEAD_TIMEOUT_MS,
    // Bodies may take as long as they like: large images on slow lines.
    requestTimeout: 0,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: CLIENT_KEEP_ALIVE_MS,
    keepAlive: true,
    keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
    noDelay: true,
  });
  server.timeout = 0;
  server.maxRequestsPerSocket = 0;
  // No cap on fields here: the gate has one, with an answer that says so.
  server.maxHeadersCount = 0;
  // Node writes heads without naming an encoding; fields are bytes, which only Latin-1 keeps.
  server.on('connection', (socket) => socket.setDefaultEncoding('latin1'));
  server.on('request', onRequest);
  // `Expect: 100-continue` is between client and engine; we pass both sides of it on.
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', onRequest);
  return server;
}

/** Admits a request and shows it to Fastify; a pipelined one waits until it is its turn. */
function serve(admission: Admission, handler: Handler, arrival: Arrival): void {
  const { req, res } = arrival;
  if (res.socket === null) {
    res.once('socket', () => serve(admission, handler, arrival));
    return;
  }
  const exchange = admission.admit(arrival);
  if (exchange === undefined) return;
  req.method = 'GET';
  req.url = '/';
  req.headers = { [EXCHANGE]: exchange } as never;
  handler(req, res);
}

function wireUpgrades(server: http.Server, admission: Admission): void {
  // Only WebSockets are passed on. Other upgrades (h2c, which Java's client asks for by default) are
  // ordinary requests with a field that stops here. Node before 24.9 knows no such choice, so there
  // the request goes back to the parser without the field.
  (server as { shouldUpgradeCallback?: (req: IncomingMessage) => boolean }).shouldUpgradeCallback = (req) =>
    asksForWebSocket(req.rawHeaders);
  server.on('upgrade', (req: IncomingMessage, duplex: Duplex, head: Buffer) => {
    const socket = duplex as Socket;
    if (!asksForWebSocket(req.rawHeaders)) return parseAgain(server, req, socket, head);
    socket.on('error', () => socket.destroy());
    const res = new http.ServerResponse(req);
    res.assignSocket(socket);
    res.shouldKeepAlive = false;
    res.on('finish', () => socket.destroySoon());
    admission.admit({ req, res, openedAtNs: nowNs(), upgradeHead: head })?.start();
  });
}

function parseAgain(server: http.Server, req: IncomingMessage, socket: Socket, head: Buffer): void {
  let text = `${req.method} ${req.url} HTTP/${req.httpVersion}\r\n`;
  for (let i = 0; i < req.rawHeaders.length; i += 2) {
    const name = req.rawHeaders[i] as string;
    if (name.toLowerCase() !== 'upgrade') text += `${name}: ${req.rawHeaders[i + 1] as string}\r\n`;
  }
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

const PARSE_STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

function onClientError(admission: Admission, error: NodeJS.ErrnoException, socket: Socket): void {
  const answerable = admission.onUnreadable(socket) && socket.writable && error.code !== 'ECONNRESET';
  if (!answerable) {
    socket.destroy();
    return;
  }
  respondRaw(socket, { ...ERROR_CODES.client_protocol, status: PARSE_STATUS[error.code ?? ''] ?? 400 });
}
