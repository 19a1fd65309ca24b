// An engine made of nothing but TCP: it plays byte strings at stated times and notes every byte
// that comes in and every socket that opens or goes. It never adds, retries or corrects anything.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { nowNs } from '../../src/base/clock.ts';
import { bytesOf, type Step } from './script.ts';
import { Signal, sleep } from './signal.ts';
import { fieldValues, MessageParser, type WireMessage } from './wire-parser.ts';

const NS_PER_MS = 1e6;
/** Nothing was taken for so long. */
const STILL_MS = 200;
/** The field by which a request names the plan that answers it; without it plans go in order. */
export const PLAN_FIELD = 'x-plan';

export type Script = readonly Step[] | ((exchange: EngineExchange) => void | Promise<void>);

/** A script that waits for its request. */
export interface Plan {
  readonly id: string;
  readonly exchange: Promise<EngineExchange>;
}

export class EngineConnection {
  readonly signal = new Signal();
  readonly socket: Socket;
  readonly openedAtNs = nowNs();
  readonly exchanges: EngineExchange[] = [];
  readonly parser: MessageParser;
  /** Every byte that came, as it came. */
  readonly reads: { atNs: number; bytes: Buffer }[] = [];
  /** The peer half-closed; with `errorCode` it reset. */
  finAtNs: number | undefined;
  closedAtNs: number | undefined;
  errorCode: string | undefined;

  constructor(socket: Socket, onRequest: (connection: EngineConnection, request: WireMessage) => void) {
    this.socket = socket;
    this.parser = new MessageParser({ kind: 'request', onHead: (request) => onRequest(this, request) });
  }

  /** First sign that the peer is gone. */
  get goneAtNs(): number | undefined {
    return this.finAtNs ?? this.closedAtNs;
  }

  get receivedBytes(): number {
    return this.reads.reduce((sum, read) => sum + read.bytes.length, 0);
  }

  untilGone(waitMs?: number): Promise<void> {
    return this.signal.until(
      'the sidecar to close its connection to the engine',
      () => this.goneAtNs !== undefined,
      waitMs,
    );
  }
}

export class EngineExchange {
  readonly connection: EngineConnection;
  readonly request: WireMessage;
  readonly headAtNs: number;
  /** What the engine wrote, with the moments just before and just after each write was given to the kernel. */
  readonly writes: { atNs: number; doneAtNs: number; bytes: number }[] = [];
  /** The engine's own bytes, read back: body marks by write. */
  readonly sent: MessageParser = new MessageParser({ kind: 'response' });
  /** Bytes taken by the kernel or by Node on the way there. */
  writtenBytes = 0;

  constructor(connection: EngineConnection, request: WireMessage, headAtNs: number) {
    this.connection = connection;
    this.request = request;
    this.headAtNs = headAtNs;
    this.sent.bodyless.push(request.head?.startLine.startsWith('HEAD ') === true);
  }

  get answer(): WireMessage | undefined {
    return this.sent.last;
  }

  /** Writes now; resolves when Node can take more, so that a long body keeps back-pressure. */
  async write(...parts: readonly (string | Buffer)[]): Promise<void> {
    const bytes = Buffer.concat(parts.map((part) => bytesOf(part)));
    const atNs = nowNs();
    const write = { atNs, doneAtNs: atNs, bytes: bytes.length };
    this.writes.push(write);
    this.writtenBytes += bytes.length;
    this.sent.feed(bytes, atNs);
    const { socket, signal, parser } = this.connection;
    if (this.answer?.framing === 'upgrade') parser.becomeTunnel(atNs);
    const isRoom = socket.destroyed || socket.write(bytes);
    write.doneAtNs = nowNs();
    if (isRoom) return;
    await signal.until('room to write', () => socket.destroyed || !socket.writableNeedDrain, 60_000);
  }

  fin(): void {
    this.sent.end(nowNs());
    this.connection.socket.end();
  }

  rst(): void {
    this.connection.socket.resetAndDestroy();
  }

  /** The request's body has come whole. */
  untilRequestEnd(waitMs?: number): Promise<void> {
    return this.connection.signal.until('the end of the request body', () => this.request.complete, waitMs);
  }

  /** The script can write no more: everything between it and a client that does not read is full. */
  async untilStill(): Promise<void> {
    for (let before = -1; before !== this.writtenBytes;) {
      before = this.writtenBytes;
      await sleep(STILL_MS);
    }
  }

  async play(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      const waitMs = step.atMs - (nowNs() - this.headAtNs) / NS_PER_MS;
      if (waitMs > 0) await sleep(waitMs);
      if (this.connection.socket.destroyed) return;
      if (step.bytes !== undefined) void this.write(step.bytes);
      if (step.act === 'fin') this.fin();
      if (step.act === 'rst') this.rst();
      if (step.act === 'pause') this.connection.socket.pause();
      if (step.act === 'resume') this.connection.socket.resume();
    }
  }
}

interface WaitingPlan extends Plan {
  readonly script: Script;
  readonly arrived: (exchange: EngineExchange) => void;
}

export class RawEngine {
  readonly connections: EngineConnection[] = [];
  readonly signal = new Signal();
  /** Faults of scripts, to be shown by the test that follows. */
  readonly faults: unknown[] = [];
  readonly #plans: WaitingPlan[] = [];
  readonly #server: Server;
  /** Sockets under TLS as well, whose handshake may never end. */
  readonly #sockets = new Set<Socket>();
  #planCount = 0;

  private constructor(tls: TlsOptions | undefined) {
    const accept = (socket: Socket): void => this.#accept(socket);
    this.#server =
      tls === undefined
        ? createServer({ allowHalfOpen: true, noDelay: true }, accept)
        : createTlsServer({ ...tls, allowHalfOpen: true }, accept);
    this.#server.on('connection', (socket: Socket) => this.#sockets.add(socket));
    // A refused handshake is what some tests are about; it is no fault of the engine.
    this.#server.on('tlsClientError', () => undefined);
  }

  static async start(tls?: TlsOptions): Promise<RawEngine> {
    const engine = new RawEngine(tls);
    await new Promise<void>((resolve) => engine.#server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, resolve));
    return engine;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Requests whose head has come, over all connections. */
  get requestCount(): number {
    return this.connections.reduce((sum, connection) => sum + connection.exchanges.length, 0);
  }

  get openConnections(): EngineConnection[] {
    return this.connections.filter((connection) => connection.goneAtNs === undefined);
  }

  /** Answers one request to come: the one that names this plan, else the next that names none. */
  plan(script: Script): Plan {
    this.#planCount += 1;
    const { promise, resolve } = Promise.withResolvers<EngineExchange>();
    const plan: WaitingPlan = { id: `p${this.#planCount}`, exchange: promise, script, arrived: resolve };
    this.#plans.push(plan);
    return plan;
  }

  /** Plans that no request asked for must not answer those of the next test. */
  forgetPlans(): void {
    this.#plans.length = 0;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(socket: Socket): void {
    const connection = new EngineConnection(socket, (from, request) => this.#onRequest(from, request));
    this.connections.push(connection);
    const { parser } = connection;
    const changed = (): void => {
      connection.signal.notify();
      this.signal.notify();
    };
    socket.on('data', (bytes: Buffer) => {
      const atNs = nowNs();
      connection.reads.push({ atNs, bytes });
      parser.feed(bytes, atNs);
      changed();
    });
    socket.on('drain', changed);
    socket.on('end', () => {
      connection.finAtNs ??= nowNs();
      changed();
      socket.end();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      connection.errorCode = error.code ?? error.message;
    });
    socket.on('close', () => {
      connection.closedAtNs = nowNs();
      changed();
    });
    changed();
  }

  #onRequest(connection: EngineConnection, request: WireMessage): void {
    const exchange = new EngineExchange(connection, request, nowNs());
    connection.exchanges.push(exchange);
    const named = fieldValues(request.head?.lines ?? [], PLAN_FIELD)[0];
    const index = named === undefined ? 0 : this.#plans.findIndex((plan) => plan.id === named);
    const plan = this.#plans.splice(index, index < 0 ? 0 : 1)[0];
    if (plan === undefined) {
      this.faults.push(new Error(`a request came that nobody planned: ${request.head?.startLine}`));
      return;
    }
    plan.arrived(exchange);
    const { script } = plan;
    const played = typeof script === 'function' ? Promise.resolve(script(exchange)) : exchange.play(script);
    played.catch((error: unknown) => this.faults.push(error));
  }
}
