// What the OTEL_…_LIMIT variables allow of a span, with the names and defaults of the OpenTelemetry SDK, and attributes
// cut to that by the SDK's own function where they are beyond it. Knows no span.
import type { Attributes } from '@opentelemetry/api';
import { cleanAttributes } from '@opentelemetry/core';
import type { SpanLimits } from '@opentelemetry/sdk-trace';
import { SPAN_CHUNKS_MAX_COUNT } from '../base/limits.ts';
import { knownCount, merged, type AttributeParts } from './attribute-parts.ts';

/** Our links have no attributes. */
export type OwnSpanLimits = Required<Omit<SpanLimits, 'attributePerLinkCountLimit'>>;

/** Of attributes, events and links: what the specification says where nothing is set. */
const USUAL_COUNT = 128;

/** `numberOf` reads a variable; what is no number counts as not set. */
export function spanLimitsOf(numberOf: (name: string) => number | undefined): OwnSpanLimits {
  const first = (...names: readonly string[]): number | undefined => {
    return names.map(numberOf).find((value) => value !== undefined && !Number.isNaN(value));
  };
  return {
    attributeCountLimit: first('OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT', 'OTEL_ATTRIBUTE_COUNT_LIMIT') ?? USUAL_COUNT,
    attributeValueLengthLimit:
      first('OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT', 'OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT') ?? Infinity,
    // Without a limit of the user's, as many events as a span lists chunks.
    eventCountLimit: first('OTEL_SPAN_EVENT_COUNT_LIMIT') ?? SPAN_CHUNKS_MAX_COUNT,
    linkCountLimit: first('OTEL_SPAN_LINK_COUNT_LIMIT') ?? USUAL_COUNT,
    attributePerEventCountLimit:
      first('OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT', 'OTEL_SPAN_ATTRIBUTE_PER_EVENT_COUNT_LIMIT') ?? USUAL_COUNT,
  };
}

export interface Limited {
  readonly attributes: Attributes;
  readonly droppedAttributesCount: number;
}

/** The same object, without a copy, unless there are too many of them or values may be too long. */
export function limited(attributes: Attributes, countLimit: number, lengthLimit: number): Limited {
  if (lengthLimit === Infinity && Object.keys(attributes).length <= countLimit) {
    return { attributes, droppedAttributesCount: 0 };
  }
  const limits = { attributeCountLimit: countLimit, attributeValueLengthLimit: lengthLimit };
  const { attributes: kept = {}, droppedAttributesCount = 0 } = cleanAttributes(attributes, limits);
  return { attributes: kept, droppedAttributesCount };
}

export interface LimitedParts {
  readonly parts: AttributeParts;
  readonly droppedCount: number;
}

/** The same, of parts. */
export function limitedParts(parts: AttributeParts, countLimit: number, lengthLimit: number): LimitedParts {
  if (lengthLimit === Infinity && knownCount(parts) <= countLimit) return { parts, droppedCount: 0 };
  const { attributes, droppedAttributesCount } = limited(merged(parts), countLimit, lengthLimit);
  return { parts: [attributes], droppedCount: droppedAttributesCount };
}
