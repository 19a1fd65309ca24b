// Reads values of unknown shape that came from the wire. Every reader takes anything and answers
// `undefined` for what is not of its kind, so that no dialect can trip over a wrong type.

/** A JSON object. Fields are only ever read by fixed names, so a key such as `__proto__` is inert. */
export interface JsonObject {
  readonly [name: string]: unknown;
}

/** The parsed text, or undefined when it is no JSON. JSON's `null` comes back as null. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not counted here: what a text that is no JSON means is for the caller to say.
    return undefined;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

export function asArray(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The first of the values that is a count: an integer, 0 or more, that a double holds exactly. */
export function firstCount(...values: unknown[]): number | undefined {
  const count = values.find((value): value is number => Number.isSafeInteger(value) && (value as number) >= 0);
  // Minus zero is 0 or more as well, but would not come back from the record's JSON as what it was.
  return count === 0 ? 0 : count;
}

export function isNonEmptyText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** A non-empty text of at most so many UTF-16 units; undefined for anything else. */
export function asBoundedText(value: unknown, maxChars: number): string | undefined {
  return isNonEmptyText(value) ? boundedText(value, maxChars) : undefined;
}

/**
 * Cuts a text. The cut one is written anew: V8 keeps the whole of a long text alive behind a slice
 * of it, and these names live as long as their record. A half character becomes U+FFFD.
 */
export function boundedText(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : Buffer.from(text.slice(0, maxChars)).toString();
}
