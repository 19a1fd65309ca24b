// One place where an engine publishes its metrics: at a configured URL, or at the upstream itself, where
// it is looked for only once an answer has streamed well there. Keeps the latest polls and what became
// of the others. Knows nothing of exchanges but that one went well.
import { nowNs } from '../../base/clock.ts';
import { METRICS_SEARCH_AGAIN_MS, POLLS_KEPT_COUNT } from '../../base/poll-limits.ts';
import type { Log } from '../../base/log.ts';
import type { EngineState, EngineWindow, PollFault } from '../../judge/engine-state.ts';
import { defined } from '../../measure/defined.ts';
import type { EngineName } from '../../record/engines.ts';
import type { EngineSample } from '../../record/stall-context.ts';
import { lookAt, PLAIN_PATH, TENSOR_RT_LLM_PATH } from './engine-page.ts';
import { isHosted } from './hosted.ts';
import type { MetricsClient } from './metrics-client.ts';
import { PollLoop, type Reason } from './poll-loop.ts';
import { PollNotes } from './poll-notes.ts';
import { sampleOf } from './load-sample.ts';
import { beganAnew, preemptedBetween, type Poll, windowBetween } from './window.ts';

export interface TargetOptions {
  /** URL of the page, or undefined to find it at the upstream. */
  readonly url: string | undefined;
  readonly upstreamOrigin: string;
  /** What configuration says the engine is. */
  readonly engine: EngineName | undefined;
  readonly intervalMs: number;
  readonly client: MetricsClient;
  readonly log: Log;
}

/** Numbers are shown for so many intervals after the last good poll, and at least so long. */
const FRESH_INTERVALS = 3;
const FRESH_LEAST_MS = 15_000;
const NS_PER_MS = 1e6;

export class EngineTarget {
  readonly options: TargetOptions;
  readonly #loop: PollLoop;
  readonly #notes: PollNotes;
  readonly #polls: Poll[] = [];
  readonly #samples: EngineSample[] = [];
  /** Undefined while it has not been found. */
  #url: string | undefined;
  #searching = false;
  #searchedAtNs: number | undefined;
  #lastGoodAtNs: number | undefined;
  #failedAskedAtNs: number | undefined;
  #pacedPoll: Poll | undefined;
  #window: EngineWindow | undefined;
  #preemptedCount: number | undefined;
  /** How often the engine was seen to have begun anew. */
  startCount = 0;

  constructor(options: TargetOptions) {
    this.options = options;
    this.#url = options.url;
    this.#notes = new PollNotes(options.log, "the engine's metrics");
    this.#loop = new PollLoop(
      (reason) => this.#ask(reason),
      (fault) => this.#notes.broke(fault),
      options.intervalMs,
    );
  }

  start(): void {
    if (this.#url !== undefined) this.#loop.start();
  }

  close(): void {
    this.#loop.close();
  }

  /** An answer streamed well on a route to this upstream; `engine` is what it showed of its maker. */
  noteAnswer(engine: EngineName | undefined): void {
    if (this.#url !== undefined || this.#searching) return;
    const { upstreamOrigin } = this.options;
    const searchedMs = this.#searchedAtNs === undefined ? Infinity : (nowNs() - this.#searchedAtNs) / NS_PER_MS;
    if (searchedMs < METRICS_SEARCH_AGAIN_MS || isHosted(upstreamOrigin, engine)) return;
    this.#searching = true;
    this.#search(engine)
      .catch((fault: unknown) => this.#notes.broke(fault))
      .finally(() => (this.#searching = false));
  }

  /** Has it looked at soon, if it is known where. */
  askSoon(delayMs: number): void {
    if (this.#url !== undefined) this.#loop.soon(delayMs);
  }

  /** Good polls, the latest last. */
  get polls(): readonly Poll[] {
    return this.#polls;
  }

  /** The same looks as far as they show load, the latest last. */
  get samples(): readonly EngineSample[] {
    return this.#samples;
  }

  /** When the latest poll was asked that failed after the last good one. */
  get failedAskedAtNs(): number | undefined {
    return this.#failedAskedAtNs;
  }

  get engine(): EngineName | undefined {
    return this.#polls.at(-1)?.reading.engine;
  }

  get faultCounts(): ReadonlyMap<PollFault, number> {
    return this.#notes.counts;
  }

  /** What is known of the engine, for one of its routes; undefined while nobody knows of any metrics. */
  state(route: string): EngineState | undefined {
    if (this.#url === undefined && this.#lastGoodAtNs === undefined) return undefined;
    const latest = this.#polls.at(-1);
    const ageNs = this.#lastGoodAtNs === undefined ? undefined : nowNs() - this.#lastGoodAtNs;
    const freshMs = Math.max(FRESH_LEAST_MS, FRESH_INTERVALS * this.options.intervalMs);
    const fresh = ageNs !== undefined && ageNs <= freshMs * NS_PER_MS ? latest?.reading : undefined;
    return {
      route,
      up: latest !== undefined && this.#failedAskedAtNs === undefined,
      ...defined({
        engine: this.engine,
        ageNs,
        runningCount: fresh?.runningCount,
        waitingCount: fresh?.waitingCount,
        kvUsedRatio: fresh?.kvUsedRatio,
        preemptedCount: this.#preemptedCount,
        window: fresh === undefined ? undefined : this.#window,
      }),
    };
  }

  /** Tries the places in turn, quietly: most upstreams have none. */
  async #search(shown: EngineName | undefined): Promise<void> {
    this.#searchedAtNs = nowNs();
    const { upstreamOrigin, engine = shown, log } = this.options;
    let paths = engine === 'tensorrt-llm' ? [TENSOR_RT_LLM_PATH] : [PLAIN_PATH];
    for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
      const url = `${upstreamOrigin}${path}`;
      const look = await lookAt(url, this.options.client);
      if ('poll' in look) {
        this.#url = url;
        this.#take(look.poll, 'demand');
        log.info("found the engine's metrics", { url, engine: look.poll.reading.engine });
        this.#loop.start();
      } else if (look.form === 'json' && path === PLAIN_PATH) {
        paths = [TENSOR_RT_LLM_PATH];
      }
    }
  }

  async #ask(reason: Reason): Promise<void> {
    const url = this.#url;
    if (url === undefined) return;
    const askedAtNs = nowNs();
    const look = await lookAt(url, this.options.client);
    if ('poll' in look) {
      this.#failedAskedAtNs = undefined;
      this.#notes.good(url);
      this.#take(look.poll, reason);
      return;
    }
    this.#failedAskedAtNs = askedAtNs;
    this.#notes.failed(url, look.failure);
    this.#perhapsGone(askedAtNs);
  }

  /** What was found by itself and has been away for long is looked for anew, when traffic asks for it. */
  #perhapsGone(atNs: number): void {
    const goodAtNs = this.#lastGoodAtNs ?? atNs;
    if (this.options.url !== undefined || atNs - goodAtNs < METRICS_SEARCH_AGAIN_MS * NS_PER_MS) return;
    this.#url = undefined;
    this.#searchedAtNs = atNs;
    this.#loop.rest();
  }

  #take(poll: Poll, reason: Reason): void {
    const before = this.#polls.at(-1);
    const preempted = before === undefined ? undefined : preemptedBetween(before, poll);
    if (poll.reading.preempted !== undefined) this.#preemptedCount = (this.#preemptedCount ?? 0) + (preempted ?? 0);
    if (before !== undefined && beganAnew(before, poll)) this.startCount += 1;
    this.#polls.push(poll);
    if (this.#polls.length > POLLS_KEPT_COUNT) this.#polls.shift();
    this.#samples.push(sampleOf(poll, before, this.#preemptedCount));
    if (this.#samples.length > POLLS_KEPT_COUNT) this.#samples.shift();
    this.#lastGoodAtNs = poll.answeredAtNs;
    // A poll on demand lies just behind an exchange; a window that ends there would show little else.
    if (reason !== 'pace') return;
    if (this.#pacedPoll !== undefined) this.#window = windowBetween(this.#pacedPoll, poll);
    this.#pacedPoll = poll;
  }
}
