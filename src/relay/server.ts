// The listening side of a relay: Node's HTTP servers, Fastify and @fastify/http-proxy in front of our
// forwarder. http-proxy takes any object with a `request` function as its client: that is the seam.
// What Fastify is shown of a request is one constant route; the true method, target, fields and body
// ride along as the exchange, under a symbol among the header fields, which http-proxy copies.
import type { IncomingMessage, ServerResponse } from 'node:http';
import httpProxy from '@fastify/http-proxy';
import fastify from 'fastify';
import {
  type Admission,
  type Arrival,
  createBooks,
  createListener,
  type HttpServer,
  replaceCertificate,
  type Startable,
  takeClientErrors,
} from './listener.ts';
import type { TlsPair } from './listener-tls.ts';

const EXCHANGE = Symbol('rubato.exchange');

/** The seam: http-proxy calls it in place of undici. It never calls back, so nothing is retried. */
const seam = {
  request(options: { headers: { [EXCHANGE]?: Startable } }): void {
    options.headers[EXCHANGE]?.start();
  },
};

export interface RelayServer {
  /** The main listener, then one for each edge. They do not listen yet. */
  readonly servers: readonly HttpServer[];
  /** New connections get this certificate; those that are open keep theirs. Only where there was one. */
  replaceTls(pair: TlsPair): void;
  /**
   * Closes connections that serve nobody, if not now then at a later call; of HTTP/2 those that do take nothing new
   * from now on.
   */
  closeIdle(): void;
}

export interface ServerOptions {
  readonly tls?: TlsPair | undefined;
  readonly edgeCount?: number;
  /** HTTP/2 on the same ports. */
  readonly http2?: boolean;
}

export async function createRelayServer(
  admission: Admission,
  { tls, edgeCount = 0, http2 = false }: ServerOptions = {},
): Promise<RelayServer> {
  const servers: HttpServer[] = [];
  const books = createBooks(admission);
  const door = http2 ? new (await import('./h2-door.ts')).H2Door(admission, books) : undefined;
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: false,
    // One application serves all listeners: it knows nothing of where a request came in.
    serverFactory: (handler) => {
      for (let listener = 0; listener <= edgeCount; listener += 1) {
        const onRequest = (arrival: Arrival): void => serve(admission, handler, arrival);
        servers.push(createListener({ ...books, listener, admission, tls, http2: door, onRequest }));
      }
      return servers[0] as HttpServer;
    },
  });
  await app.register(httpProxy, {
    // Never asked: the forwarder knows the true upstream. Fastify wants one all the same.
    upstream: 'http://upstream.invalid',
    httpMethods: ['GET'],
    disableRequestLogging: true,
    undici: seam as never,
    preHandler: forward,
  } as never);
  await app.ready();
  if (servers.length === 0) throw new Error('fastify made no server');
  for (const server of servers) takeClientErrors(server, admission, books);
  return {
    servers,
    replaceTls(pair) {
      for (const server of servers) replaceCertificate(server, pair);
    },
    closeIdle() {
      // For Node a connection is idle as soon as its answer is over, whatever of it has yet to leave.
      if (!books.answers.isOneLeaving) for (const server of servers) server.closeIdleConnections();
      door?.closeIdle();
    },
  };
}

interface Reply {
  from(target: string): unknown;
}

/**
 * What http-proxy's own handler does, but before it and once for all requests: that one makes three URLs of each
 * target to find out whether it is good, a tenth of what a short request costs, and the target here is a constant.
 * Never says that it is done, so Fastify goes no further: for a reply that a handler gives back it waits with seven
 * listeners until the response ends, and holds for all that time what hangs on it, two KiB a stream.
 */
function forward(_request: unknown, reply: Reply, _done: unknown): void {
  reply.from('/');
}

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

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
  res.on('error', ignore);
  handler(req, res);
}

/** Node tells here of a write behind the end; what becomes of the exchange is told by its socket. */
function ignore(): void {}
