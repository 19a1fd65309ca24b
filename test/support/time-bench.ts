// What the tests of time share: an engine that plays one event a write, a sidecar, and runs whose record
// comes with the lateness of each stamp.
import { RawClient } from './raw-client.ts';
import { RawEngine, type Script } from './raw-engine.ts';
import { at, c, chatRequest, D, DONE, END, FINISH, HEAD, type Step } from './script.ts';
import { Sidecar, type RecordEntry, type SidecarOptions } from './sidecar.ts';
import { stampLooks, type StampLook } from './stamp-honesty.ts';
import { sleep } from './signal.ts';

export interface TimedRun extends RecordEntry {
  readonly looks: readonly StampLook[];
  /** From the first event to the last, by the engine's own clock, and the longest time between two. */
  readonly sentNs: number;
  readonly sentGapMaxNs: number;
}

export class TimeBench {
  readonly engine: RawEngine;
  readonly sidecar: Sidecar;
  #runCount = 0;

  private constructor(engine: RawEngine, sidecar: Sidecar) {
    this.engine = engine;
    this.sidecar = sidecar;
  }

  static async start(options: Omit<SidecarOptions, 'upstream'> = {}): Promise<TimeBench> {
    const engine = await RawEngine.start();
    return new TimeBench(engine, await Sidecar.start({ ...options, upstream: `http://127.0.0.1:${engine.port}` }));
  }

  async stop(): Promise<void> {
    await this.sidecar.stop();
    await this.engine.stop();
  }

  /** Events of one token each, evenly apart; tokens of their own, so that none is like another. */
  run(eventCount: number, everyMs: number): Promise<TimedRun> {
    return this.#play(eventCount, evenly(eventCount, everyMs));
  }

  /** The same, faster than timers go: the engine's loop turns until it is time for the next. */
  fast(eventCount: number, everyMs: number): Promise<TimedRun> {
    return this.#play(eventCount, async (exchange) => {
      await exchange.write(HEAD);
      for (let i = 0; i < eventCount; i += 1) {
        const dueMs = performance.now() + everyMs;
        while (performance.now() < dueMs) await new Promise((resolve) => void setImmediate(resolve));
        await exchange.write(c(D(`t${i} `)));
      }
      await exchange.write(c(FINISH + DONE), END);
    });
  }

  async #play(eventCount: number, script: Script): Promise<TimedRun> {
    const plan = this.engine.plan(script);
    const client = await RawClient.open(this.sidecar.listenPort);
    this.#runCount += 1;
    const model = `time-${this.#runCount}`;
    client.request(chatRequest({ model }));
    const response = await client.response(0, 60_000);
    client.close();
    if (!response.complete) throw new Error('the stream was cut');
    const exchange = await plan.exchange;
    const entry = await this.sidecar.record(model, (record) => record.request.model === model);
    const sentAtNs = exchange.writes.slice(1, eventCount + 1).map(({ atNs }) => atNs);
    const sentGapMaxNs = Math.max(...sentAtNs.map((atNs, i) => atNs - (sentAtNs[i - 1] ?? atNs)));
    const sentNs = (sentAtNs.at(-1) ?? 0) - (sentAtNs[0] ?? 0);
    return { ...entry, looks: stampLooks(exchange, entry.record, 1), sentNs, sentGapMaxNs };
  }

  /** Stops the whole process, as a debugger, a frozen container or a paused machine does. */
  async suspend(forMs: number): Promise<void> {
    process.kill(this.sidecar.pid, 'SIGSTOP');
    try {
      await sleep(forMs);
    } finally {
      process.kill(this.sidecar.pid, 'SIGCONT');
    }
  }
}

function evenly(eventCount: number, everyMs: number): Step[] {
  const events = Array.from({ length: eventCount }, (_, i) => at(everyMs * (i + 1), c(D(`t${i} `))));
  return [at(0, HEAD), ...events, at(everyMs * (eventCount + 1), c(FINISH + DONE), END)];
}
