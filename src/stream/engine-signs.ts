// Tells engines apart by what they show of themselves in passing. Nothing is asked.
import type { EngineFacts } from '../record/engines.ts';
import type { JsonObject } from './json-value.ts';

/** The engine that a message shows; undefined when it could be of any. */
export function engineInMessage(message: JsonObject): EngineFacts | undefined {
  return message['timings'] === undefined ? undefined : { name: 'llama.cpp', by: 'body' };
}

/** The engine that a response head shows. */
export function engineInHead(fields: readonly string[]): EngineFacts | undefined {
  return fields.length === 0 ? undefined : undefined;
}
