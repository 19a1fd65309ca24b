// Load for benches: streams from the light engine to light clients by whatever port they are told, with a
// stamp before each write and after each read. Both ends are in this process, so there is one clock.
import { nowNs } from '../../../src/base/clock.ts';
import type { LightEngine } from './light-engine.ts';
import { LoadStream, type Address, type StreamHandlers } from './load-stream.ts';
import { Pace } from './pace.ts';

export { LoadStream } from './load-stream.ts';

const NS_PER_MS = 1e6;

export interface Delays {
  /** One a chunk: engine's write → whole at the client, in ns. */
  readonly chunkNs: number[];
  /** One a chunk: when its schedule wanted it written → engine's write. What this process itself came late. */
  readonly lateNs: number[];
  /** When each chunk was written, in the order of `chunkNs`. */
  readonly writtenAtNs: number[];
  /** Of the chunks, those that came by the read of an earlier one of their stream. */
  joinedCount: number;
  /** One a stream: connect → first chunk at the client, in ns. */
  readonly firstNs: number[];
}

export interface PacedPlan {
  readonly streamCount: number;
  readonly chunkCount: number;
  readonly everyMs: number;
  /** Length of the window. */
  readonly forMs: number;
  readonly event?: Buffer;
}

type Edge = 'start' | 'end';

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

  open(to: number | Address, handlers: StreamHandlers): LoadStream {
    this.#number += 1;
    const stream = new LoadStream(typeof to === 'number' ? { port: to } : to, this.#number, handlers);
    this.#waiting.set(this.#number, stream);
    return stream;
  }

  /**
   * Lanes of streams one after the other, each of so many chunks at so many a second. The lanes start
   * spread over the length of a stream, as independent ones. Only what was written within the window counts,
   * which begins when all lanes run; `onWindow` is called at its beginning and at its end. A chunk waits for its
   * moment and for nothing else, so a slow way between makes none of them later.
   */
  async paced(
    to: number | Address,
    plan: PacedPlan,
    onWindow: (edge: Edge) => void = () => undefined,
  ): Promise<Delays> {
    const delays: Delays = { chunkNs: [], lateNs: [], writtenAtNs: [], joinedCount: 0, firstNs: [] };
    const lengthNs = plan.chunkCount * plan.everyMs * NS_PER_MS;
    const begunAtNs = nowNs();
    const [fromNs, toNs] = [begunAtNs + lengthNs, begunAtNs + lengthNs + plan.forMs * NS_PER_MS];
    const pace = new Pace();
    const lane = async (index: number): Promise<void> => {
      await pace.at(begunAtNs + (lengthNs * index) / plan.streamCount);
      while (nowNs() < toNs) {
        const { stream, startAtNs } = await this.#pacedStream(to, plan, pace);
        for (const [chunk, atNs] of stream.writtenAtNs.entries()) {
          if (atNs < fromNs || atNs >= toNs) continue;
          delays.chunkNs.push(stream.delaysNs[chunk] ?? NaN);
          delays.lateNs.push(atNs - (startAtNs + chunk * plan.everyMs * NS_PER_MS));
          delays.writtenAtNs.push(atNs);
          if (stream.wasJoined[chunk] === true) delays.joinedCount += 1;
        }
        if (stream.openedAtNs >= fromNs) delays.firstNs.push((stream.firstAtNs ?? NaN) - stream.openedAtNs);
      }
    };
    const lanes = Promise.all(Array.from({ length: plan.streamCount }, (_, index) => lane(index)));
    try {
      await Promise.race([pace.at(fromNs), lanes]);
      onWindow('start');
      await Promise.race([pace.at(toNs), lanes]);
      onWindow('end');
      await lanes;
    } finally {
      pace.stop();
    }
    return delays;
  }

  async #pacedStream(to: number | Address, plan: PacedPlan, pace: Pace) {
    const answered = Promise.withResolvers<void>();
    const handlers = { onAnswer: () => answered.resolve(), ...(plan.event === undefined ? {} : { event: plan.event }) };
    const stream = this.open(to, handlers);
    await Promise.race([answered.promise, stream.ended]);
    const startAtNs = nowNs();
    for (let chunk = 0; chunk < plan.chunkCount; chunk += 1) {
      await pace.at(startAtNs + chunk * plan.everyMs * NS_PER_MS);
      stream.chunk();
    }
    stream.answer?.end();
    await stream.ended;
    return { stream, startAtNs };
  }
}
