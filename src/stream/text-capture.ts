// What people and models wrote in one exchange, for those who asked for it with `--capture-text`. It goes
// into the record file and nowhere else: never into a record that other sinks see. Bounded on each side;
// without the key none of this exists. Knows no dialect: it takes the strings under the names that APIs
// give to text, of those messages in which the dialect saw a generated fragment.
import { CAPTURED_TEXT_MAX_BYTES } from '../base/limits.ts';
import type { CapturedText } from '../record/captured-text.ts';
import { asArray, asObject, type JsonObject } from './json-value.ts';
import { MEDIA_KEYS, PROMPT_KEYS } from './prompt-text.ts';

/** Names of what stands beside the text of a prompt: marks, ids, kinds. */
const PROMPT_MARKS: ReadonlySet<string> = new Set([
  ...MEDIA_KEYS,
  'role',
  'type',
  'id',
  'tool_call_id',
  'call_id',
  'tool_use_id',
  'cache_control',
  'status',
  'detail',
  'format',
  'media_type',
  'mimeType',
  'mime_type',
]);

/** Names under which APIs send what the model wrote, as text, reasoning, refusal or the call of a tool. */
const ANSWER_TEXTS: ReadonlySet<string> = new Set([
  'arguments',
  'code',
  'completion',
  'content',
  'delta',
  'generated_text',
  'generation',
  'input',
  'outputText',
  'output_text',
  'partial_json',
  'reasoning',
  'reasoning_content',
  'refusal',
  'response',
  'text',
  'text_output',
  'thinking',
  'tool_plan',
]);
/** They repeat the text token by token. */
const ANSWER_REPEATS: ReadonlySet<string> = new Set(['logprobs', 'top_logprobs', 'prompt_logprobs', 'details']);

export class TextCapture {
  #prompt: string | undefined;
  #answer = '';
  #answerBytes = 0;
  #isCut = false;
  /** The message that is being read; what it generated is known a little later. */
  #message: JsonObject | undefined;

  /** What was caught; undefined when there was no text on either side. */
  get text(): CapturedText | undefined {
    const hasAnswer = this.#answer !== '';
    if (this.#prompt === undefined && !hasAnswer) return undefined;
    return {
      ...(this.#prompt === undefined ? {} : { prompt: this.#prompt }),
      ...(hasAnswer ? { answer: this.#answer } : {}),
      ...(this.#isCut ? { cut: true as const } : {}),
    };
  }

  /** A request whose body is known whole. May be told again when more of it is known. */
  onRequest(request: JsonObject): void {
    const parts = PROMPT_KEYS.map((key) => request[key]);
    const text = stringsIn(parts, { skips: (key) => PROMPT_MARKS.has(key), takes: () => true }).join('\n');
    this.#prompt = text === '' ? undefined : this.#bounded(text, CAPTURED_TEXT_MAX_BYTES);
  }

  /** A message of the answer; one that is the `whole` answer has no events. */
  onMessage(message: JsonObject, whole: boolean): void {
    this.#message = message;
    if (whole) this.onGenerated();
  }

  /** The message told last holds a generated fragment. */
  onGenerated(): void {
    const message = this.#message;
    this.#message = undefined;
    if (message === undefined) return;
    const text = stringsIn([message], {
      skips: (key) => ANSWER_REPEATS.has(key),
      takes: (key) => ANSWER_TEXTS.has(key),
    }).join('');
    // SGLang's own API says all that it has said so far with each message, and names the request in each.
    const repeats = asObject(message['meta_info'])?.['id'] !== undefined && text.startsWith(this.#answer);
    this.#add(repeats ? text.slice(this.#answer.length) : text);
  }

  #add(text: string): void {
    const fitting = this.#bounded(text, CAPTURED_TEXT_MAX_BYTES - this.#answerBytes);
    this.#answer += fitting;
    this.#answerBytes += Buffer.byteLength(fitting);
  }

  /** As much as may be kept, to the last whole character. */
  #bounded(text: string, maxBytes: number): string {
    if (text.length * 3 <= maxBytes) return text;
    const bytes = Buffer.from(text);
    if (bytes.length <= maxBytes) return text;
    this.#isCut = true;
    let end = maxBytes;
    // Bytes 10xxxxxx go on with a character that began before them.
    while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
    return bytes.toString('utf8', 0, end);
  }
}

interface Choice {
  readonly skips: (key: string) => boolean;
  /** Of strings: the name they stand under, or the nearest one above them. */
  readonly takes: (key: string) => boolean;
}

/** The strings in these values, in the order in which they are written. */
function stringsIn(values: readonly unknown[], { skips, takes }: Choice): string[] {
  const found: string[] = [];
  // A list of things still to look at instead of recursion: the nesting is the sender's choice.
  const pending = values.toReversed().map((value) => ({ key: '', value }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { key, value } = next;
    if (typeof value === 'string') {
      if (takes(key) && !value.startsWith('data:')) found.push(value);
      continue;
    }
    const list = asArray(value);
    const children =
      list === undefined ? Object.entries(asObject(value) ?? {}) : list.map((item) => [key, item] as const);
    for (const [name, child] of children.toReversed()) if (!skips(name)) pending.push({ key: name, value: child });
  }
  return found;
}
