// Whether a list of tool calls, in the shape that OpenAI made common, holds anything generated.
import { asArray, asObject, isNonEmptyText, type JsonObject } from '../json-value.ts';

/** A tool's name is generated as much as its arguments; an id or an index is not. */
export function hasToolCallData(calls: unknown): boolean {
  // TGI sent a single call where others send a list.
  return (asArray(calls) ?? [calls]).some((value) => {
    const call = asObject(value);
    return hasFunctionData(asObject(call?.['function'])) || hasFunctionData(asObject(call?.['custom']));
  });
}

/** One function as called: in a tool call, or alone as in OpenAI's old `function_call`. */
export function hasFunctionData(call: JsonObject | undefined): boolean {
  if (call === undefined) return false;
  if (isNonEmptyText(call['name']) || isNonEmptyText(call['arguments']) || isNonEmptyText(call['input'])) return true;
  return asObject(call['arguments']) !== undefined;
}
