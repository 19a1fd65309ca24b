// One client of a crowd: asks for its stream, behaves as its kind says, and says in the end what was wrong.
import { connect, type Socket } from 'node:net';
import { BodySum } from './body-sum.ts';
import type { CrowdEngine, StreamPlan } from './crowd-engine.ts';
import { crcOfPrefix, sumOfWhole } from './text.ts';
import type { Ticker } from './ticker.ts';

/** From the request's arrival at the engine to the client's leave. */
const LEAVE_AFTER_MS = 60;
/** A slow client now and then reads nothing for so long. */
const SLOW_MS = 150;
const SLOW_EVERY_COUNT = 5;
/** Beyond the time that a stream takes by its plan; then it counts as lost. */
const OVERDUE_MS = 60_000;
/** How soon the engine must hear that a client has left, with a machine busy with thousands. */
const GONE_WITHIN_MS = 5_000;
const LOOK_MS = 50;

export interface ClientOptions {
  readonly port: number;
  readonly stream: number;
  readonly plan: StreamPlan;
  readonly ticker: Ticker;
  readonly engine: CrowdEngine;
}

export class Client {
  begun = false;
  onBegun: () => void = () => undefined;
  /** What was wrong; undefined when all was as it should. */
  readonly over: Promise<string | undefined>;
  readonly #options: ClientOptions;
  readonly #socket: Socket;
  readonly #sum = new BodySum();
  readonly #closed = Promise.withResolvers<void>();
  #readCount = 0;
  #fault: string | undefined;
  /** The client itself went away. */
  #left = false;

  constructor(options: ClientOptions) {
    this.#options = options;
    const { port, stream, plan } = options;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.write(requestFor(stream));
    this.#socket.on('data', (bytes: Buffer) => this.#onData(bytes));
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => this.#closed.resolve());
    if (plan.kind === 'leave') void this.#leaveOnceAsked();
    this.over = this.#run();
  }

  async #run(): Promise<string | undefined> {
    const { plan, ticker } = this.#options;
    let isOver = false;
    const lengthMs = plan.eventCount * plan.everyMs;
    const overdue = ticker.sleep(lengthMs * (plan.kind === 'slow' ? 3 : 1) + OVERDUE_MS);
    await Promise.race([this.#closed.promise.then(() => (isOver = true)), overdue]);
    this.#socket.destroy();
    if (!isOver) return `not over in time, ${this.#sum.bytes} bytes, status ${this.#sum.status}`;
    return this.#fault ?? (await this.#judge());
  }

  #onData(bytes: Buffer): void {
    try {
      this.#sum.feed(bytes);
    } catch (error) {
      this.#fault ??= String(error);
      this.#socket.destroy();
      return;
    }
    const { plan, ticker } = this.#options;
    if (!this.begun && this.#sum.bytes > 0) {
      this.begun = true;
      this.onBegun();
      if (plan.kind === 'abort') ticker.after((plan.eventCount * plan.everyMs) / 2, () => this.#leave(true));
    }
    this.#readCount += 1;
    if (plan.kind === 'slow' && this.#readCount % SLOW_EVERY_COUNT === 0) {
      this.#socket.pause();
      ticker.after(SLOW_MS, () => this.#socket.resume());
    }
    if (this.#sum.ended) this.#socket.end();
  }

  /** A request that never was with the engine would be no loss to it. */
  async #leaveOnceAsked(): Promise<void> {
    const { engine, stream, ticker } = this.#options;
    while (!engine.askedAtMs.has(stream) && !this.#socket.destroyed) await ticker.sleep(LOOK_MS);
    await ticker.sleep(LEAVE_AFTER_MS);
    this.#leave(false);
  }

  #leave(reset: boolean): void {
    this.#left = true;
    if (reset) this.#socket.resetAndDestroy();
    else this.#socket.destroy();
  }

  async #judge(): Promise<string | undefined> {
    const { stream, plan } = this.#options;
    const { status, bytes, crc, ended } = this.#sum;
    const seen = `status ${status}, ${bytes} bytes, ${ended ? 'a clean end' : 'cut'}`;
    switch (plan.kind) {
      case 'whole':
      case 'slow': {
        const whole = sumOfWhole(stream, plan.eventCount);
        return status === 200 && ended && bytes === whole.bytes && crc === whole.crc ? undefined : seen;
      }
      case 'abort':
      case 'leave':
        if (!this.#left) return `over before the client left: ${seen}`;
        if (crc !== crcOfPrefix(stream, bytes)) return `altered: ${seen}`;
        return (await this.#engineHeard()) ? undefined : 'the engine was not told that the client left';
      case 'cut':
        return status === 200 && !ended && crc === crcOfPrefix(stream, bytes) ? undefined : seen;
      case 'refuse':
        return status === 502 && ended ? undefined : seen;
    }
  }

  async #engineHeard(): Promise<boolean> {
    const { engine, ticker, stream } = this.#options;
    for (let waitedMs = 0; waitedMs <= GONE_WITHIN_MS; waitedMs += LOOK_MS) {
      if (engine.gone.has(stream)) return true;
      await ticker.sleep(LOOK_MS);
    }
    return false;
  }
}

function requestFor(stream: number): string {
  const body = JSON.stringify({
    model: 'crowd',
    stream: true,
    messages: [{ role: 'user', content: `Stream ${stream}, please.` }],
  });
  const fields = `host: crowd\r\nx-stream: ${stream}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  return `POST /v1/chat/completions HTTP/1.1\r\n${fields}\r\n\r\n${body}`;
}
