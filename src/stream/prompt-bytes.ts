// How much text a request gives to the model, in UTF-8 bytes: what its prompt bucket rests on before
// the engine has counted tokens. Counts only; no text is kept. Tokenising here is out of the question:
// public tokenizers take seconds on 50 KB of one letter, which would be anybody's way to stop us.
import { asArray, asObject, type JsonObject } from './json-value.ts';

/** Where the request families keep what the model reads. */
const PROMPT_KEYS = ['messages', 'prompt', 'input', 'system', 'instructions', 'tools', 'functions'] as const;

/** A prompt may come as token ids; four bytes a token is what text has on average. */
const BYTES_PER_TOKEN_ID = 4;

/** Undefined when the request has no prompt in any known place. */
export function promptBytesOf(request: JsonObject): number | undefined {
  const parts = PROMPT_KEYS.map((key) => request[key]).filter((value) => value !== undefined && value !== null);
  if (parts.length === 0) return undefined;
  let total = 0;
  // A list of things still to look at instead of recursion: the nesting is the sender's choice.
  const pending: unknown[] = parts;
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') total += textBytes(value);
    else if (typeof value === 'number') total += BYTES_PER_TOKEN_ID;
    else for (const child of children(value)) pending.push(child);
  }
  return total;
}

/** Images and sound ride along as data URLs or under `data`; their size says nothing about tokens. */
function children(value: unknown): readonly unknown[] {
  const list = asArray(value);
  if (list !== undefined) return list;
  return Object.entries(asObject(value) ?? {})
    .filter(([key]) => key !== 'data')
    .map(([, child]) => child);
}

function textBytes(text: string): number {
  return text.startsWith('data:') ? 0 : Buffer.byteLength(text);
}
