// What people and models wrote in one exchange, for those who asked for it with `--capture-text`. It goes
// into the record file and nowhere else: never into a record that other sinks see. Bounded on each side;
// without the key none of this exists. Knows no dialect: of a prompt it takes the strings under the names that
// APIs give to text, and of an answer the fragments that its dialect finds.
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

export class TextCapture {
  #prompt: string | undefined;
  #answer = '';
  #answerBytes = 0;
  #isCut = false;

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
    const text = stringsIn(parts).join('\n');
    this.#prompt = text === '' ? undefined : this.#bounded(text, CAPTURED_TEXT_MAX_BYTES);
  }

  /** Generated text of the answer, of whatever channel. */
  onText(text: string): void {
    const leftBytes = CAPTURED_TEXT_MAX_BYTES - this.#answerBytes;
    if (leftBytes === 0) {
      this.#isCut = true;
      return;
    }
    const fitting = this.#bounded(text, leftBytes);
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

/** The strings in these values that are text, in the order in which they are written. */
function stringsIn(values: readonly unknown[]): string[] {
  const found: string[] = [];
  // A list of things still to look at instead of recursion: the nesting is the sender's choice.
  const pending = values.toReversed();
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') {
      if (!value.startsWith('data:')) found.push(value);
      continue;
    }
    const children = asArray(value) ?? textsOf(asObject(value));
    for (const child of children.toReversed()) pending.push(child);
  }
  return found;
}

function textsOf(object: JsonObject | undefined): unknown[] {
  return Object.entries(object ?? {}).flatMap(([name, value]) => (PROMPT_MARKS.has(name) ? [] : [value]));
}
