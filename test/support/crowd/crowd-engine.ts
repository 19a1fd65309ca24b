// The engine of a crowd: plays to each request the stream that its number and kind ask for, at its pace, and
// notices when the proxy takes a connection away. Kept as light as can be, for thousands of streams at once.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { onStreamRequest } from '../stream-requests.ts';
import { eventOf, lastOf } from './text.ts';
import type { Ticker } from './ticker.ts';

/**
 * `whole`: to its end. `slow`: the same, for a client that reads with pauses. `abort`: the client resets the
 * connection half-way. `leave`: the client closes before anything came. `cut`: the engine resets the connection
 * half-way. `refuse`: the engine closes at the request.
 */
export const KINDS = ['whole', 'slow', 'abort', 'leave', 'cut', 'refuse'] as const;
export type Kind = (typeof KINDS)[number];

export interface StreamPlan {
  readonly kind: Kind;
  readonly eventCount: number;
  readonly everyMs: number;
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';

export class CrowdEngine {
  readonly plans = new Map<number, StreamPlan>();
  /** When the request of each stream was here, ms of `performance.now()`. */
  readonly askedAtMs = new Map<number, number>();
  /** Streams whose connection was taken away before they were over. */
  readonly gone = new Set<number>();
  readonly sockets = new Set<Socket>();
  readonly #server: Server;
  readonly #ticker: Ticker;

  private constructor(ticker: Ticker) {
    this.#ticker = ticker;
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  static async start(ticker: Ticker): Promise<CrowdEngine> {
    const engine = new CrowdEngine(ticker);
    const at = { port: 0, host: '127.0.0.1', backlog: 4096 };
    await new Promise<void>((resolve) => engine.#server.listen(at, resolve));
    return engine;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  forget(stream: number): void {
    this.plans.delete(stream);
    this.askedAtMs.delete(stream);
    this.gone.delete(stream);
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(socket: Socket): void {
    this.sockets.add(socket);
    let stream: number | undefined;
    const over = (): void => {
      stream = undefined;
    };
    onStreamRequest(socket, (asked) => {
      stream = asked;
      this.askedAtMs.set(stream, performance.now());
      this.#play(socket, stream, over);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (stream !== undefined) this.gone.add(stream);
      this.sockets.delete(socket);
    });
  }

  #play(socket: Socket, stream: number, over: () => void): void {
    const plan = this.plans.get(stream);
    this.plans.delete(stream);
    if (plan === undefined) throw new Error(`nobody planned stream ${stream}`);
    const { kind, eventCount, everyMs } = plan;
    if (kind === 'leave') return;
    if (kind === 'refuse') {
      over();
      socket.destroy();
      return;
    }
    let index = 0;
    const next = (): void => {
      if (socket.destroyed) return;
      if (kind === 'cut' && index === Math.ceil(eventCount / 2)) {
        over();
        socket.resetAndDestroy();
      } else if (index < eventCount) {
        socket.write((index === 0 ? HEAD : '') + framed(eventOf(stream, index)), 'latin1');
        index += 1;
        this.#ticker.after(everyMs, next);
      } else if (kind !== 'abort') {
        // One that the client will abort must not be over before.
        over();
        socket.write(`${framed(lastOf())}0\r\n\r\n`, 'latin1');
      }
    };
    next();
  }
}

function framed(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}
