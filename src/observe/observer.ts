// Turns the entries of all tapes into reports: keeps the roster of open exchanges, tells the sinks
// what happens as it happens, and freezes each exchange at its end. A fault in reading or judging one
// exchange, or in one sink, ends nothing but itself, and is counted.
import { nowNs } from '../base/clock.ts';
import { ROSTER_MAX_COUNT } from '../base/limits.ts';
import type { HopState } from '../judge/hop/state.ts';
import type { ExchangeLabels, OpenExchange } from '../judge/report.ts';
import { promptBucket } from '../measure/buckets.ts';
import { TextCapture } from '../stream/text-capture.ts';
import type { EndEntry, OpenEntry, TapeHandler } from '../tape/entries.ts';
import { StallBook } from './causes/stall-book.ts';
import { doubtClock } from './clock-doubt.ts';
import { Closing, exemplarOf } from './closing.ts';
import { CompanyBook } from './company.ts';
import { Demand } from './demand/demand.ts';
import { ModelLabels } from './model-labels.ts';
import { ObservedExchange, type ExchangeListener, type ObservedOptions } from './observed-exchange.ts';
import type { ObserverOptions, ObserverTerms } from './observer-options.ts';
import { openView } from './open-view.ts';
import { OpeningTime } from './opening-time.ts';
import { HopSummary } from './pairing/hop-summary.ts';
import { openSightOf } from './pairing/open-sight.ts';
import { PairFinder } from './pairing/pair-finder.ts';
import type { PeerAnswer } from './pairing/peer-answer.ts';
import { endOfRelayDied } from './relay-died.ts';
import { RelayPauses } from './relay-pauses.ts';
import { RouteNames } from './route-names.ts';
import { SinkList } from './sink-list.ts';

/** Has a relay end an exchange, by its number there, whose client has gone. */
export type TellClientGone = (exchange: number) => void;

export class Observer {
  readonly #options: ObserverOptions;
  #terms: ObserverTerms;
  readonly #termsOf = new WeakMap<ObservedExchange, ObserverTerms>();
  readonly #models: ModelLabels;
  readonly #open = new Map<string, ObservedExchange>();
  readonly #companies = new CompanyBook();
  /** Exchanges that have ended and have no report yet. */
  readonly closing: Closing;
  readonly #pairs: PairFinder;
  readonly #hops = new HopSummary();
  /** Retries and batch jobs. */
  readonly demand = new Demand((job) => this.#sinks.tell((sink) => sink.onJob?.(job)));
  readonly #routes: RouteNames;
  /** Who makes stalls, and what share of steps reads prompts. */
  readonly stalls: StallBook;
  readonly #sinks: SinkList;
  readonly #openingTime = new OpeningTime();
  /** Exchanges whose reading ended by a fault of ours, and faults of sinks and of sources of evidence. */
  detachedCount = 0;
  /** Exchanges that were not followed because too many were open. Lost openings are counted by their tape. */
  unfollowedCount = 0;
  chunkCount = 0;

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#terms = options;
    this.#models = new ModelLabels(options.models);
    this.#routes = new RouteNames(options.routes);
    this.stalls = new StallBook(options.engineLooks);
    // A job is told of after the report that ended it.
    const sinks = [...options.sinks, this.#hops, this.demand];
    this.#sinks = new SinkList(sinks, (where, fault) => this.#noteFault(where, fault));
    this.#pairs = new PairFinder({
      ...(options.peer === undefined ? {} : { peer: options.peer }),
      hasEdges: () => options.routes.some(({ edge }) => edge !== undefined),
      onFault: (fault) => this.#noteFault('pairing', fault),
    });
    this.closing = new Closing(options, {
      models: this.#models,
      pairs: this.#pairs,
      demand: this.demand,
      onDelivery: (observed, word) => this.stalls.noteDelivery(this.#routes.watchedPlaceOf(observed).upstream, word),
      tell: (call) => this.#sinks.tell(call),
      onFault: (where, fault) => this.#noteFault(where, fault),
    });
  }

  /** The handler for one life of one relay: exchanges of another life have other ids. */
  handlerFor(relay: number, life: number, tellClientGone: TellClientGone): TapeHandler & { relayGone(): void } {
    // By number: no id has to be made for each entry.
    const followed = new Map<number, ObservedExchange>();
    const pauses = new RelayPauses();
    const withOpen = (exchange: number, use: (observed: ObservedExchange) => void): void => {
      const observed = followed.get(exchange);
      if (observed !== undefined && this.#open.has(observed.id)) this.#guard(observed, () => use(observed));
    };
    return {
      onOpen: (entry) => {
        const id = `${relay}.${life}-${entry.exchange.toString(36)}`;
        const observed = this.#onOpen(id, entry, { pauses, tellClientGone: () => tellClientGone(entry.exchange) });
        if (observed !== undefined) followed.set(entry.exchange, observed);
      },
      onRequestBytes: (exchange, offset, bytes) => withOpen(exchange, (it) => it.onRequestBytes(offset, bytes)),
      onMark: (entry) => withOpen(entry.exchange, (it) => it.onMark(entry)),
      onConnected: (entry) => withOpen(entry.exchange, (it) => it.onConnected(entry)),
      onHead: (entry) => withOpen(entry.exchange, (it) => it.onHead(entry)),
      onChunk: (entry) => {
        this.chunkCount += 1;
        withOpen(entry.exchange, (it) => it.onChunk(entry));
      },
      onFlush: ({ exchange, seq, atNs }) => withOpen(exchange, (it) => it.onFlush(seq, atNs)),
      onEnd: (entry) => {
        withOpen(entry.exchange, (it) => this.#onEnd(it, entry));
        followed.delete(entry.exchange);
      },
      onPause: (entry) => pauses.add(entry),
      relayGone: () => {
        for (const exchange of followed.keys()) withOpen(exchange, (it) => this.#onEnd(it, endOfRelayDied(it)));
        followed.clear();
      },
    };
  }

  /** From now on exchanges open under these terms; what was learnt of the engines behind `moved` routes is void. */
  reconfigure(terms: ObserverTerms, models: readonly string[], moved: readonly string[]): void {
    this.#terms = terms;
    this.#models.configure(models);
    for (const place of moved) this.closing.forget(place);
  }

  openExchanges(): OpenExchange[] {
    return Array.from(this.#open.values(), (observed) => this.viewOf(observed));
  }

  viewOf(observed: ObservedExchange): OpenExchange {
    return openView(observed, this.#options.toldUpToNs(), {
      route: this.#routes.nameOf(observed),
      model: this.#models.labelOf(observed.request.model),
      ...this.#routes.edgeOf(observed),
    });
  }

  /** Client ends of open exchanges, for those who look what the kernel still holds for them. */
  openObserved(): Iterable<ObservedExchange> {
    return this.#open.values();
  }

  /** Reports what still waits for evidence, with what there is. */
  settleAll(): void {
    this.closing.settleAll();
  }

  /** What is known by now of the hops that exchanges were seen on both sides of. */
  hops(): HopState[] {
    return this.#hops.states();
  }

  /** What a rubato before a hop asks for: the query of `/api/pairing`. */
  answerPeer(query: string): PeerAnswer {
    return this.#pairs.answer(query);
  }

  get foldedModelCount(): number {
    return this.#models.foldedCount;
  }

  #onOpen(
    id: string,
    opening: OpenEntry,
    relay: Pick<ObservedOptions, 'pauses' | 'tellClientGone'>,
  ): ObservedExchange | undefined {
    if (this.#open.size >= ROSTER_MAX_COUNT) {
      this.unfollowedCount += 1;
      return undefined;
    }
    const terms = this.#terms;
    const isPaired = !this.#pairs.isIdle;
    const observed = new ObservedExchange(opening, {
      id,
      openedAtEpochMs: this.#openingTime.epochMsOf(opening),
      classify: (subject) => terms.classifier.classify(subject),
      listen: (exchange) => this.#listenerFor(exchange),
      ...relay,
      engine: this.#options.routes[opening.routeIndex]?.engine,
      company: this.#companies.enter(opening.routeIndex),
      capture: this.#options.capturesText === true ? new TextCapture() : undefined,
      isPaired,
    });
    this.#termsOf.set(observed, terms);
    this.#open.set(id, observed);
    this.demand.opened(observed, this.#routes.edgeOf(observed).edge === undefined);
    if (isPaired) this.#pairs.opened(openSightOf(observed, this.#routes.edgeOf(observed).edge));
    return observed;
  }

  #listenerFor(observed: ObservedExchange): ExchangeListener {
    const exemplar = exemplarOf(observed);
    const labels = (): ExchangeLabels => this.#labelsOf(observed);
    const watch = this.stalls.watch(observed, this.#routes.watchedPlaceOf(observed), (verdict) =>
      this.#sinks.tell((sink) => sink.onStall?.(labels(), verdict, exemplar)),
    );
    return {
      onGoing: () => watch.onGoing(),
      onFirstGenerated: () => {
        this.#companies.settle(observed.opening.routeIndex, observed.company);
        this.#noteFirstToken(observed);
        void this.#labelsOf(observed);
        watch.onFirst(observed.lastGeneratedAtNs ?? 0);
      },
      onGenerated: (atNs, tokensSoFar) => watch.onEvent(atNs, tokensSoFar),
      onFirstToken: (ttftNs) => this.#sinks.tell((sink) => sink.onFirstToken?.(labels(), ttftNs, exemplar)),
      onFirstVisibleToken: (ttfoNs) =>
        this.#sinks.tell((sink) => sink.onFirstVisibleToken?.(labels(), ttfoNs, exemplar)),
      onGap: (point, gap) => {
        this.#sinks.tellGap(labels(), point, gap, exemplar);
        if (gap.stalled) watch.onStall(gap);
      },
      onTaintedGap: (cause) => this.#sinks.tell((sink) => sink.onTaintedGap?.(labels(), cause)),
      onCoalesced: () => this.#sinks.tell((sink) => sink.onCoalesced?.(labels(), 1)),
    };
  }

  /** Labels of an exchange; from the first call on they do not change. */
  #labelsOf(observed: ObservedExchange): ExchangeLabels {
    if (observed.labels !== undefined) return observed.labels;
    observed.promptTokensEstimate = this.#options.estimator.promptTokens(
      this.#routes.placeOf(observed),
      observed.request,
    );
    const promptTokens = observed.reader?.tokens().prompt ?? observed.promptTokensEstimate;
    observed.labels = {
      class: observed.metering.class.name,
      model: this.#models.labelOf(observed.request.model),
      route: this.#routes.nameOf(observed),
      promptBucket: promptBucket(promptTokens, this.#termsFor(observed).promptBucketEdges),
      ...this.#routes.edgeOf(observed),
    };
    return observed.labels;
  }

  /** Estimates rest on what came when, so they are told of each first token. */
  #noteFirstToken(observed: ObservedExchange): void {
    // What a hop does with its time is no engine's.
    if (this.#routes.edgeOf(observed).edge !== undefined) return;
    const { openedAtNs } = observed.opening;
    const { requestSentAtNs } = observed.marks;
    this.#options.estimator.onFirstToken({
      id: observed.id,
      route: this.#routes.placeOf(observed),
      request: observed.request,
      ...(requestSentAtNs === undefined ? {} : { sentAtNs: openedAtNs + requestSentAtNs }),
      tokenAtNs: openedAtNs + (observed.lastGeneratedAtNs ?? 0),
      openCount: this.#companies.openCount(observed.opening.routeIndex),
    });
  }

  #onEnd(observed: ObservedExchange, end: EndEntry): void {
    this.#forget(observed);
    doubtClock(observed, this.#options.wallOffsetMs());
    observed.onEnd(end);
    this.closing.close(observed, end, {
      labels: this.#labelsOf(observed),
      place: this.#routes.placeOf(observed),
      outputBucketEdges: this.#termsFor(observed).outputBucketEdges,
      stalls: this.stalls.watchOf(observed)?.end(end.atNs) ?? [],
    });
    observed.release();
  }

  /** No longer followed: it has ended, or our own reading of it has. */
  #forget(observed: ObservedExchange): void {
    if (this.#open.delete(observed.id)) this.#companies.leave(observed.opening.routeIndex, observed.company);
  }

  #termsFor(observed: ObservedExchange): ObserverTerms {
    return this.#termsOf.get(observed) ?? this.#terms;
  }

  #guard(observed: ObservedExchange, use: () => void): void {
    try {
      use();
    } catch (fault) {
      this.#forget(observed);
      this.#pairs.dropped(observed.id);
      this.stalls.watchOf(observed)?.drop(nowNs());
      observed.release();
      this.#noteFault('exchange', fault);
    }
  }

  #noteFault(where: string, fault: unknown): void {
    this.detachedCount += 1;
    this.#options.onFault(where, fault);
  }
}
