// The search for causes as the observer uses it: one timeline a route's upstream, one watch an exchange. A stall goes
// in when it is found and comes back with its cause: when its surroundings are known, or, where only the whole
// stream's shape can tell, when the exchange has ended. Counts every stall once.
import { STALL_CONTEXTS_MAX_COUNT } from '../../base/cause-limits.ts';
import { nowNs } from '../../base/clock.ts';
import { judgeStall, needsWholeStream } from '../../judge/causes/judge-stall.ts';
import type { DeliveryWord } from '../../judge/delivery/verdict.ts';
import { UNJUDGED, type StallVerdict } from '../../judge/causes/verdict.ts';
import type { Gap } from '../../measure/gap-meter.ts';
import type { StallContext } from '../../record/stall-context.ts';
import type { ObservedExchange } from '../observed-exchange.ts';
import type { EngineLooks } from '../observer-options.ts';
import { SeenStalls } from '../seen-stalls.ts';
import { PendingStall } from './pending-stall.ts';
import { RouteTimeline } from './route-timeline.ts';
import { streamBefore } from './stream-before.ts';
import { TrackedExchange } from './tracked-exchange.ts';

/** Told of each stall exactly once. */
export type TellStall = (verdict: StallVerdict) => void;

export interface WatchedPlace {
  /** What exchanges must share to be in each other's way. */
  readonly upstream: string;
  /** The name that the engine's metrics are known by. */
  readonly place: string;
  /** No hop that is looked behind. */
  readonly isBeforeEngine: boolean;
}

export class StallBook {
  readonly #looks: EngineLooks | undefined;
  readonly #timelines = new Map<string, RouteTimeline>();
  readonly #watches = new WeakMap<TrackedExchange, StallWatch>();
  readonly #watchesOf = new WeakMap<ObservedExchange, StallWatch>();

  constructor(looks: EngineLooks | undefined) {
    this.#looks = looks;
  }

  watch(observed: ObservedExchange, watched: WatchedPlace, tell: TellStall): StallWatch {
    const { place } = watched;
    const timeline = this.#timelineOf(watched);
    const watch = new StallWatch(observed, timeline, () => this.#looks?.askSoon(place), tell);
    this.#watches.set(watch.exchange, watch);
    this.#watchesOf.set(observed, watch);
    return watch;
  }

  /** The watch over an exchange that was ever followed. */
  watchOf(observed: ObservedExchange): StallWatch | undefined {
    return this.#watchesOf.get(observed);
  }

  /** What a stream of this upstream showed of hops on the way. */
  noteDelivery(upstream: string, word: DeliveryWord): void {
    this.#timelines.get(upstream)?.noteDelivery(word);
  }

  /** Share of decode steps that also read a prompt, of the last minute, wherever before an engine it can be said. */
  prefillStepRatios(): { readonly route: string; readonly ratio: number }[] {
    const atNs = nowNs();
    return [...this.#timelines.values()].flatMap(({ route, prefillSteps }) => {
      const ratio = route === undefined ? undefined : prefillSteps.ratio(atNs);
      return route === undefined || ratio === undefined ? [] : [{ route, ratio }];
    });
  }

  /** Upstreams are as many as configurations name, so their number is capped where routes are booked. */
  #timelineOf({ upstream, place, isBeforeEngine }: WatchedPlace): RouteTimeline {
    const known = this.#timelines.get(upstream);
    if (known !== undefined) return known;
    const timeline = new RouteTimeline({
      route: isBeforeEngine ? place : undefined,
      samples: () => this.#looks?.samples(place) ?? [],
      onFrozen: (own, context) => this.#watches.get(own)?.onFrozen(context),
    });
    this.#timelines.set(upstream, timeline);
    return timeline;
  }
}

export class StallWatch {
  readonly exchange: TrackedExchange;
  /** What can be told of its stalls while it is open. */
  readonly seen: SeenStalls;
  readonly #observed: ObservedExchange;
  readonly #timeline: RouteTimeline;
  readonly #askSoon: () => void;
  readonly #tell: TellStall;
  readonly #contexts: StallContext[] = [];
  #isStream = false;
  #isGoing = false;

  constructor(observed: ObservedExchange, timeline: RouteTimeline, askSoon: () => void, tell: TellStall) {
    this.#observed = observed;
    this.#timeline = timeline;
    this.#askSoon = askSoon;
    this.seen = new SeenStalls(observed.chunks);
    this.#tell = (verdict) => {
      this.seen.addVerdict(verdict);
      tell(verdict);
    };
    const { openedAtNs } = observed.opening;
    this.exchange = new TrackedExchange(openedAtNs, {
      sentAtNs: () => {
        const { requestSentAtNs } = observed.marks;
        return requestSentAtNs === undefined ? undefined : openedAtNs + requestSentAtNs;
      },
      promptBytes: () => promptBytesOf(observed),
      quietStepNs: () => timeline.quietStepNs,
      wasBlocked: (fromNs, toNs) =>
        wasBlocked(observed.metering.gaps.blockedNs, fromNs - openedAtNs, toNs - openedAtNs),
    });
  }

  /** It is on its way to the engine: what stands in line here has no prompt there that could be in anybody's way. */
  onGoing(): void {
    if (this.#isGoing) return;
    this.#isGoing = true;
    // What asks for no generation has no prompt to be read.
    if (this.#observed.opening.method === 'POST') this.#timeline.opened(this.exchange);
  }

  /** The first event with a generated fragment came. */
  onFirst(atNs: number): void {
    this.onGoing();
    // The text of an answer that is no stream comes when all is over, and says nothing of a prefill.
    this.#isStream = this.#observed.reader?.facts().streamed === true;
    if (this.#isStream) this.#timeline.onFirst(this.exchange, this.exchange.openedAtNs + atNs);
  }

  /** Once an event with a generated fragment; `atNs` since the exchange opened. */
  onEvent(atNs: number, tokens: number | undefined): void {
    this.seen.addEvent(atNs);
    if (this.#isStream) this.#timeline.onEvent(this.exchange, this.exchange.openedAtNs + atNs, tokens);
  }

  /** A gap was found to be a stall, at the event that ended it. */
  onStall(gap: Gap): void {
    const { chunk, atNs, gapNs } = gap;
    this.seen.addStall(gap);
    if (!this.#isStream || this.seen.count > STALL_CONTEXTS_MAX_COUNT) return this.#tell(UNJUDGED);
    const { exchange } = this;
    const endAtNs = exchange.openedAtNs + atNs;
    const { tokens, tokensBefore } = exchange;
    const soFar = tokens === undefined || tokensBefore === undefined ? undefined : tokens - tokensBefore;
    const moment = { chunk, startAtNs: endAtNs - gapNs, endAtNs };
    const { ring } = exchange;
    const ending = {
      events: ring.events(ring.count - 1),
      tokens: soFar,
      quietStepNs: this.#timeline.quietStepNs,
    };
    const stall = new PendingStall(moment, streamBefore(this.#observed, exchange, gap), ending);
    this.#timeline.onStall(exchange, stall);
    this.#askSoon();
  }

  onFrozen(context: StallContext): void {
    if (needsWholeStream(context)) {
      this.#contexts.push({ ...context, atEnd: true });
      return;
    }
    this.#contexts.push(context);
    this.#tell(judgeStall(context));
  }

  /** The exchange is over: what its record keeps of its stalls, in order of time. */
  end(atNs: number): readonly StallContext[] {
    this.#timeline.ended(this.exchange, atNs);
    const deliveries = this.#timeline.deliveries();
    return this.#contexts
      .map((context) => (context.atEnd === true ? { ...context, deliveries } : context))
      .sort((a, b) => a.chunk - b.chunk);
  }

  /** It is no longer followed, and no record will be made: nobody judges what waits for its end. */
  drop(atNs: number): void {
    for (const { atEnd } of this.end(atNs)) if (atEnd === true) this.#tell(UNJUDGED);
  }
}

/** Of the text the model is given, or of the body where that is not known (yet). */
function promptBytesOf({ marks, request, asked }: ObservedExchange): number {
  return marks.uploadEndAtNs === undefined ? asked.byteCount : (request.promptBytes ?? asked.byteCount);
}

/** Edges are from, to, from, to; the last interval may be open. */
function wasBlocked(edgesNs: readonly number[], fromNs: number, toNs: number): boolean {
  const last = edgesNs.findLastIndex((edgeNs, index) => index % 2 === 0 && edgeNs < toNs);
  return last >= 0 && (edgesNs[last + 1] ?? Infinity) > fromNs;
}
