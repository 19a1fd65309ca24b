// A client that leaves an engine in the middle of something: what each phase of an exchange needs for it, and
// how long the engine then takes to see its end of the connection close. For the test and for the bench.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { nowNs } from '../../src/base/clock.ts';
import { RawClient } from './raw-client.ts';
import { PLAN_FIELD, type EngineExchange, type RawEngine, type Script } from './raw-engine.ts';
import { c, chatRequest, D, HEAD } from './script.ts';
import { Signal, sleep } from './signal.ts';

const LEAVE_MAX_MS = 5_000;

export type How = 'rst' | 'fin';

export interface Departure {
  readonly script: Script;
  /** Resolves when it is time to go. */
  readonly until: (client: RawClient, exchange: EngineExchange) => Promise<unknown>;
  /** What is sent of the request; all of it when absent. */
  readonly sent?: (whole: Buffer) => Buffer;
}

/** An engine that writes until nobody is there. */
export const flood = async (exchange: EngineExchange): Promise<void> => {
  const block = c(D('x'.repeat(64_000)));
  await exchange.write(HEAD);
  while (exchange.connection.goneAtNs === undefined) await exchange.write(block);
};

/** The client reads the head and no more, until the engine is stuck. */
export async function untilStill(client: RawClient, exchange: EngineExchange): Promise<void> {
  await client.responseHead();
  client.pause();
  await exchange.untilStill();
}

/** From the client's leaving to the close that the engine sees. */
export async function leave(engine: RawEngine, port: number, how: How, departure: Departure): Promise<number> {
  const { script, until, sent } = departure;
  const plan = engine.plan(script);
  const client = await RawClient.open(port);
  const whole = chatRequest({ lines: [`${PLAN_FIELD}: ${plan.id}`] });
  client.request(sent?.(whole) ?? whole);
  const exchange = await plan.exchange;
  await until(client, exchange);
  const leftAtNs = nowNs();
  client[how]();
  await exchange.connection.untilGone(LEAVE_MAX_MS);
  client.close();
  return (exchange.connection.goneAtNs ?? Number.NaN) - leftAtNs;
}

/** An engine that takes connections and never answers a TLS handshake, so that connecting goes on. */
export class MuteEngine {
  readonly #signal = new Signal();
  readonly #server: Server;
  #socket: Socket | undefined;
  #goneAtNs: number | undefined;

  private constructor() {
    this.#server = createServer((socket) => {
      this.#socket = socket;
      this.#goneAtNs = undefined;
      const gone = (): void => {
        this.#goneAtNs ??= nowNs();
        this.#signal.notify();
      };
      socket.on('data', () => this.#signal.notify());
      for (const name of ['end', 'error', 'close']) socket.on(name, gone);
    });
  }

  static async start(): Promise<MuteEngine> {
    const engine = new MuteEngine();
    await new Promise<void>((resolve) => engine.#server.listen(0, '127.0.0.1', resolve));
    return engine;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** From the leaving of a client of that port to the close that this engine sees. */
  async leave(port: number, how: How): Promise<number> {
    this.#socket = undefined;
    const client = await RawClient.open(port);
    client.request(chatRequest());
    await this.#signal.until('the handshake to begin', () => (this.#socket?.bytesRead ?? 0) > 0);
    await sleep(5);
    const leftAtNs = nowNs();
    client[how]();
    await this.#signal.until('the end of connecting', () => this.#goneAtNs !== undefined);
    client.close();
    return (this.#goneAtNs ?? Number.NaN) - leftAtNs;
  }

  stop(): void {
    this.#socket?.destroy();
    this.#server.close();
  }
}
