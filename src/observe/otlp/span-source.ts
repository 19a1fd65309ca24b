// The source of late evidence that engine spans are: what is known of an exchange by now, and whether
// more is worth waiting for. Joins, judges by evidence/engine-spans.ts, and counts how it went.
import { OTLP_ENDED_MAX_COUNT } from '../../base/limits.ts';
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
}

type Verdict = keyof JoinCounts;

export class SpanSource implements LateSource {
  readonly name = ENGINE_SPANS;
  readonly counts: JoinCounts = { told: 0, silent: 0, ambiguous: 0 };
  readonly #join: SpanJoin;
  readonly #waits = new WaitPolicy();
  /** Verdicts that were counted, as exchange id and verdict. */
  readonly #counted = new Set<string>();

  constructor(store: SpanStore) {
    this.#join = new SpanJoin(store);
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
