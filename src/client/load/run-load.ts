// One run: each request at the moment it is due, or in a closed loop as soon as there is room, and the figures of
// what came. A request that cannot be sent in time counts from when it was due all the same. Prints nothing.
import { setImmediate } from 'node:timers/promises';
import { epochMs, nowNs } from '../../base/clock.ts';
import { defined } from '../../measure/defined.ts';
import { LOAD_CLASSES_MAX_COUNT, LOAD_EXACT_MAX_COUNT } from '../../base/load-limits.ts';
import type { Trouble } from '../probe/result.ts';
import { ClassTally } from './class-tally.ts';
import { exchangeOf } from './exchange-of.ts';
import type { LoadOptions } from './options.ts';
import { type Planned, planRequests } from './plan.ts';
import { LOAD_SCHEMA, type LoadExchange, type LoadResult } from './result.ts';
import { type Answered, Sender } from './sender.ts';
import { Tally } from './tally.ts';
import { TurnBound } from './turn-bound.ts';
import { Verdicts } from './verdicts.ts';
import { waitUntil } from './wait-until.ts';
import { warningsOf } from './warnings.ts';

const NS_PER_MS = 1e6;
const ALL = 'all';
const OTHER = 'other';
/** Output tokens of the request that only checks the endpoint: nobody wants to wait for a whole answer. */
const CHECK_TOKENS_MAX = 16;
/** After a request that got no answer at all, in a closed loop. */
const REST_MS = 100;

/** Sends one request that is not counted; what is wrong with the answer, if anything is. */
export async function checkTarget(options: LoadOptions): Promise<Trouble | undefined> {
  const bound = new TurnBound();
  const sender = new Sender(options, bound);
  const onStop = (): void => sender.giveUpAll('stopped');
  options.signal.addEventListener('abort', onStop, { once: true });
  try {
    const [first] = planRequests(options.classes, options.schedule, options.seed);
    if (first === undefined) return undefined;
    return await sender.check({ ...first, outputTokens: Math.min(first.outputTokens, CHECK_TOKENS_MAX) });
  } finally {
    options.signal.removeEventListener('abort', onStop);
    sender.close();
    bound.stop();
  }
}

export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const run = new LoadRun(options);
  return await run.run();
}

/** Of one request, in ns since the run began. */
interface Times {
  readonly dueAtNs: number;
  readonly roomAtNs: number;
  readonly isCounted: boolean;
}

class LoadRun {
  readonly #options: LoadOptions;
  readonly #bound = new TurnBound();
  readonly #sender: Sender;
  readonly #startedAtEpochMs = epochMs();
  readonly #startedAtNs = nowNs();
  readonly #classes = new Map<string, ClassTally>();
  readonly #all = new ClassTally(ALL);
  readonly #verdicts: Verdicts;
  readonly #late = new Tally(LOAD_EXACT_MAX_COUNT);
  readonly #running = new Set<Promise<void>>();
  readonly #counts = { sent: 0, warmup: 0, counted: 0, unsent: 0, open: 0, ended: 0, failed: 0, texts: 0, mostOpen: 0 };
  #onRoom: (() => void) | undefined;
  #draining = false;
  #fault: unknown;
  #lastEndAtNs = 0;
  /** When there was room again, the last time there had been none. */
  #roomAtNs = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#sender = new Sender(options, this.#bound);
    this.#verdicts = new Verdicts(options.specs);
  }

  async run(): Promise<LoadResult> {
    const { signal } = this.#options;
    const onStop = (): void => {
      this.#sender.giveUpAll('stopped');
      this.#onRoom?.();
    };
    signal.addEventListener('abort', onStop, { once: true });
    await this.#sendAll();
    this.#draining = true;
    this.#tell();
    await this.#drain();
    signal.removeEventListener('abort', onStop);
    this.#sender.close();
    this.#bound.stop();
    if (this.#fault !== undefined) throw this.#fault;
    return this.#result();
  }

  async #sendAll(): Promise<void> {
    const { classes, schedule, seed, count, signal } = this.#options;
    const isOpen = schedule.kind !== 'closed';
    let isOver = false;
    for (const planned of planRequests(classes, schedule, seed)) {
      const dueAtNs = planned.dueAtNs ?? this.#now();
      if (dueAtNs >= this.#endAtNs || (count !== undefined && this.#counts.counted >= count)) return;
      if (isOver) {
        this.#leaveOut(planned, dueAtNs);
        continue;
      }
      if (isOpen) await waitUntil(this.#startedAtNs + dueAtNs, this.#bound, signal);
      if (!this.#hasRoom) {
        await this.#room();
        this.#roomAtNs = this.#now();
      }
      if (signal.aborted || this.#fault !== undefined) return;
      const nowAtNs = this.#now();
      if (!isOpen && nowAtNs >= this.#endAtNs) return;
      // This one and all later ones were due, and there was never room for them.
      isOver = isOpen && nowAtNs >= this.#endAtNs + this.#drainNs;
      if (isOver) this.#leaveOut(planned, dueAtNs);
      else this.#start(planned, isOpen ? dueAtNs : nowAtNs);
    }
  }

  #leaveOut({ class: name }: Planned, dueAtNs: number): void {
    if (dueAtNs < this.#warmupNs) return;
    this.#counts.unsent += 1;
    this.#counts.counted += 1;
    for (const tally of [this.#tallyOf(name), this.#all]) tally.addUnsent();
    this.#verdicts.addUnsent(name);
  }

  #start(planned: Planned, dueAtNs: number): void {
    const roomAtNs = Math.max(dueAtNs, this.#roomAtNs);
    const isCounted = dueAtNs >= this.#warmupNs;
    this.#counts.sent += 1;
    this.#counts[isCounted ? 'counted' : 'warmup'] += 1;
    const one: Promise<void> = this.#one(planned, { dueAtNs, roomAtNs, isCounted }).finally(() => {
      this.#running.delete(one);
      this.#onRoom?.();
    });
    this.#running.add(one);
    this.#counts.mostOpen = Math.max(this.#counts.mostOpen, this.#running.size);
    this.#tell();
  }

  async #one(planned: Planned, times: Times): Promise<void> {
    try {
      const answered = await this.#sender.send(planned);
      // In a later turn: reads of others that came in this one are still to be stamped.
      await setImmediate();
      this.#end(planned, answered, times);
      if (answered.asked.record.response.status === undefined) await this.#rest();
    } catch (fault) {
      // Ours, not the endpoint's: the run ends with it, in order.
      this.#fault ??= fault;
    }
  }

  /** Who works in a closed loop does not call a dead server thousands of times a second. */
  async #rest(): Promise<void> {
    if (this.#options.schedule.kind !== 'closed') return;
    await waitUntil(nowNs() + REST_MS * NS_PER_MS, this.#bound, this.#options.signal);
  }

  #end(planned: Planned, answered: Answered, times: Times): void {
    const { asked, sentAtNs, ...rest } = answered;
    const sent = { ...rest, ...times, planned, record: asked.record, sentAtNs: sentAtNs - this.#startedAtNs };
    const { exchange, slo } = exchangeOf(sent, this.#options.specs.get(planned.class));
    this.#counts.ended += 1;
    this.#counts.texts += exchange.textEventCount;
    if (answered.givenUp === 'stopped') this.#counts.open += times.isCounted ? 1 : 0;
    else if (exchange.outcome !== 'ok') this.#counts.failed += 1;
    if (times.isCounted && answered.givenUp !== 'stopped') {
      this.#keep(exchange);
      if (slo !== undefined) this.#verdicts.add(exchange.class, slo);
    }
    this.#tell();
  }

  #keep(exchange: LoadExchange): void {
    for (const tally of [this.#tallyOf(exchange.class), this.#all]) tally.add(exchange);
    this.#late.add(exchange.lateNs);
    this.#lastEndAtNs = Math.max(this.#lastEndAtNs, exchange.sentAtNs + exchange.durationNs);
    this.#options.listener.onExchange?.(exchange);
  }

  /** Waits for the open ones, but not for ever. */
  async #drain(): Promise<void> {
    const over = new AbortController();
    const allEnded = Promise.all(this.#running).then(() => over.abort());
    await waitUntil(nowNs() + this.#drainNs, this.#bound, over.signal);
    if (!over.signal.aborted) this.#sender.giveUpAll('total');
    await allEnded;
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      const limit = setTimeout(
        () => this.#onRoom?.(),
        Math.max(0, this.#endAtNs + this.#drainNs - this.#now()) / NS_PER_MS,
      );
      this.#onRoom = () => {
        clearTimeout(limit);
        this.#onRoom = undefined;
        resolve();
      };
      if (this.#options.signal.aborted) this.#onRoom();
    });
  }

  #result(): LoadResult {
    const { target, model, seed, warmupMs, specs, scheduleText, signal } = this.#options;
    const { url, api } = target;
    const classes = [...this.#classes.values()].map((tally) => tally.read());
    const all = this.#all.read();
    const late = this.#late.spread();
    const counts = this.#counts;
    const shape = { all, late, mostOpenCount: counts.mostOpen, options: this.#options, unsentCount: counts.unsent };
    return {
      schema: LOAD_SCHEMA,
      url: `${url.origin}${url.pathname}`,
      api: api.name,
      model,
      schedule: scheduleText,
      seed,
      startedAtEpochMs: this.#startedAtEpochMs,
      warmupMs,
      measuredNs: Math.max(0, Math.max(this.#lastEndAtNs, Math.min(this.#now(), this.#endAtNs)) - this.#warmupNs),
      warmupCount: counts.warmup,
      unsentCount: counts.unsent,
      openCount: counts.open,
      resentCount: this.#sender.resentCount,
      mostOpenCount: counts.mostOpen,
      stopped: signal.aborted,
      classes,
      ...defined({ all: classes.length > 1 ? all : undefined }),
      verdicts: this.#verdicts.read(classes.map(({ class: name }) => name).filter((name) => specs.has(name))),
      generator: { late, warnings: warningsOf(shape) },
    };
  }

  #tallyOf(given: string): ClassTally {
    // A trace can name any number of classes; those that are too many are told together.
    const isKnown = this.#classes.has(given) || this.#classes.size < LOAD_CLASSES_MAX_COUNT;
    const name = isKnown ? given : OTHER;
    let tally = this.#classes.get(name);
    if (tally === undefined) this.#classes.set(name, (tally = new ClassTally(name)));
    return tally;
  }

  #tell(): void {
    const { sent, ended, failed, texts } = this.#counts;
    this.#options.listener.onProgress?.({
      warmingUp: this.#now() < this.#warmupNs,
      sentCount: sent,
      openCount: this.#running.size,
      endedCount: ended,
      failedCount: failed,
      textEventCount: texts,
      draining: this.#draining,
    });
  }

  get #hasRoom(): boolean {
    return this.#running.size < this.#options.concurrency;
  }

  get #warmupNs(): number {
    return this.#options.warmupMs * NS_PER_MS;
  }

  get #endAtNs(): number {
    return this.#warmupNs + this.#options.durationMs * NS_PER_MS;
  }

  get #drainNs(): number {
    return this.#options.drainMs * NS_PER_MS;
  }

  #now(): number {
    return nowNs() - this.#startedAtNs;
  }
}
