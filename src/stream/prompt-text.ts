// The text that a request gives to the model: how much it is, in what script, and how it begins. This is
// what prompt buckets rest on before the engine has counted tokens. No text is kept. Tokenising here is
// out of the question: public tokenizers take seconds on 50 KB of one letter, which would be anybody's
// way to stop us.
import type { PromptBeginning } from '../record/prompt-beginning.ts';
import { asArray, asObject, type JsonObject } from './json-value.ts';
import { TextHasher } from './text-hasher.ts';

export interface PromptText {
  /** UTF-8 bytes, tools included. */
  readonly bytes: number;
  /** UTF-16 units of the same; the fewer of them a byte makes, the further the script is from ASCII. */
  readonly chars: number;
  readonly beginning: PromptBeginning;
}

/** Where the request families keep what the model reads, what chat templates put first standing first. */
export const PROMPT_KEYS = [
  // Anthropic, Bedrock, Ollama; Gemini in both its spellings; OpenAI Responses; Cohere's first API.
  'system',
  'systemInstruction',
  'system_instruction',
  'instructions',
  'preamble',
  'chat_history',
  // Chat of all kinds; Gemini; completions; Responses; Cohere's first API.
  'messages',
  'contents',
  'prompt',
  'input',
  'message',
  // TGI; SGLang's own; Triton's generate; Titan on Bedrock.
  'inputs',
  'text',
  'input_ids',
  'text_input',
  'inputText',
] as const;

const TOOL_KEYS = ['tools', 'functions', 'toolConfig'] as const;

/** Images and sound ride along as data URLs or under these; their size says nothing about tokens. */
export const MEDIA_KEYS: ReadonlySet<string> = new Set([
  'data',
  'bytes',
  'images',
  'image_data',
  'audio_data',
  'multimodal_data',
]);

/** A prompt may come as token ids; four bytes a token is what text has on average. */
const BYTES_PER_TOKEN_ID = 4;

/** Undefined when the request has no prompt in any known place. */
export function promptTextOf(request: JsonObject): PromptText | undefined {
  const toolHasher = new TextHasher();
  const hasher = new TextHasher();
  const tools = measure(partsOf(request, TOOL_KEYS), toolHasher);
  const text = measure(partsOf(request, PROMPT_KEYS), hasher);
  if (tools === undefined && text === undefined) return undefined;
  const toolsHash = tools === undefined ? undefined : toolHasher.hashes[0];
  return {
    bytes: (tools?.bytes ?? 0) + (text?.bytes ?? 0),
    chars: (tools?.chars ?? 0) + (text?.chars ?? 0),
    beginning: {
      hashes: hasher.hashes,
      totalChars: text?.chars ?? 0,
      ...(toolsHash === undefined ? {} : { toolsHash }),
    },
  };
}

function partsOf(request: JsonObject, keys: readonly string[]): unknown[] {
  return keys.map((key) => request[key]).filter((value) => value !== undefined && value !== null);
}

function measure(parts: readonly unknown[], hasher: TextHasher): { bytes: number; chars: number } | undefined {
  if (parts.length === 0) return undefined;
  const total = { bytes: 0, chars: 0 };
  // A list of things still to look at instead of recursion: the nesting is the sender's choice. The next
  // one stands last, so that text is met in the order in which it is written.
  const pending: unknown[] = parts.toReversed();
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'number') {
      total.bytes += BYTES_PER_TOKEN_ID;
      total.chars += BYTES_PER_TOKEN_ID;
      hasher.addNumber(value);
    } else if (typeof value !== 'string') {
      pushChildren(value, pending);
    } else if (!value.startsWith('data:')) {
      total.bytes += Buffer.byteLength(value);
      total.chars += value.length;
      hasher.addText(value);
    }
  }
  return total;
}

function pushChildren(value: unknown, pending: unknown[]): void {
  const list = asArray(value);
  if (list !== undefined) {
    for (let index = list.length - 1; index >= 0; index -= 1) pending.push(list[index]);
    return;
  }
  for (const [key, child] of Object.entries(asObject(value) ?? {}).toReversed()) {
    if (!MEDIA_KEYS.has(key)) pending.push(child);
  }
}
