// The longest turn of each loop within the last ten seconds: for the gauge `rubato.self.loop_lag`.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const BUCKET_MS = 1_000;
const BUCKET_COUNT = 10;
/** How often the monitor looks; it reports its own period as delay, which is taken off. */
const RESOLUTION_MS = 10;

export interface ThreadLag {
  readonly thread: string;
  readonly lagNs: number;
}

export class LagWindow {
  readonly #take: () => readonly ThreadLag[];
  readonly #buckets = new Map<string, number[]>();
  readonly #monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #timer: NodeJS.Timeout;

  /** `takeRelays` gives each relay's longest lateness since it was last asked. */
  constructor(takeRelays: () => readonly ThreadLag[]) {
    this.#take = takeRelays;
    this.#monitor.enable();
    this.#timer = setInterval(() => this.#roll(), BUCKET_MS);
    this.#timer.unref();
  }

  /** Of the last so many seconds. */
  *longest(seconds = BUCKET_COUNT): Iterable<ThreadLag> {
    for (const [thread, buckets] of this.#buckets) yield { thread, lagNs: Math.max(0, ...buckets.slice(-seconds)) };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#monitor.disable();
  }

  #roll(): void {
    const mainNs = Math.max(0, this.#monitor.max - RESOLUTION_MS * 1e6);
    this.#monitor.reset();
    for (const { thread, lagNs } of [{ thread: 'main', lagNs: mainNs }, ...this.#take()]) {
      const buckets = this.#buckets.get(thread) ?? [];
      buckets.push(lagNs);
      if (buckets.length > BUCKET_COUNT) buckets.shift();
      this.#buckets.set(thread, buckets);
    }
  }
}
