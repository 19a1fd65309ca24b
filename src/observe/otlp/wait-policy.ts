// Whether to wait for the spans of an exchange: at first always, as nobody knows yet whether this route's
// engine sends any; later only while it does, so that reports do not come late for nothing. Now and then
// one exchange is waited for all the same, for an engine can be told to trace while it runs.
import { OTLP_ENDED_MAX_COUNT, OTLP_PROBE_EVERY_COUNT, OTLP_SILENT_MAX_COUNT } from '../../base/otlp-limits.ts';
import type { EngineName } from '../../record/engines.ts';
import type { EndedExchange } from '../late-evidence.ts';

/** Engines that make spans of requests, or stand before one that does. The others never will. */
const TRACING: ReadonlySet<EngineName> = new Set([
  'vllm',
  'sglang',
  'tgi',
  'tensorrt-llm',
  'triton',
  'dynamo',
  'kserve',
  'nim',
]);

export class WaitPolicy {
  /** Ends since the last evidence, by route. Routes are few and come from the configuration. */
  readonly #silentCounts = new Map<string, number>();
  /** Exchanges that are waited for, by id; decided once, at their end. */
  readonly #awaited = new Set<string>();

  /** An exchange has ended: it counts as silent until something is told of it. */
  ended(exchange: EndedExchange): void {
    if (!canHaveSpans(exchange)) return;
    const silentCount = (this.#silentCounts.get(exchange.route) ?? 0) + 1;
    this.#silentCounts.set(exchange.route, silentCount);
    if (silentCount > OTLP_SILENT_MAX_COUNT && silentCount % OTLP_PROBE_EVERY_COUNT !== 0) return;
    this.#awaited.add(exchange.id);
    if (this.#awaited.size > OTLP_ENDED_MAX_COUNT) this.#forgetOldest();
  }

  told({ route }: EndedExchange): void {
    this.#silentCounts.set(route, 0);
  }

  awaits({ id }: EndedExchange): boolean {
    return this.#awaited.has(id);
  }

  #forgetOldest(): void {
    const [oldest] = this.#awaited;
    if (oldest !== undefined) this.#awaited.delete(oldest);
  }
}

function canHaveSpans({ subject, traceId, responseId, traceSampled }: EndedExchange): boolean {
  if (subject.engine !== undefined && !TRACING.has(subject.engine.name)) return false;
  if (subject.firstTokenAtNs === undefined || subject.choiceCount > 1) return false;
  // An engine does not export what our own traceparent told it not to sample.
  if (traceSampled === false) return false;
  return traceId !== undefined || responseId !== undefined;
}
