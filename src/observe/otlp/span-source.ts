// The source of late evidence that engine spans are: what is known of an exchange by now, and whether
// more is worth waiting for. Joins, judges by evidence/engine-spans.ts, and counts how it went.
import { OTLP_ENDED_MAX_COUNT } from '../../base/otlp-limits.ts';
import type { EngineSpan } from '../../evidence/engine-span.ts';
import { ENGINE_SPANS, readEngineSpans } from '../../evidence/engine-spans.ts';
import type { Evidence } from '../../record/stream-record.ts';
import type { EndedExchange, LateSource } from '../late-evidence.ts';
import { SpanJoin } from './span-join.ts';
import type { SpanStore } from './span-store.ts';
import { WaitPolicy } from './wait-policy.ts';

/**
 * How it went for the exchanges of which spans came. Spans come piece by piece: an exchange can count as
 * silent first and as told later, but never twice as the same.
 */
export interface JoinCounts {
  /** Spans told of queue or prefill. */
  told: number;
  /** Spans came and stated no time of ours. */
  silent: number;
  /** Spans came and could be somebody else's. */
  ambiguous: number;
  /** A span came when the report no longer waited for it. */
  late: number;
}

type Verdict = Exclude<keyof JoinCounts, 'late'>;

export interface SpanSourceOptions {
  readonly store: SpanStore;
  /** How long the report of an ended exchange waits. */
  readonly waitMs: number;
  /** Told of each exchange whose span came too late, and by how much after its end. */
  readonly onLate: (afterMs: number) => void;
}

export class SpanSource implements LateSource {
  readonly name = ENGINE_SPANS;
  readonly counts: JoinCounts = { told: 0, silent: 0, ambiguous: 0, late: 0 };
  readonly #options: SpanSourceOptions;
  readonly #join: SpanJoin;
  readonly #waits = new WaitPolicy();
  /** Verdicts that were counted, as exchange id and verdict. */
  readonly #counted = new Set<string>();

  constructor(options: SpanSourceOptions) {
    this.#options = options;
    this.#join = new SpanJoin(options.store);
  }

  /** A span has come. */
  take(span: EngineSpan, atNs: number): void {
    const { store, waitMs, onLate } = this.#options;
    store.add(span, atNs);
    const endedAtNs = this.#join.endOfParent(span);
    if (endedAtNs === undefined || atNs - endedAtNs <= waitMs * 1e6) return;
    this.counts.late += 1;
    onLate(Math.round((atNs - endedAtNs) / 1e6));
  }

  onEnded(exchange: EndedExchange): void {
    this.#join.note(exchange);
    this.#waits.ended(exchange);
  }

  evidenceFor(exchange: EndedExchange): readonly Evidence[] {
    const join = this.#join.spansOf(exchange);
    if (join.found === 'none') return [];
    if (join.found === 'ambiguous') return this.#note(exchange, 'ambiguous');
    const spans = join.spans.map(({ span }) => span);
    const reading = readEngineSpans(spans, exchange.subject, exchange.responseId);
    this.#note(exchange, reading.verdict);
    if (reading.verdict !== 'told') return [];
    this.#waits.told(exchange);
    return [reading.evidence];
  }

  awaits(exchange: EndedExchange): boolean {
    return this.#waits.awaits(exchange);
  }

  #note({ id }: EndedExchange, verdict: Verdict): readonly Evidence[] {
    const key = `${id} ${verdict}`;
    if (this.#counted.has(key)) return [];
    this.#counted.add(key);
    this.counts[verdict] += 1;
    if (this.#counted.size > OTLP_ENDED_MAX_COUNT) {
      const [oldest] = this.#counted;
      if (oldest !== undefined) this.#counted.delete(oldest);
    }
    return [];
  }
}
