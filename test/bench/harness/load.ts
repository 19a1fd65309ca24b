// Load for benches: streams from the light engine to light clients by whatever port they are told, with a
// stamp before each write and after each read. Both ends are in this process, so there is one clock.
import { connect, type Socket } from 'node:net';
import { nowNs } from '../../../src/base/clock.ts';
import { BodyCount } from './body-count.ts';
import { EVENT_BYTES, requestFor, type Answer, type LightEngine } from './light-engine.ts';

const NS_PER_MS = 1e6;

export interface Delays {
  /** One a chunk: engine's write → whole at the client, in ns. */
  readonly chunkNs: number[];
  /** One a stream: connect → first chunk at the client, in ns. */
  readonly firstNs: number[];
}

interface StreamOptions {
  readonly port: number;
  readonly number: number;
  /** Called as soon as the engine has the request. */
  readonly onAnswer: (stream: LoadStream) => void;
  /** Called when that many chunks have come. */
  readonly onChunk?: (stream: LoadStream) => void;
}

/** One stream: what was written when, and what came when. */
export class LoadStream {
  answer: Answer | undefined;
  readonly writtenAtNs: number[] = [];
  readonly delaysNs: number[] = [];
  readonly openedAtNs = nowNs();
  firstAtNs: number | undefined;
  readonly #count = new BodyCount();
  readonly #socket: Socket;
  readonly #ended = Promise.withResolvers<void>();
  readonly #options: StreamOptions;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#socket = connect({ port: options.port, host: '127.0.0.1', noDelay: true });
    this.#socket.write(requestFor(options.number));
    this.#socket.on('data', (bytes: Buffer) => this.#onData(bytes));
    this.#socket.on('error', (error) => this.#ended.reject(error));
    this.#socket.on('close', () => this.#ended.reject(new Error('a stream was cut')));
    // Nobody may wait for a stream that has not failed yet.
    this.#ended.promise.catch(() => undefined);
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  onAnswer(answer: Answer): void {
    this.answer = answer;
    answer.head();
    this.#options.onAnswer(this);
  }

  chunk(): void {
    this.writtenAtNs.push(nowNs());
    this.answer?.chunk();
  }

  #onData(bytes: Buffer): void {
    const atNs = nowNs();
    this.#count.feed(bytes);
    const count = Math.min(Math.floor(this.#count.bodyBytes / EVENT_BYTES), this.writtenAtNs.length);
    if (count > 0) this.firstAtNs ??= atNs;
    while (this.delaysNs.length < count) {
      this.delaysNs.push(atNs - (this.writtenAtNs[this.delaysNs.length] as number));
      this.#options.onChunk?.(this);
    }
    if (!this.#count.ended) return;
    this.#ended.resolve();
    this.#socket.destroy();
  }
}

export class Load {
  readonly #engine: LightEngine;
  readonly #waiting = new Map<number, LoadStream>();
  #number = 0;

  constructor(engine: LightEngine) {
    this.#engine = engine;
    engine.onRequest = (number, answer) => {
      const stream = this.#waiting.get(number);
      this.#waiting.delete(number);
      stream?.onAnswer(answer);
    };
  }

  get enginePort(): number {
    return this.#engine.port;
  }

  open(port: number, handlers: Pick<StreamOptions, 'onAnswer' | 'onChunk'>): LoadStream {
    this.#number += 1;
    const stream = new LoadStream({ port, number: this.#number, ...handlers });
    this.#waiting.set(this.#number, stream);
    return stream;
  }

  /**
   * Lanes of streams one after the other, each of so many chunks at so many a second. The lanes start
   * spread over the length of a stream, as independent ones. Only what was written within the window counts,
   * which begins when all lanes run; `onWindow` is called at its beginning and at its end.
   */
  async paced(
    port: number,
    plan: PacedPlan,
    onWindow: (edge: 'start' | 'end') => void = () => undefined,
  ): Promise<Delays> {
    const delays: Delays = { chunkNs: [], firstNs: [] };
    const lengthNs = plan.chunkCount * plan.everyMs * NS_PER_MS;
    const begunAtNs = nowNs();
    const [fromNs, toNs] = [begunAtNs + lengthNs, begunAtNs + lengthNs + plan.forMs * NS_PER_MS];
    const pace = new Pace();
    const lane = async (index: number): Promise<void> => {
      await pace.at(begunAtNs + (lengthNs * index) / plan.streamCount);
      while (nowNs() < toNs) {
        const stream = await this.#pacedStream(port, plan, pace);
        for (const [chunk, delayNs] of stream.delaysNs.entries()) {
          const atNs = stream.writtenAtNs[chunk] as number;
          if (atNs >= fromNs && atNs < toNs) delays.chunkNs.push(delayNs);
        }
        if (stream.openedAtNs >= fromNs) delays.firstNs.push((stream.firstAtNs ?? NaN) - stream.openedAtNs);
      }
    };
    const lanes = Promise.all(Array.from({ length: plan.streamCount }, (_, index) => lane(index)));
    await pace.at(fromNs);
    onWindow('start');
    await pace.at(toNs);
    onWindow('end');
    await lanes;
    pace.stop();
    return delays;
  }

  async #pacedStream(port: number, { chunkCount, everyMs }: PacedPlan, pace: Pace): Promise<LoadStream> {
    const answered = Promise.withResolvers<void>();
    const stream = this.open(port, { onAnswer: () => answered.resolve() });
    await Promise.race([answered.promise, stream.ended]);
    const startAtNs = nowNs();
    for (let chunk = 0; chunk < chunkCount; chunk += 1) {
      await pace.at(startAtNs + chunk * everyMs * NS_PER_MS);
      stream.chunk();
    }
    stream.answer?.end();
    await stream.ended;
    return stream;
  }
}

export interface PacedPlan {
  readonly streamCount: number;
  readonly chunkCount: number;
  readonly everyMs: number;
  /** Length of the window. */
  readonly forMs: number;
}

/** One timer for all waits: thousands of timers of their own would be a load of their own. */
class Pace {
  readonly #waits: { readonly atNs: number; readonly resolve: () => void }[] = [];
  readonly #timer = setInterval(() => this.#tick(), 1);

  at(atNs: number): Promise<void> {
    return new Promise((resolve) => this.#waits.push({ atNs, resolve }));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const now = nowNs();
    let kept = 0;
    for (const wait of this.#waits) {
      if (wait.atNs <= now) wait.resolve();
      else {
        this.#waits[kept] = wait;
        kept += 1;
      }
    }
    this.#waits.length = kept;
  }
}
