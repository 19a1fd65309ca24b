// What a list of tool calls generated, in the shape that OpenAI made common.
import type { Fragments } from '../fragments.ts';
import { asArray, asObject, isNonEmptyText, type JsonObject } from '../json-value.ts';

/** A tool's name is generated as much as its arguments; an id or an index is not. */
export function tellToolCalls(calls: unknown, choice: number, fragments: Fragments): void {
  if (calls === undefined || calls === null) return;
  // TGI sent a single call where others send a list.
  for (const value of asArray(calls) ?? [calls]) {
    const call = asObject(value);
    tellFunction(asObject(call?.['function']), choice, fragments);
    tellFunction(asObject(call?.['custom']), choice, fragments);
  }
}

/** One function as called: in a tool call, or alone as in OpenAI's old `function_call`. */
export function tellFunction(call: JsonObject | undefined, choice: number, fragments: Fragments): void {
  if (call === undefined) return;
  fragments.textless('tool', isNonEmptyText(call['name']));
  fragments.callArguments(choice, call['arguments']);
  fragments.text('tool', choice, call['input']);
}
