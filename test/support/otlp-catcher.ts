// A collector that keeps what it is sent: OTLP over HTTP with JSON bodies, as the specification's
// JSON mapping writes them (ids in hex, 64-bit integers as text). Of protobuf bodies it keeps the
// bytes. It can be told to refuse, to hang, to cut the connection, to answer without end, ever so slowly
// or with a page for people.
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { poll } from './signal.ts';

export interface CaughtAttribute {
  readonly key: string;
  readonly value: Record<string, unknown>;
}

export interface CaughtEvent {
  readonly name: string;
  readonly timeUnixNano: string;
  readonly attributes?: readonly CaughtAttribute[];
}

export interface CaughtSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly CaughtAttribute[];
  readonly events?: readonly CaughtEvent[];
  readonly droppedEventsCount?: number;
  readonly droppedAttributesCount?: number;
  readonly status?: { readonly code?: number };
}

export interface CaughtPoint {
  readonly attributes?: readonly CaughtAttribute[];
  readonly asDouble?: number;
  readonly asInt?: number | string;
  readonly count?: number | string;
  readonly sum?: number;
  readonly bucketCounts?: readonly (number | string)[];
  readonly explicitBounds?: readonly number[];
  readonly scale?: number;
}

export interface CaughtMetric {
  readonly name: string;
  readonly unit?: string;
  readonly sum?: { readonly dataPoints: readonly CaughtPoint[]; readonly isMonotonic?: boolean };
  readonly gauge?: { readonly dataPoints: readonly CaughtPoint[] };
  readonly histogram?: { readonly dataPoints: readonly CaughtPoint[] };
  readonly exponentialHistogram?: { readonly dataPoints: readonly CaughtPoint[] };
}

interface CaughtResource {
  readonly attributes?: readonly CaughtAttribute[];
}

interface TracesBody {
  readonly resourceSpans?: readonly {
    readonly resource?: CaughtResource;
    readonly scopeSpans?: readonly { readonly spans?: readonly CaughtSpan[] }[];
  }[];
}

interface MetricsBody {
  readonly resourceMetrics?: readonly {
    readonly resource?: CaughtResource;
    readonly scopeMetrics?: readonly { readonly metrics?: readonly CaughtMetric[] }[];
  }[];
}

/**
 * A status to answer with; or no answer at all, a connection cut instead of one, or a status 200 with
 * far more body than anybody asked for, with a body that comes byte by byte, or with a web page.
 */
export type CatcherMood = number | 'hang' | 'reset' | 'flood' | 'drip' | 'page';

export interface CaughtBody {
  readonly url: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

const FLOOD_BYTES = 64 * 1024 * 1024;
/** Often enough that nobody finds the connection idle. */
const DRIP_EVERY_MS = 100;

export interface CatcherOptions {
  /** PEM texts; without them it speaks plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export class OtlpCatcher {
  readonly spans: CaughtSpan[] = [];
  /** Metrics of the latest requests, in the order in which they came. */
  readonly metrics: CaughtMetric[] = [];
  readonly resources: CaughtResource[] = [];
  /** Sizes of the bodies that came, kept or not. */
  readonly bodyBytes: number[] = [];
  /** The bodies themselves, while `keepsBodies`, whatever the mood. */
  readonly bodies: CaughtBody[] = [];
  keepsBodies = false;
  /** With another mood than 200 nothing but sizes (and bodies) is kept. */
  mood: CatcherMood = 200;
  /** Value of `Retry-After` with a status of fault. */
  retryAfterSeconds: number | undefined;
  readonly #server: Server;
  readonly #secure: boolean;

  private constructor({ tls }: CatcherOptions) {
    this.#secure = tls !== undefined;
    this.#server = tls === undefined ? createServer() : createTlsServer(tls);
    this.#server.on('request', (request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      const { url = '', headers } = request;
      request.on('end', () => {
        this.#answer({ url, contentType: headers['content-type'] ?? '', bytes: Buffer.concat(pieces) }, response);
      });
      // A client that gives an answer up is what some tests are about.
      response.on('error', () => undefined);
    });
  }

  static async start(options: CatcherOptions = {}): Promise<OtlpCatcher> {
    const catcher = new OtlpCatcher(options);
    await new Promise<void>((resolve) => catcher.#server.listen(0, '127.0.0.1', resolve));
    return catcher;
  }

  get url(): string {
    return `http${this.#secure ? 's' : ''}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Waits for the spans of a trace until one of them is of this kind (2 server, 3 client). */
  spanOfKind(traceId: string, kind: number): Promise<CaughtSpan> {
    const look = (): CaughtSpan | undefined =>
      this.spans.find((span) => span.traceId === traceId && span.kind === kind);
    return poll(`a span of kind ${kind} in trace ${traceId}`, look, 15_000);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(body: CaughtBody, response: ServerResponse): void {
    const { url, contentType, bytes } = body;
    this.bodyBytes.push(bytes.length);
    if (this.keepsBodies) this.bodies.push(body);
    if (this.mood === 'hang') return;
    if (this.mood === 'reset') {
      response.socket?.resetAndDestroy();
      return;
    }
    if (this.mood === 'drip') {
      response.writeHead(200, { 'content-type': contentType, 'content-length': 1_000_000 });
      const timer = setInterval(() => response.write(' '), DRIP_EVERY_MS);
      response.on('close', () => clearInterval(timer));
      return;
    }
    if (this.mood === 'page') {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<html>It works!</html>');
      return;
    }
    const isJson = contentType.startsWith('application/json');
    if (this.mood === 200 && isJson) {
      if (url === '/v1/traces') this.#keepSpans(JSON.parse(bytes.toString()) as TracesBody);
      if (url === '/v1/metrics') this.#keepMetrics(JSON.parse(bytes.toString()) as MetricsBody);
    }
    const retryAfter = this.retryAfterSeconds === undefined ? {} : { 'retry-after': `${this.retryAfterSeconds}` };
    const status = this.mood === 'flood' ? 200 : this.mood;
    response.writeHead(status, { 'content-type': contentType, ...(status === 200 ? {} : retryAfter) });
    if (this.mood === 'flood') response.end(Buffer.alloc(FLOOD_BYTES, ' '));
    else response.end(isJson ? '{}' : '');
  }

  #keepSpans(body: TracesBody): void {
    for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
      if (resource !== undefined) this.resources.push(resource);
      for (const scope of scopeSpans ?? []) this.spans.push(...(scope.spans ?? []));
    }
  }

  #keepMetrics(body: MetricsBody): void {
    for (const { resource, scopeMetrics } of body.resourceMetrics ?? []) {
      if (resource !== undefined) this.resources.push(resource);
      for (const scope of scopeMetrics ?? []) this.metrics.push(...(scope.metrics ?? []));
    }
  }
}

/** An attribute's value as a plain one: integers as numbers, arrays as arrays. */
export function plainValue(value: Record<string, unknown> | undefined): unknown {
  if (value === undefined) return undefined;
  if ('intValue' in value) return Number(value['intValue']);
  if ('arrayValue' in value) {
    const { values = [] } = value['arrayValue'] as { values?: Record<string, unknown>[] };
    return values.map(plainValue);
  }
  return value['stringValue'] ?? value['doubleValue'] ?? value['boolValue'];
}

export function plainAttributes(attributes: readonly CaughtAttribute[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]));
}
