// Finds an error inside a 200. The shapes differ by engine and hop and not by dialect: a gateway can
// put its own error into any stream. Only the error's type is kept; texts can hold prompts.
import { ERROR_TYPE_MAX_CHARS } from '../base/limits.ts';
import { asBoundedText, asObject, isNonEmptyText, type JsonObject } from './json-value.ts';

const UNTYPED = 'unknown';

/**
 * Type of the error that a message is, `unknown` when it names none, undefined when it is no error.
 * `value` is the message's JSON object, absent when its data is something else.
 */
export function errorTypeOf(value: JsonObject | undefined, eventName: string | undefined): string | undefined {
  // openai-node and Anthropic's SDK both take the event name as enough, whatever the data is.
  const named = eventName === 'error';
  if (value === undefined) return named ? UNTYPED : undefined;
  const error = value['error'] ?? asObject(value['x_groq'])?.['error'];
  const fields = asObject(error);
  if (fields !== undefined) return typeIn(fields) ?? UNTYPED;
  // TGI and Triton: `{"error":"text"}`, TGI with `error_type` beside it. An empty text or `false`
  // says that there is no error.
  if (isNonEmptyText(error)) return asBoundedText(value['error_type'], ERROR_TYPE_MAX_CHARS) ?? UNTYPED;
  // Bare: the error object itself is the message.
  if (named || value['type'] === 'error' || value['object'] === 'error') return typeIn(value) ?? UNTYPED;
  return undefined;
}

/**
 * `type` is what names an error; engines that leave it out usually have a textual `code`, Google a `status`. SGLang
 * and OpenRouter have nothing but a status of HTTP, as a number.
 */
function typeIn(fields: JsonObject): string | undefined {
  const type = fields['type'] === 'error' ? undefined : fields['type'];
  const names = [type, fields['code'], fields['status']];
  const named = names.map((name) => asBoundedText(name, ERROR_TYPE_MAX_CHARS)).find((name) => name !== undefined);
  return named ?? statusIn(fields['code']);
}

function statusIn(code: unknown): string | undefined {
  return Number.isInteger(code) && (code as number) >= 400 && (code as number) < 600 ? String(code) : undefined;
}
