// Engine spans that wait to be asked for: bounded in number, bytes and age, oldest out first. Found by
// the span they hang below and by the request id they carry; a span belongs to one exchange at most.
import {
  OTLP_JOIN_SPANS_MAX_COUNT,
  OTLP_SPANS_MAX_AGE_MS,
  OTLP_SPANS_MAX_BYTES,
  OTLP_SPANS_MAX_COUNT,
  OTLP_SPANS_PER_ID_MAX_COUNT,
} from '../../base/otlp-limits.ts';
import type { EngineSpan } from '../../evidence/engine-span.ts';
import { requestIdOf } from '../../evidence/engine-spans.ts';

export interface StoredSpan {
  readonly span: EngineSpan;
  readonly bytes: number;
  readonly atNs: number;
  /** The exchange whose span it is, once that is known. */
  owner: string | undefined;
}

export interface SpanStoreOptions {
  readonly maxCount?: number;
  readonly maxBytes?: number;
  readonly maxAgeMs?: number;
}

/** Evicted spans stay in the array until this many are gone; shifting each one would copy the rest. */
const COMPACT_AFTER_COUNT = 1_024;
/** What a span's objects and its places in the indexes take beside its texts; an estimate on the safe side. */
const SPAN_OVERHEAD_BYTES = 900;

export class SpanStore {
  readonly #limits: Required<SpanStoreOptions>;
  #ring: (StoredSpan | undefined)[] = [];
  #head = 0;
  #bytes = 0;
  readonly #bySpan = new Map<string, StoredSpan>();
  readonly #byParent = new Map<string, Set<StoredSpan>>();
  readonly #byRequest = new Map<string, Set<StoredSpan>>();
  /** Spans that went before any exchange asked for them: other programs', or too late, or too many. */
  unclaimedCount = 0;

  constructor(limits: SpanStoreOptions = {}) {
    this.#limits = {
      maxCount: OTLP_SPANS_MAX_COUNT,
      maxBytes: OTLP_SPANS_MAX_BYTES,
      maxAgeMs: OTLP_SPANS_MAX_AGE_MS,
      ...limits,
    };
  }

  get count(): number {
    return this.#ring.length - this.#head;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Keeps a span; one that is there already (exporters repeat themselves) is not kept twice. */
  add(span: EngineSpan, atNs: number): void {
    const key = keyOf(span.traceId, span.spanId);
    if (this.#bySpan.has(key)) return;
    // What is too old goes first, or it would keep places under a key from those that come.
    this.#evict(atNs);
    const stored: StoredSpan = { span, bytes: bytesOf(span), atNs, owner: undefined };
    this.#ring.push(stored);
    this.#bytes += stored.bytes;
    this.#bySpan.set(key, stored);
    if (span.parentSpanId !== undefined) {
      insert(this.#byParent, keyOf(span.traceId, span.parentSpanId), { stored, maxCount: OTLP_JOIN_SPANS_MAX_COUNT });
    }
    for (const id of idsOf(span)) insert(this.#byRequest, id, { stored, maxCount: OTLP_SPANS_PER_ID_MAX_COUNT });
    this.#evict(atNs);
  }

  childrenOf(traceId: string, spanId: string): Iterable<StoredSpan> {
    return this.#byParent.get(keyOf(traceId, spanId)) ?? [];
  }

  /** Spans about a request of this id, or of one that differs by what engines append to it. */
  withRequestId(id: string): StoredSpan[] {
    return [...(this.#byRequest.get(id) ?? [])];
  }

  #evict(atNs: number): void {
    const { maxCount, maxBytes, maxAgeMs } = this.#limits;
    for (let oldest = this.#ring[this.#head]; oldest !== undefined; oldest = this.#ring[this.#head]) {
      const tooOld = atNs - oldest.atNs > maxAgeMs * 1e6;
      if (!tooOld && this.count <= maxCount && this.#bytes <= maxBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(oldest: StoredSpan): void {
    const { span } = oldest;
    this.#ring[this.#head] = undefined;
    this.#head += 1;
    this.#bytes -= oldest.bytes;
    if (oldest.owner === undefined) this.unclaimedCount += 1;
    this.#bySpan.delete(keyOf(span.traceId, span.spanId));
    if (span.parentSpanId !== undefined) remove(this.#byParent, keyOf(span.traceId, span.parentSpanId), oldest);
    for (const id of idsOf(span)) remove(this.#byRequest, id, oldest);
    if (this.#head < COMPACT_AFTER_COUNT) return;
    this.#ring = this.#ring.slice(this.#head);
    this.#head = 0;
  }
}

/**
 * The ids under which a span is found. vLLM's completions append the number of the prompt (`cmpl-…-0`),
 * and some versions 8 random hex digits that keep a repeated `X-Request-Id` apart.
 */
function idsOf(span: EngineSpan): string[] {
  const id = requestIdOf(span);
  if (id === undefined) return [];
  const bare = id.replace(/-[0-9a-f]{8}$/, '');
  const prompt = bare.startsWith('cmpl-') ? bare.replace(/-0$/, '') : bare;
  return [...new Set([id, bare, prompt])];
}

function keyOf(traceId: string, spanId: string): string {
  return traceId + spanId;
}

/** A span beyond the cap stays in the store but is not found by this key; its drop is counted like any other. */
function insert(
  index: Map<string, Set<StoredSpan>>,
  key: string,
  { stored, maxCount }: { readonly stored: StoredSpan; readonly maxCount: number },
): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, new Set([stored]));
  else if (known.size < maxCount) known.add(stored);
}

function remove(index: Map<string, Set<StoredSpan>>, key: string, stored: StoredSpan): void {
  const known = index.get(key);
  known?.delete(stored);
  if (known?.size === 0) index.delete(key);
}

function bytesOf({ name, attributes, serviceName = '' }: EngineSpan): number {
  let chars = name.length + serviceName.length;
  for (const [key, value] of Object.entries(attributes)) chars += key.length + String(value).length;
  return SPAN_OVERHEAD_BYTES + 2 * chars;
}
