// A span as far as it has been read, and what makes one of it: ids that are ids, a time that does not
// run backwards, and of its attributes only those that evidence is made of.
import type { EngineSpan } from '../../evidence/engine-span.ts';
import { isWorthKeeping, SPAN_ATTRIBUTES } from '../../evidence/engine-spans.ts';

export interface SpanDraft {
  traceId?: string | undefined;
  spanId?: string | undefined;
  parentSpanId?: string | undefined;
  name?: string | undefined;
  startEpochNs?: bigint | undefined;
  endEpochNs?: bigint | undefined;
  serviceName?: string | undefined;
  readonly attributes: { readonly key: string; readonly value: string | number | boolean | undefined }[];
}

/** The span, or undefined when it is none or nobody could ask for it. */
export function spanFrom(draft: SpanDraft): EngineSpan | undefined {
  const { traceId, spanId, parentSpanId, name = '', startEpochNs, endEpochNs, serviceName } = draft;
  if (traceId === undefined || spanId === undefined || isZero(traceId) || isZero(spanId)) return undefined;
  if (startEpochNs === undefined || endEpochNs === undefined || endEpochNs < startEpochNs) return undefined;
  if (!isWorthKeeping({ name })) return undefined;
  const attributes: Record<string, string | number | boolean> = {};
  for (const { key, value } of draft.attributes) {
    if (value !== undefined && SPAN_ATTRIBUTES.has(key)) attributes[key] = value;
  }
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined || isZero(parentSpanId) ? {} : { parentSpanId }),
    name,
    startEpochNs,
    endEpochNs,
    attributes,
    ...(serviceName === undefined ? {} : { serviceName }),
  };
}

function isZero(id: string): boolean {
  return /^0+$/.test(id);
}
