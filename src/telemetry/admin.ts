// The admin port: metrics, health, and what is going on, to read only. It is served by the main
// thread, so a scrape cannot touch a stream. Where the data comes from is app/'s business.
import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';
import { ADMIN_CONNECTIONS_MAX_COUNT, ADMIN_HEAD_MAX_BYTES, ADMIN_HEAD_TIMEOUT_MS } from '../base/limits.ts';
import { faultFields, type Log } from '../base/log.ts';
import type { EngineState } from '../judge/engine-state.ts';
import type { OpenExchange, RecentExchange, Report } from '../judge/report.ts';
import { refusalOf } from './admin-guard.ts';
import { PAGE_POLICY, renderPage } from './admin-page.ts';
import { recentRow } from './admin-rows.ts';
import type { Summary } from './summary.ts';

export interface RelayHealth {
  readonly name: string;
  readonly ok: boolean;
  /** The relay's last sign of life → now. */
  readonly heartbeatAgeMs: number;
}

export interface AdminData {
  /** By the heartbeats of the relays, never by the mood of the main thread. */
  health(): { readonly ok: boolean; readonly relays: readonly RelayHealth[] };
  ready(): { readonly ok: boolean; readonly reasons: readonly string[] };
  openExchanges(): readonly OpenExchange[];
  /** Finished exchanges, the latest first. */
  recent(): readonly RecentExchange[];
  /** The report of a finished exchange that is still remembered. */
  record(id: string): Report | undefined;
  metricsText(accept: string | undefined): { readonly body: string; readonly contentType: string };
  summary(): Summary;
  /** What the engines behind the routes say of themselves, as far as it is polled. */
  engines(): readonly EngineState[];
}

export interface AdminOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Names in lower case that `Host` may have beside IP literals and localhost. */
  readonly allowedHosts: readonly string[];
  readonly data: AdminData;
  readonly log: Log;
}

export interface AdminServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Fields of every answer: nothing of it may be cached, guessed at, framed or read by other origins. */
const FIELDS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/** Listens, or rejects with the system's error (`EADDRINUSE`, …). */
export async function startAdmin(options: AdminOptions): Promise<AdminServer> {
  const server = fastify({
    logger: false,
    forceCloseConnections: true,
    bodyLimit: 1,
    connectionTimeout: 0,
    requestTimeout: ADMIN_HEAD_TIMEOUT_MS,
    keepAliveTimeout: 75_000,
    http: {
      maxHeaderSize: ADMIN_HEAD_MAX_BYTES,
      headersTimeout: ADMIN_HEAD_TIMEOUT_MS,
      connectionsCheckingInterval: 1_000,
    },
    exposeHeadRoutes: true,
    return503OnClosing: true,
  });
  server.server.maxConnections = ADMIN_CONNECTIONS_MAX_COUNT;
  addGuard(server, new Set(options.allowedHosts));
  addErrors(server, options.log);
  addRoutes(server, options.data);
  await server.listen({ host: options.host, port: options.port });
  const address = server.server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    close: () => server.close(),
  };
}

function addGuard(server: FastifyInstance, allowedHosts: ReadonlySet<string>): void {
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(FIELDS);
    const { host, origin } = request.headers;
    const refusal = refusalOf({ method: request.method, host, origin }, allowedHosts);
    if (refusal === undefined) return undefined;
    if (refusal.status === 405) reply.header('allow', 'GET, HEAD');
    return sendError(reply, refusal.status, refusal);
  });
}

interface ErrorBody {
  readonly error: string;
  readonly message: string;
}

function sendError(reply: FastifyReply, status: number, { error, message }: ErrorBody): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send({ error, message });
}

function addErrors(server: FastifyInstance, log: Log): void {
  server.setNotFoundHandler((_request, reply) => {
    return sendError(reply, 404, { error: 'not_found', message: 'There is nothing here. The list of pages is at /.' });
  });
  server.setErrorHandler((fault: Error & { statusCode?: number }, _request, reply) => {
    const status = fault.statusCode ?? 500;
    if (status < 500) return sendError(reply, status, { error: 'bad_request', message: 'The request is not valid.' });
    log.error('The admin port failed to answer', faultFields(fault));
    return sendError(reply, 500, { error: 'internal', message: 'rubato failed to answer. The reason is in its log.' });
  });
}

function addRoutes(server: FastifyInstance, data: AdminData): void {
  server.get('/metrics', (request, reply) => {
    const { body, contentType } = data.metricsText(request.headers.accept);
    return reply.header('vary', 'accept').type(contentType).send(body);
  });
  server.get('/healthz', (_request, reply) => {
    const health = data.health();
    return reply.code(health.ok ? 200 : 503).send(health);
  });
  server.get('/readyz', (_request, reply) => {
    const ready = data.ready();
    return reply.code(ready.ok ? 200 : 503).send(ready);
  });
  server.get('/api/streams', (_request, reply) => {
    return reply.send({ open: data.openExchanges(), recent: data.recent().map(recentRow) });
  });
  server.get<{ Params: { id: string } }>('/api/streams/:id', (request, reply) => {
    const report = data.record(request.params.id);
    if (report !== undefined) return reply.send(report);
    const message = 'No finished exchange with this id is remembered; open ones have no record yet.';
    return sendError(reply, 404, { error: 'not_found', message });
  });
  server.get('/api/summary', (_request, reply) => reply.send({ ...data.summary(), engines: data.engines() }));
  server.get('/', (_request, reply) => {
    const { ok, reasons } = data.ready();
    const recent = data.recent().map(recentRow);
    const page = renderPage({
      ready: ok,
      reasons,
      summary: data.summary(),
      engines: data.engines(),
      open: data.openExchanges(),
      recent,
    });
    return reply.header('content-security-policy', PAGE_POLICY).type('text/html; charset=utf-8').send(page);
  });
}
