// Some hops put a model's own message into one of theirs. What is inside is what a dialect reads.
// Knows the wrappings and nothing of what is in them.
import { asObject, parseJson, type JsonObject } from './json-value.ts';

/** Type of the frames in which Amazon Bedrock passes on a model's own stream. */
const CHUNK = 'chunk';

export interface Unwrapped {
  /** Undefined when there is no JSON object, or none was wrapped. */
  readonly message: JsonObject | undefined;
  readonly eventName: string | undefined;
}

/** The message inside; what is not wrapped comes back as it is. */
export function unwrap(message: JsonObject | undefined, eventName: string | undefined): Unwrapped {
  const bytes = eventName === CHUNK ? message?.['bytes'] : undefined;
  if (typeof bytes !== 'string') return { message, eventName };
  return { message: asObject(parseJson(Buffer.from(bytes, 'base64').toString())), eventName: undefined };
}
