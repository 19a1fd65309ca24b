// How often a client says that it has tried before: the SDKs that Stainless generates (OpenAI, Anthropic and others)
// send `x-stainless-retry-count`, 0 with the first try.
import { STATED_TRIES_MAX_COUNT } from '../../base/demand-limits.ts';
import { fieldValue } from '../../base/fields.ts';

const FIELD = 'x-stainless-retry-count';

/** Tries before this one; undefined when nothing, or nothing sensible, is said. */
export function statedRetries(fields: readonly string[]): number | undefined {
  const text = fieldValue(fields, FIELD)?.trim() ?? '';
  if (!/^\d{1,4}$/.test(text)) return undefined;
  const count = Number(text);
  return count <= STATED_TRIES_MAX_COUNT ? count : undefined;
}
