// From an exchange's end to its report: record, evidence, figures. The record waits here, and only
// here, for evidence that comes from elsewhere; everything counted as it happened is out long before.
import { fieldValue } from '../base/fields.ts';
import type { Outcome } from '../base/outcome.ts';
import { gatherEvidence } from '../evidence/table.ts';
import type { DeliveryWord } from '../judge/delivery/verdict.ts';
import { judgeRecord } from '../judge/judge-record.ts';
import type { ExchangeLabels, ExemplarRef, Report, Sink } from '../judge/report.ts';
import { outputBucket } from '../measure/buckets.ts';
import { defined } from '../measure/defined.ts';
import type { StallContext } from '../record/stall-context.ts';
import type { Evidence, StreamRecord } from '../record/stream-record.ts';
import type { TextCurve } from '../record/text-curve.ts';
import type { EndEntry } from '../tape/entries.ts';
import type { Demand } from './demand/demand.ts';
import { EngineMemory, type EngineByMetrics } from './engine-memory.ts';
import { WayMemory } from './way-memory.ts';
import { subjectOf } from './evidence-subject.ts';
import type { EndedExchange, Estimator, LateSource } from './late-evidence.ts';
import { Later } from './later.ts';
import type { ModelLabels } from './model-labels.ts';
import type { ObservedExchange } from './observed-exchange.ts';
import type { Pairing } from './pairing/paired.ts';
import type { PairFinder } from './pairing/pair-finder.ts';
import { openingIds } from './pairing/sight.ts';
import { recordOf, withEvidence } from './record-of.ts';
import { Settlement } from './settlement.ts';

export interface ClosingOptions {
  /** Evidence from elsewhere than the answers, and how long an ended exchange waits for it. */
  readonly lateSources: readonly LateSource[];
  readonly evidenceWaitMs: number;
  /** The engine that a route's metrics are of. */
  readonly engineByMetrics: EngineByMetrics;
  readonly estimator: Estimator;
}

/** What was decided of an exchange by its end. */
export interface Decided {
  readonly labels: ExchangeLabels;
  /** The name that sources of evidence know its route by. */
  readonly place: string;
  readonly outputBucketEdges: readonly number[];
  /** What went on around its stalls. */
  readonly stalls: readonly StallContext[];
}

/** What closing shares with the observer. */
export interface ClosingShares {
  readonly models: ModelLabels;
  readonly pairs: PairFinder;
  readonly demand: Demand;
  /** Told of each stream what it showed of hops on the way. */
  readonly onDelivery: (observed: ObservedExchange, word: DeliveryWord) => void;
  readonly tell: (call: (sink: Sink) => void) => void;
  readonly onFault: (where: string, fault: unknown) => void;
}

export class Closing {
  readonly #options: ClosingOptions;
  readonly #shares: ClosingShares;
  readonly #engines: EngineMemory;
  readonly #ways = new WayMemory();
  readonly #settlement: Settlement;
  readonly #settling = new Set<string>();

  constructor(options: ClosingOptions, shares: ClosingShares) {
    this.#options = options;
    this.#shares = shares;
    this.#engines = new EngineMemory(options.engineByMetrics);
    this.#settlement = new Settlement({
      sources: options.lateSources,
      waitMs: options.evidenceWaitMs,
      onFault: (source, fault) => shares.onFault(`evidence ${source}`, fault),
    });
  }

  /** Takes an exchange that has ended; its report follows at once unless evidence is still expected. */
  close(observed: ObservedExchange, end: EndEntry, decided: Decided): void {
    const { labels, place } = decided;
    const { connection } = observed;
    if (connection !== undefined) observed.connection = this.#ways.recall(place, connection);
    const bare = recordOf(observed, end, {
      route: labels.route,
      edge: labels.edge,
      labels: { model: labels.model, promptBucket: labels.promptBucket },
      engine: this.#engines.recall(place, observed.request.model, observed.reader?.engine()),
      promptTokensEstimate: observed.promptTokensEstimate,
      stalls: decided.stalls,
    });
    const record = this.#shares.demand.ended(observed, bare, end.atNs);
    const text = observed.text.finish(observed.reader, observed.doubts);
    const exchange = endedExchange(observed, record, { place, atNs: end.atNs });
    // Both sights of an exchange may still be under way, and so may evidence; the report is made of all of it.
    const pairing = new Later<Pairing>();
    this.#settling.add(observed.id);
    const settle = (stated: readonly Evidence[]): void =>
      pairing.use((found) => {
        this.#settling.delete(observed.id);
        try {
          this.#report({ observed, record, text, decided, exchange }, stated, found);
        } catch (fault) {
          this.#shares.onFault('exchange', fault);
        }
      });
    // Behind a hop the time is the hop's as well: what engines say of theirs belongs to the inner exchange.
    if (labels.edge !== undefined) settle([]);
    else {
      this.#options.estimator.onEnded(exchange);
      this.#settlement.add({
        exchange,
        evidence: gatherEvidence(exchange.subject),
        worthWaiting: exchange.subject.firstTokenAtNs !== undefined,
        settle,
      });
    }
    if (!observed.text.isPaired) return pairing.set({});
    // Last, so that an exchange is reported before the one whose other sight it is.
    const ids = openingIds(observed.opening.fields, observed.opening.trace);
    const { openedAtNs } = observed.opening;
    this.#shares.pairs.ended({ record, text, ids, openedAtNs }, (found) => pairing.set(found));
  }

  /** It has ended, and its report waits for evidence or for its other sight. */
  isSettling(id: string): boolean {
    return this.#settling.has(id);
  }

  /** Another engine is behind a route from now on. */
  forget(place: string): void {
    this.#engines.forget(place);
    this.#ways.forget(place);
    this.#options.estimator.forget(place);
  }

  /** Exchanges reported without their time for evidence, because too many waited. */
  get settledEarlyCount(): number {
    return this.#settlement.hurriedCount;
  }

  /** Reports what still waits, with what there is. */
  settleAll(): void {
    this.#settlement.flush();
    this.#shares.pairs.settleAll();
  }

  /** An engine that was started anew is another one, for all that anybody knows. */
  #tellEstimator({ end }: StreamRecord, route: string): void {
    if (end.outcome === 'connect_error') this.#options.estimator.forget(route);
    else if (BROKEN_OFF.has(end.outcome)) this.#options.estimator.doubt(route);
  }

  #report(closed: Closed, stated: readonly Evidence[], { hop, unpaired }: Pairing): void {
    const { observed, record: unproven, text, decided } = closed;
    const { labels, outputBucketEdges } = decided;
    const { models, tell } = this.#shares;
    const isBeforeEngine = labels.edge === undefined;
    const estimated = isBeforeEngine ? this.#estimate(closed) : undefined;
    const evident = withEvidence(unproven, estimated === undefined ? stated : [...stated, estimated]);
    const record = hop === undefined ? evident : { ...evident, hop };
    const { figures, delivery, hop: verdict, slo, stalls } = judgeRecord(record);
    const report: Report = {
      record,
      figures,
      labels,
      outputBucket: outputBucket(record.tokens.output, outputBucketEdges),
      ...defined({ delivery, slo }),
      ...(text === undefined ? {} : { text }),
      ...(verdict === undefined ? {} : { hop: verdict }),
      ...(stalls.length === 0 ? {} : { stalls }),
      ...(unpaired === undefined ? {} : { unpaired }),
    };
    if (delivery !== undefined) this.#shares.onDelivery(observed, delivery.word);
    // The others were told of as soon as what went on around them was known.
    for (const [index, stall] of stalls.entries()) {
      if (record.stalls?.[index]?.atEnd === true) tell((sink) => sink.onStall?.(labels, stall, exemplarOf(observed)));
    }
    tell((sink) => sink.onReport?.(report, exemplarOf(observed), observed.capture?.text));
    if (isBeforeEngine) this.#tellEstimator(record, decided.place);
    if (record.end.outcome !== 'ok') return;
    models.admit(record.request.model);
    // A gateway lists what it could ask for, not what anybody runs.
    if (isBeforeEngine) for (const name of observed.listedModels()) models.admit(name);
  }

  #estimate({ observed, record, exchange }: Closed): Evidence | undefined {
    const { request, company } = observed;
    return this.#options.estimator.judge(exchange, { tokens: record.tokens, request, company });
  }
}

/** Ends that an engine's own end would have. */
const BROKEN_OFF: ReadonlySet<Outcome> = new Set([
  'upstream_aborted',
  'upstream_closed_before_head',
  'upstream_reset_reused',
]);

interface Closed {
  readonly observed: ObservedExchange;
  /** Without evidence. */
  readonly record: StreamRecord;
  readonly text: TextCurve | undefined;
  readonly decided: Decided;
  readonly exchange: EndedExchange;
}

function endedExchange(
  { id, opening, request }: ObservedExchange,
  record: StreamRecord,
  { place, atNs }: { readonly place: string; readonly atNs: number },
): EndedExchange {
  return {
    id,
    route: place,
    model: request.model,
    openedAtNs: opening.openedAtNs,
    endedAtNs: atNs,
    ok: record.end.outcome === 'ok',
    subject: subjectOf(record),
    traceId: opening.trace?.traceId,
    clientSpanId: opening.trace?.clientSpanId,
    ...(opening.trace === undefined ? {} : { traceSampled: opening.trace.sampled }),
    responseId: record.answer.responseId,
    requestId: fieldValue(opening.fields, 'x-request-id'),
  };
}

/** The trace to point at from an exemplar. */
export function exemplarOf({ opening }: ObservedExchange): ExemplarRef | undefined {
  const { trace } = opening;
  return trace?.sampled ? { traceId: trace.traceId, spanId: trace.clientSpanId } : undefined;
}
