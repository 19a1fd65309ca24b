// Turns the entries of all tapes into reports: keeps the roster of open exchanges, tells the sinks
// what happens as it happens, and freezes each exchange at its end. A fault in reading or judging one
// exchange, or in one sink, ends nothing but itself, and is counted.
import { anchorNow, epochMsOf, nowNs, type ClockAnchor } from '../base/clock.ts';
import { ROSTER_MAX_COUNT } from '../base/limits.ts';
import type { ExchangeLabels, OpenExchange, Sink } from '../judge/report.ts';
import { promptBucket } from '../measure/buckets.ts';
import type { EngineName } from '../record/engines.ts';
import type { EndEntry, OpenEntry, TapeHandler } from '../tape/entries.ts';
import type { Classifier } from './classifier.ts';
import { Closing, type ClosingOptions, exemplarOf } from './closing.ts';
import { CompanyBook } from './company.ts';
import { ModelLabels } from './model-labels.ts';
import { ObservedExchange, type ExchangeListener } from './observed-exchange.ts';
import { openView } from './open-view.ts';

/** A wall clock that has moved further than this against the monotonic one was stepped. */
const CLOCK_STEP_MS = 2;

export interface ObserverOptions extends ClosingOptions {
  readonly sinks: readonly Sink[];
  readonly classifier: Classifier;
  /** By their position in the relay's settings; `engine` is what configuration says. */
  readonly routes: readonly { readonly name: string; readonly engine: EngineName | undefined }[];
  readonly models: readonly string[];
  readonly promptBucketEdges: readonly number[];
  /** Told once a kind of fault, for the log. */
  readonly onFault: (where: string, fault: unknown) => void;
}

/** Has a relay end an exchange, by its number there, whose client has gone. */
export type TellClientGone = (exchange: number) => void;

export class Observer {
  readonly #options: ObserverOptions;
  readonly #models: ModelLabels;
  readonly #open = new Map<string, ObservedExchange>();
  readonly #companies = new CompanyBook();
  readonly #closing: Closing;
  readonly #labels = new WeakMap<ObservedExchange, ExchangeLabels>();
  #anchor: ClockAnchor = anchorNow();
  /** Exchanges whose reading ended by a fault of ours, and faults of sinks and of sources of evidence. */
  detachedCount = 0;
  /** Exchanges that were not followed because too many were open. Lost openings are counted by their tape. */
  unfollowedCount = 0;

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#models = new ModelLabels(options.models);
    this.#closing = new Closing(options, {
      models: this.#models,
      openCount: (routeIndex) => this.#companies.openCount(routeIndex),
      tell: (call) => this.#tell(call),
      onFault: (where, fault) => this.#noteFault(where, fault),
    });
  }

  /** The handler for one life of one relay: exchanges of another life have other ids. */
  handlerFor(relay: number, life: number, tellClientGone: TellClientGone): TapeHandler & { relayGone(): void } {
    const idOf = (exchange: number): string => `${relay}.${life}-${exchange.toString(36)}`;
    const withOpen = (exchange: number, use: (observed: ObservedExchange) => void): void => {
      const observed = this.#open.get(idOf(exchange));
      if (observed !== undefined) this.#guard(observed, () => use(observed));
    };
    return {
      onOpen: (entry) => this.#onOpen(idOf(entry.exchange), entry, () => tellClientGone(entry.exchange)),
      onRequestBytes: (exchange, offset, bytes) => withOpen(exchange, (it) => it.onRequestBytes(offset, bytes)),
      onMark: (entry) => withOpen(entry.exchange, (it) => it.onMark(entry)),
      onConnected: (entry) => withOpen(entry.exchange, (it) => it.onConnected(entry)),
      onHead: (entry) => withOpen(entry.exchange, (it) => it.onHead(entry)),
      onChunk: (entry) => withOpen(entry.exchange, (it) => it.onChunk(entry)),
      onFlush: ({ exchange, seq, atNs }) => withOpen(exchange, (it) => it.onFlush(seq, atNs)),
      onEnd: (entry) => withOpen(entry.exchange, (it) => this.#onEnd(it, entry)),
      onPause: (entry) => {
        const prefix = `${relay}.${life}-`;
        for (const [id, observed] of this.#open) if (id.startsWith(prefix)) observed.onPause(entry);
      },
      relayGone: () => this.#cutAll(`${relay}.${life}-`),
    };
  }

  openExchanges(): OpenExchange[] {
    const atNs = nowNs();
    return [...this.#open.values()].map((observed) =>
      openView(observed, atNs, {
        route: this.#routeOf(observed),
        model: this.#models.labelOf(observed.request.model),
      }),
    );
  }

  /** Client ends of open exchanges, for those who look what the kernel still holds for them. */
  openObserved(): Iterable<ObservedExchange> {
    return this.#open.values();
  }

  /** Reports what still waits for evidence, with what there is. */
  settleAll(): void {
    this.#closing.settleAll();
  }

  get foldedModelCount(): number {
    return this.#models.foldedCount;
  }

  #onOpen(id: string, opening: OpenEntry, tellClientGone: () => void): void {
    if (this.#open.size >= ROSTER_MAX_COUNT) {
      this.unfollowedCount += 1;
      return;
    }
    const { classifier } = this.#options;
    const observed = new ObservedExchange(opening, {
      id,
      openedAtEpochMs: this.#epochMsOf(opening),
      classify: (subject) => classifier.classify(subject),
      listen: (exchange) => this.#listenerFor(exchange),
      tellClientGone,
      engine: this.#options.routes[opening.routeIndex]?.engine,
      company: this.#companies.enter(opening.routeIndex),
    });
    this.#open.set(id, observed);
  }

  /** Wall time of an opening. The process's own anchor is finer than the relay's stamp, but can be stale. */
  #epochMsOf({ openedAtNs, epochMs }: OpenEntry): number {
    const anchored = epochMsOf(this.#anchor, openedAtNs);
    if (Math.abs(anchored - epochMs) <= CLOCK_STEP_MS) return anchored;
    this.#anchor = { atNs: openedAtNs, epochMs };
    return epochMs;
  }

  #listenerFor(observed: ObservedExchange): ExchangeListener {
    const exemplar = exemplarOf(observed);
    const labels = (): ExchangeLabels => this.#labelsOf(observed);
    return {
      onFirstGenerated: () => {
        this.#companies.settle(observed.opening.routeIndex, observed.company);
        this.#noteFirstToken(observed);
        void this.#labelsOf(observed);
      },
      onFirstToken: (ttftNs) => this.#tell((sink) => sink.onFirstToken?.(labels(), ttftNs, exemplar)),
      onFirstVisibleToken: (ttfoNs) => this.#tell((sink) => sink.onFirstVisibleToken?.(labels(), ttfoNs, exemplar)),
      onGap: (point, { gapNs, stalled }) =>
        this.#tell((sink) => sink.onGap?.(labels(), point, gapNs, stalled, exemplar)),
      onTaintedGap: (cause) => this.#tell((sink) => sink.onTaintedGap?.(labels(), cause)),
      onCoalesced: () => this.#tell((sink) => sink.onCoalesced?.(labels(), 1)),
    };
  }

  /** Labels of an exchange; from the first call on they do not change. */
  #labelsOf(observed: ObservedExchange): ExchangeLabels {
    const frozen = this.#labels.get(observed);
    if (frozen !== undefined) return frozen;
    const route = this.#routeOf(observed);
    observed.promptTokensEstimate = this.#options.estimator.promptTokens(route, observed.request);
    const promptTokens = observed.reader?.tokens().prompt ?? observed.promptTokensEstimate;
    const labels = {
      class: observed.metering.class.name,
      model: this.#models.labelOf(observed.request.model),
      route,
      promptBucket: promptBucket(promptTokens, this.#options.promptBucketEdges),
    };
    this.#labels.set(observed, labels);
    return labels;
  }

  /** Estimates rest on what came when, so they are told of each first token. */
  #noteFirstToken(observed: ObservedExchange): void {
    const { openedAtNs } = observed.opening;
    const { requestSentAtNs } = observed.marks;
    this.#options.estimator.onFirstToken({
      id: observed.id,
      route: this.#routeOf(observed),
      request: observed.request,
      ...(requestSentAtNs === undefined ? {} : { sentAtNs: openedAtNs + requestSentAtNs }),
      tokenAtNs: openedAtNs + (observed.lastGeneratedAtNs ?? 0),
      openCount: this.#companies.openCount(observed.opening.routeIndex),
    });
  }

  #onEnd(observed: ObservedExchange, end: EndEntry): void {
    this.#forget(observed);
    observed.onEnd(end);
    this.#closing.close(observed, end, this.#labelsOf(observed));
  }

  /** No longer followed: it has ended, or our own reading of it has. */
  #forget(observed: ObservedExchange): void {
    if (this.#open.delete(observed.id)) this.#companies.leave(observed.opening.routeIndex, observed.company);
  }

  #routeOf({ opening }: ObservedExchange): string {
    return this.#options.routes[opening.routeIndex]?.name ?? 'default';
  }

  /** A relay died: what it had open was cut, at the moment at which we know. */
  #cutAll(prefix: string): void {
    for (const [id, observed] of this.#open) {
      if (!id.startsWith(prefix)) continue;
      this.#guard(observed, () =>
        this.#onEnd(observed, {
          exchange: observed.opening.exchange,
          atNs: nowNs(),
          wireEnd: 'internal_error',
          reason: 'relay died',
          answeredByUs: false,
          chunkCount: observed.chunks.totalCount,
          receivedBytes: observed.chunks.totalBytes,
          deliveredBytes: observed.chunks.flushedBytes,
          requestBytes: observed.requestBytes,
        }),
      );
    }
  }

  #guard(observed: ObservedExchange, use: () => void): void {
    try {
      use();
    } catch (fault) {
      this.#forget(observed);
      this.#noteFault('exchange', fault);
    }
  }

  #tell(call: (sink: Sink) => void): void {
    for (const sink of this.#options.sinks) {
      try {
        call(sink);
      } catch (fault) {
        this.#noteFault(`sink ${sink.name}`, fault);
      }
    }
  }

  #noteFault(where: string, fault: unknown): void {
    this.detachedCount += 1;
    this.#options.onFault(where, fault);
  }
}
