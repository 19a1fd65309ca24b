// An engine made of TCP that plays a rhythm to whoever asks for a completion, and stamps each of its writes.
// Anything else it is asked (health, models) it answers at once, as routers want it; nothing is added or repeated.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { nowNs } from '../../../src/base/clock.ts';
import { c, END } from '../../support/script.ts';
import { Signal } from '../../support/signal.ts';
import { MessageParser, type WireMessage } from '../../support/wire-parser.ts';
import type { Write } from './rhythms.ts';

const NS_PER_MS = 1e6;

export interface EnginePlay {
  readonly request: WireMessage;
  readonly requestAtNs: number;
  /** Just before the head was written. */
  headAtNs: number;
  /** Just before each write, with the body bytes up to and with it. */
  readonly writes: { readonly atNs: number; readonly text: string }[];
  /** First sign that whoever asked is gone. */
  goneAtNs: number | undefined;
  /** All was written. */
  isOver: boolean;
}

export class TruthEngine {
  readonly signal = new Signal();
  readonly plays: EnginePlay[] = [];
  #writes: readonly Write[] = [];
  #headers: Readonly<Record<string, string>> = {};
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#accept(socket));
  }

  static async start(): Promise<TruthEngine> {
    const engine = new TruthEngine();
    await new Promise<void>((resolve) => engine.#server.listen(0, '127.0.0.1', resolve));
    return engine;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** What is played to those who post from now on. */
  play(writes: readonly Write[], headers: Readonly<Record<string, string>>): void {
    this.plays.length = 0;
    this.#writes = writes;
    this.#headers = headers;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Field lines of the answer's head. */
  get headLines(): string[] {
    const own = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', server: 'uvicorn' };
    return Object.entries({ ...own, ...this.#headers, 'transfer-encoding': 'chunked' }).map(
      ([name, value]) => `${name}: ${value}`,
    );
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    let current: EnginePlay | undefined;
    const gone = (): void => {
      if (current !== undefined && !current.isOver) current.goneAtNs ??= nowNs();
      this.signal.notify();
    };
    const parser = new MessageParser({
      kind: 'request',
      onEnd: (request) => {
        current = this.#answer(socket, request);
      },
    });
    socket.on('data', (bytes: Buffer) => parser.feed(bytes, nowNs()));
    socket.on('end', () => {
      gone();
      socket.end();
    });
    // Whoever leaves with a reset is gone all the same.
    socket.on('error', gone);
    socket.on('close', () => {
      gone();
      this.#sockets.delete(socket);
    });
  }

  #answer(socket: Socket, request: WireMessage): EnginePlay | undefined {
    const [method, target = ''] = request.head?.startLine.split(' ') ?? [];
    if (method !== 'POST' || !target.endsWith('completions')) {
      const isList = target.startsWith('/v1/models');
      const body = JSON.stringify(isList ? { object: 'list', data: [{ id: 'hop-model', object: 'model' }] } : {});
      const lines = ['content-type: application/json', `content-length: ${body.length}`];
      const status = method === 'POST' ? '404 Not Found' : '200 OK';
      socket.write(`HTTP/1.1 ${status}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
      return undefined;
    }
    const play: EnginePlay = {
      request,
      requestAtNs: request.head?.atNs ?? nowNs(),
      headAtNs: 0,
      writes: [],
      goneAtNs: undefined,
      isOver: false,
    };
    this.plays.push(play);
    void this.#play(socket, play, this.#writes);
    this.signal.notify();
    return play;
  }

  async #play(socket: Socket, play: EnginePlay, writes: readonly Write[]): Promise<void> {
    const isOld = play.request.head?.startLine.endsWith('HTTP/1.0') === true;
    const lines = this.headLines.filter((line) => !isOld || !line.startsWith('transfer-encoding'));
    play.headAtNs = nowNs();
    socket.write(`HTTP/1.1 200 OK\r\n${[...lines, ...(isOld ? ['connection: close'] : [])].join('\r\n')}\r\n\r\n`);
    const coded = (text: string): Buffer => (isOld ? Buffer.from(text) : c(text));
    for (const { atMs, events } of writes) {
      const waitMs = atMs - (nowNs() - play.requestAtNs) / NS_PER_MS;
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (socket.destroyed || play.goneAtNs !== undefined) return;
      const text = events.join('');
      play.writes.push({ atNs: nowNs(), text });
      socket.write(coded(text));
      this.signal.notify();
    }
    play.isOver = true;
    if (isOld) socket.end();
    else socket.write(END);
    this.signal.notify();
  }
}
