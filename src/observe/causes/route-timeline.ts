// What happens on one route, exchange by exchange and read by read: who waits for a first token, who is under
// generation, what prompts cost, and which stalls are still looked at. A few numbers a read; a stall's surroundings
// are gathered once a stall. Time is that of the entries: nothing here reads a clock or waits.
import {
  ARRIVALS_KEPT_COUNT,
  DELIVERIES_KEPT_COUNT,
  DEPARTED_KEPT_COUNT,
  ARRIVALS_LISTED_MAX_COUNT,
  WAITING_LOOKED_AT_MAX_COUNT,
} from '../../base/cause-limits.ts';
import type { DeliveryWord } from '../../judge/delivery/verdict.ts';
import { defined } from '../../measure/defined.ts';
import type { EngineSample, StallArrival, StallContext } from '../../record/stall-context.ts';
import { companyOf } from './company-of.ts';
import { Load } from './load.ts';
import { StepBook } from './step-book.ts';
import { StepWitness } from './step-witness.ts';
import { engineAround } from './engine-around.ts';
import { FREEZE_LATEST_NS, type PendingStall } from './pending-stall.ts';
import { ONE_STEP_NS } from './prefill-cost.ts';
import { PrefillLessons } from './prefill-lessons.ts';
import { PrefillSteps } from './prefill-steps.ts';
import type { TrackedExchange } from './tracked-exchange.ts';

/** Of the steps while somebody waits, at least so many read no prompt. */
const ANY_PERCENT = 25;

export interface TimelineOptions {
  /** Under which name its figures are shown; undefined before a hop, whose steps are an engine's behind it. */
  readonly route: string | undefined;
  /** What the engine published lately, the latest last; empty where it is not polled. */
  readonly samples: () => readonly EngineSample[];
  /** A stall's surroundings are complete. */
  readonly onFrozen: (own: TrackedExchange, context: StallContext) => void;
}

interface Watched {
  readonly own: TrackedExchange;
  readonly stall: PendingStall;
}

export class RouteTimeline {
  readonly #options: TimelineOptions;
  /** Without a first token so far, in the order of opening. */
  readonly #waiting = new Set<TrackedExchange>();
  readonly #running = new Set<TrackedExchange>();
  /** Those that got their first token last, the latest last. */
  readonly #arrived: TrackedExchange[] = [];
  /** Streams that ended last, the latest last. */
  readonly #departed: TrackedExchange[] = [];
  readonly #load = new Load();
  readonly #lessons = new PrefillLessons();
  readonly #witness = new StepWitness();
  readonly #steps = new StepBook();
  /** Of all steps: what is known of quiet ones where somebody always waits. */
  readonly #anySteps = new StepBook(ANY_PERCENT);
  readonly prefillSteps = new PrefillSteps();
  readonly #deliveries: DeliveryWord[] = [];
  /** In no order: looked through whenever one is due. */
  #watched: Watched[] = [];
  #dueAtNs = Infinity;

  constructor(options: TimelineOptions) {
    this.#options = options;
  }

  get route(): string | undefined {
    return this.#options.route;
  }

  /** What a step takes when the engine has little to do; undefined before enough of them were seen. */
  get quietStepNs(): number | undefined {
    return this.#steps.quiet?.stepNs;
  }

  opened(exchange: TrackedExchange): void {
    this.#waiting.add(exchange);
  }

  /** An event with a generated fragment came; once an event. */
  onEvent(exchange: TrackedExchange, atNs: number, tokens: number | undefined): void {
    const lastAtNs = exchange.lastReadAtNs;
    if (exchange.addEvent(atNs, tokens)) this.#onRead(exchange, lastAtNs, atNs);
    if (atNs >= this.#dueAtNs) this.#look(atNs);
  }

  #onRead(exchange: TrackedExchange, lastAtNs: number, atNs: number): void {
    const stepNs = this.#witness.stepAt(exchange, atNs);
    if (stepNs !== undefined) {
      const someoneWaits = this.#waiting.size > 0 || this.#lessons.lastFirstAtNs > lastAtNs;
      this.prefillSteps.onStep(stepNs, atNs, someoneWaits);
      (someoneWaits ? this.#anySteps : this.#steps).add(this.#running.size, stepNs);
    }
    this.#lessons.learn(atNs, this.#running, this.#steps);
  }

  /** Its first token came, as part of a stream. */
  onFirst(exchange: TrackedExchange, atNs: number): void {
    if (!this.#waiting.delete(exchange)) return;
    exchange.settle();
    exchange.firstAtNs = atNs;
    exchange.costNs = this.#lessons.costOf(exchange.promptBytes);
    this.#lessons.note(exchange, atNs, this.#waiting.size > 0);
    this.prefillSteps.onFirst(atNs);
    this.#running.add(exchange);
    this.#load.change(atNs, this.#running.size);
    exchange.loadAtFirst = this.#load.upTo(atNs);
    exchange.contextBeforeBytes = this.#contextNow();
    this.#arrived.push(exchange);
    if (this.#arrived.length > ARRIVALS_KEPT_COUNT) this.#arrived.shift();
  }

  onStall(own: TrackedExchange, stall: PendingStall): void {
    const { endAtNs } = stall.moment;
    stall.load = {
      runningBefore: this.#load.meanSince(own.firstAtNs ?? endAtNs, own.loadAtFirst, endAtNs),
      runningAt: this.#running.size,
    };
    own.pending.push(stall);
    this.#watched.push({ own, stall });
    this.#dueAtNs = Math.min(this.#dueAtNs, stall.dueAtNs);
  }

  /** It is over, or no longer followed: what is still looked at is frozen with what is known. */
  ended(exchange: TrackedExchange, atNs: number): void {
    if (exchange.pending.length > 0) {
      const own = this.#watched.filter((watched) => watched.own === exchange);
      for (const { stall } of own) this.#freeze(exchange, stall, true);
      this.#watched = this.#watched.filter((watched) => watched.own !== exchange);
    }
    if (this.#running.delete(exchange)) {
      this.#load.change(atNs, this.#running.size);
      this.#departed.push(exchange);
      if (this.#departed.length > DEPARTED_KEPT_COUNT) this.#departed.shift();
    }
    this.#waiting.delete(exchange);
    exchange.end(atNs);
    this.#witness.ended(exchange);
  }

  noteDelivery(word: DeliveryWord): void {
    this.#deliveries.push(word);
    if (this.#deliveries.length > DELIVERIES_KEPT_COUNT) this.#deliveries.shift();
  }

  /** Of the latest streams, those that a hop held, and those that passed. */
  deliveries(): { readonly heldCount: number; readonly passedCount: number } {
    const countOf = (word: DeliveryWord): number => this.#deliveries.filter((each) => each === word).length;
    return { heldCount: countOf('holds'), passedCount: countOf('passes') };
  }

  #look(atNs: number): void {
    let dueAtNs = Infinity;
    this.#watched = this.#watched.filter(({ own, stall }) => {
      if (stall.dueAtNs <= atNs) this.#lookAt(own, stall, atNs);
      if (stall.isFrozen) return false;
      dueAtNs = Math.min(dueAtNs, stall.dueAtNs);
      return true;
    });
    this.#dueAtNs = dueAtNs;
  }

  #lookAt(own: TrackedExchange, stall: PendingStall, atNs: number): void {
    if (stall.around === undefined) {
      this.#seeAround(own, stall);
      if (stall.dueAtNs > atNs) return;
    }
    const latestAtNs = stall.moment.endAtNs + FREEZE_LATEST_NS;
    if (atNs < latestAtNs && !this.#isComplete(stall)) stall.dueAtNs = latestAtNs;
    else this.#freeze(own, stall);
  }

  /** Nobody who may have been in the way is still without a first token, and the engine was looked at since. */
  #isComplete({ moment, isFull }: PendingStall): boolean {
    if (!isFull) return false;
    const samples = this.#options.samples();
    const latest = samples.at(-1);
    if (latest !== undefined && latest.atNs < moment.endAtNs) return false;
    for (const waiting of this.#waiting) return waiting.openedAtNs >= moment.endAtNs;
    return true;
  }

  #seeAround(own: TrackedExchange, stall: PendingStall): void {
    const route = {
      ...stall.load,
      contextAtBytes: this.#contextNow(),
      quiet: this.#steps.quiet ?? this.#anySteps.quiet,
      plainStepNs: this.#steps.plain(stall.load.runningAt),
      departed: this.#departed,
      costOf: (bytes: number) => this.#lessons.costOf(bytes),
    };
    stall.see(companyOf(own, stall.moment, this.#running, route));
  }

  /** Bytes of all prompts and answers in the batch. */
  #contextNow(): number {
    let bytes = 0;
    for (const exchange of this.#running) bytes += exchange.contextBytes;
    return bytes;
  }

  #freeze(own: TrackedExchange, stall: PendingStall, ended = false): void {
    if (stall.around === undefined) this.#seeAround(own, stall);
    const { company, resumed = [] } = stall.around ?? {};
    if (company === undefined) return;
    stall.isFrozen = true;
    own.pending.splice(own.pending.indexOf(stall), 1);
    const { chunk, startAtNs, endAtNs } = stall.moment;
    const { openedAtNs } = own;
    const engine = engineAround(this.#options.samples(), stall.moment, openedAtNs, (atNs) => this.#presentSince(atNs));
    // An engine that threw nobody out did no work again, however long somebody was silent.
    const recomputed = engine?.preemptedCount === 0 ? [] : resumed;
    const arrivals = [...this.#arrivalsAround(own, stall), ...recomputed];
    // Who is the first in line is being read, or will be next.
    const nearness = ({ firstTokenAtNs, firstInLineAtNs }: StallArrival): number =>
      firstInLineAtNs !== undefined ? 0 : Math.abs((firstTokenAtNs ?? Infinity) + openedAtNs - endAtNs);
    arrivals.sort((a, b) => nearness(a) - nearness(b) || a.sentAtNs - b.sentAtNs);
    const leftOut = arrivals.slice(ARRIVALS_LISTED_MAX_COUNT);
    const context: StallContext = {
      chunk,
      startAtNs: startAtNs - openedAtNs,
      endAtNs: endAtNs - openedAtNs,
      stream: stall.stream(ended),
      company,
      arrivals: arrivals.slice(0, ARRIVALS_LISTED_MAX_COUNT),
      ...defined({
        arrivalsLeftOut: leftOut.length === 0 ? undefined : { count: leftOut.length, costNs: costOfAll(leftOut) },
        engine,
      }),
    };
    this.#options.onFrozen(own, context);
  }

  /** Exchanges that were under way at that moment or are since, as far as they are remembered. */
  #presentSince(atNs: number): number {
    const remembered = new Set([...this.#running, ...this.#waiting]);
    for (const exchange of this.#arrived) if ((exchange.endedAtNs ?? Infinity) > atNs) remembered.add(exchange);
    return remembered.size;
  }

  /** Exchanges without a token of their own when the gap began, and sent before it ended. */
  #arrivalsAround(own: TrackedExchange, { moment }: PendingStall): StallArrival[] {
    const list: StallArrival[] = [];
    const add = (other: TrackedExchange, costNs: number | undefined, firstInLineAtNs?: number): void => {
      if (other === own || other.sentAtNs >= moment.endAtNs || other.promptBytes <= 0) return;
      // What ended with the step before is over, give or take its way.
      if ((other.firstAtNs ?? other.endedAtNs ?? Infinity) <= moment.startAtNs + ONE_STEP_NS) return;
      const since = (atNs: number | undefined): number | undefined =>
        atNs === undefined ? undefined : atNs - own.openedAtNs;
      list.push({
        sentAtNs: other.sentAtNs - own.openedAtNs,
        promptBytes: other.promptBytes,
        ...defined({
          firstTokenAtNs: since(other.firstAtNs),
          endedAtNs: since(other.endedAtNs),
          firstInLineAtNs: since(firstInLineAtNs),
          costNs,
        }),
      });
    };
    for (const other of this.#arrived) add(other, other.costNs);
    let lookedAt = 0;
    for (const other of this.#waiting) {
      lookedAt += 1;
      if (lookedAt > WAITING_LOOKED_AT_MAX_COUNT) break;
      const firstInLineAtNs = lookedAt === 1 ? Math.max(other.sentAtNs, this.#lessons.lastFirstAtNs) : undefined;
      add(other, this.#lessons.costOf(other.promptBytes), firstInLineAtNs);
    }
    return list;
  }
}

function costOfAll(arrivals: readonly StallArrival[]): number {
  return arrivals.reduce((sum, { costNs = 0 }) => sum + costNs, 0);
}
