// A collector that keeps what it is sent: OTLP over HTTP with JSON bodies, as the specification's
// JSON mapping writes them (ids in hex, 64-bit integers as text).
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { poll } from './signal.ts';

export interface CaughtSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes?: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

interface TracesBody {
  readonly resourceSpans?: readonly { readonly scopeSpans?: readonly { readonly spans?: readonly CaughtSpan[] }[] }[];
}

export class OtlpCatcher {
  readonly spans: CaughtSpan[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        if (request.url === '/v1/traces') this.#keep(JSON.parse(Buffer.concat(pieces).toString()) as TracesBody);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  static async start(): Promise<OtlpCatcher> {
    const catcher = new OtlpCatcher();
    await new Promise<void>((resolve) => catcher.#server.listen(0, '127.0.0.1', resolve));
    return catcher;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Waits for the spans of a trace until one of them is of this kind (2 server, 3 client). */
  spanOfKind(traceId: string, kind: number): Promise<CaughtSpan> {
    const look = (): CaughtSpan | undefined => this.spans.find((span) => span.traceId === traceId && span.kind === kind);
    return poll(`a span of kind ${kind} in trace ${traceId}`, look, 15_000);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #keep(body: TracesBody): void {
    for (const resource of body.resourceSpans ?? []) {
      for (const scope of resource.scopeSpans ?? []) this.spans.push(...(scope.spans ?? []));
    }
  }
}
