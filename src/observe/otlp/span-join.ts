// Which spans are about which exchange. Below our own CLIENT span, whose id went upstream as the parent:
// surely. By the request id in the answer: only when nobody else can be meant. A trace id alone says
// nothing, for an agent makes many calls in one trace. When in doubt, none.
import { OTLP_ENDED_MAX_COUNT, OTLP_JOIN_SPANS_MAX_COUNT } from '../../base/otlp-limits.ts';
import type { EngineSpan } from '../../evidence/engine-span.ts';
import { requestIdOf } from '../../evidence/engine-spans.ts';
import type { EndedExchange } from '../late-evidence.ts';
import type { SpanStore, StoredSpan } from './span-store.ts';

export type Join =
  | { readonly found: 'spans'; readonly spans: readonly StoredSpan[] }
  | { readonly found: 'none' }
  | { readonly found: 'ambiguous' };

const NONE: Join = { found: 'none' };

/** What of an ended exchange is remembered to keep its spans from others. */
interface Ended {
  readonly id: string;
  readonly endedAtNs: number;
  readonly clientSpanId: string | undefined;
  readonly responseId: string | undefined;
}

export class SpanJoin {
  readonly #store: SpanStore;
  readonly #ended: Ended[] = [];
  readonly #bySpan = new Map<string, Ended>();
  readonly #responseIdCounts = new Map<string, number>();

  constructor(store: SpanStore) {
    this.#store = store;
  }

  /** Remembers an exchange that has ended. */
  note({ id, endedAtNs, clientSpanId, responseId }: EndedExchange): void {
    const ended = { id, endedAtNs, clientSpanId, responseId };
    this.#ended.push(ended);
    if (clientSpanId !== undefined) this.#bySpan.set(clientSpanId, ended);
    if (responseId !== undefined) this.#countId(responseId, 1);
    if (this.#ended.length > OTLP_ENDED_MAX_COUNT * 2) this.#forget();
  }

  /** When the exchange ended directly below whose CLIENT span this one is; undefined when none has yet. */
  endOfParent({ parentSpanId }: EngineSpan): number | undefined {
    return parentSpanId === undefined ? undefined : this.#bySpan.get(parentSpanId)?.endedAtNs;
  }

  /** The spans of an exchange that are here by now; they are its own from then on. */
  spansOf(exchange: EndedExchange): Join {
    const below = this.#belowOurs(exchange);
    const join: Join = below.length > 0 ? { found: 'spans', spans: below } : this.#byRequestId(exchange);
    if (join.found === 'spans') for (const stored of join.spans) stored.owner ??= exchange.id;
    return join;
  }

  #belowOurs({ id, traceId, clientSpanId }: EndedExchange): StoredSpan[] {
    if (traceId === undefined || clientSpanId === undefined) return [];
    return this.#descendants(traceId, clientSpanId).filter(({ owner }) => owner === undefined || owner === id);
  }

  #descendants(traceId: string, spanId: string): StoredSpan[] {
    // A set keeps the order of insertion and takes what is added while it is walked, each span once.
    const found = new Set<StoredSpan>(this.#store.childrenOf(traceId, spanId));
    for (const { span } of found) {
      if (found.size >= OTLP_JOIN_SPANS_MAX_COUNT) break;
      for (const child of this.#store.childrenOf(traceId, span.spanId)) found.add(child);
    }
    return [...found];
  }

  #byRequestId(exchange: EndedExchange): Join {
    const { responseId } = exchange;
    if (responseId === undefined) return NONE;
    const candidates = this.#candidates(responseId, exchange);
    const [only] = candidates;
    if (only === undefined) return NONE;
    // Two exchanges of one id (a client that repeats its X-Request-Id) cannot be told apart by it.
    if (candidates.length > 1 || (this.#responseIdCounts.get(responseId) ?? 0) > 1) return { found: 'ambiguous' };
    return { found: 'spans', spans: [only, ...this.#descendants(only.span.traceId, only.span.spanId)] };
  }

  #candidates(responseId: string, exchange: EndedExchange): StoredSpan[] {
    const named = this.#store.withRequestId(responseId).filter((stored) => this.#isFree(stored, exchange));
    const exactly = named.filter(({ span }) => requestIdOf(span) === responseId);
    if (exactly.length > 0) return exactly;
    // A longer id that is the answer's id of another exchange is that one's and no variant of ours.
    const variants = named.filter(({ span }) => !this.#responseIdCounts.has(requestIdOf(span) ?? ''));
    return variants.length > 0 ? variants : this.#numbered(responseId, exchange);
  }

  /**
   * TensorRT-LLM's spans carry the bare number of `chatcmpl-<number>`. Every server counts from the
   * start, so the number means something within our own trace only.
   */
  #numbered(responseId: string, exchange: EndedExchange): StoredSpan[] {
    const number = /^(?:chat)?cmpl-(\d{1,20})$/.exec(responseId)?.[1];
    if (number === undefined || exchange.traceId === undefined) return [];
    const named = this.#store.withRequestId(number).filter(({ span }) => span.traceId === exchange.traceId);
    return named.filter((stored) => this.#isFree(stored, exchange));
  }

  /** No span of another exchange: neither given to one nor made below its CLIENT span. */
  #isFree({ span, owner }: StoredSpan, { id }: EndedExchange): boolean {
    if (owner !== undefined) return owner === id;
    const parentOwner = span.parentSpanId === undefined ? undefined : this.#bySpan.get(span.parentSpanId)?.id;
    return parentOwner === undefined || parentOwner === id;
  }

  #forget(): void {
    for (const { clientSpanId, responseId } of this.#ended.splice(0, OTLP_ENDED_MAX_COUNT)) {
      if (clientSpanId !== undefined) this.#bySpan.delete(clientSpanId);
      if (responseId !== undefined) this.#countId(responseId, -1);
    }
  }

  #countId(responseId: string, by: number): void {
    const count = (this.#responseIdCounts.get(responseId) ?? 0) + by;
    if (count > 0) this.#responseIdCounts.set(responseId, count);
    else this.#responseIdCounts.delete(responseId);
  }
}
