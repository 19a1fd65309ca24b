// Attributes of a span as the objects they were gathered in, one behind the other. Merged into one object of fifty names
// they become a dictionary: that took as long as putting them into bytes, and it lived until its span was sent. No name
// stands in two parts of a span; what is undefined is not known and left out. Pure.
import type { Attributes, AttributeValue } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';

export type AttributeParts = readonly Readonly<Record<string, AttributeValue | undefined>>[];

/** A span whose `attributes` are put together only when somebody asks for them. */
export interface PartedSpan extends ReadableSpan {
  readonly attributeParts: AttributeParts;
}

export function attributePartsOf(span: ReadableSpan): AttributeParts {
  return (span as Partial<PartedSpan>).attributeParts ?? [span.attributes];
}

/** What is known of all parts, in their order. */
export function merged(parts: AttributeParts): Attributes {
  const known: Attributes = {};
  for (const part of parts) {
    for (const name in part) if (part[name] !== undefined) known[name] = part[name];
  }
  return known;
}

export function knownCount(parts: AttributeParts): number {
  let count = 0;
  for (const part of parts) {
    for (const name in part) if (part[name] !== undefined) count += 1;
  }
  return count;
}
