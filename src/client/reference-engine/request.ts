// Reads the body of a generation request: the fields of OpenAI's API and the few of vLLM's that say
// how long an answer is. A fault is a sentence for the caller. Knows no socket and no time.

/** A request the engine can answer. */
export interface GenerationRequest {
  readonly api: 'chat' | 'completions';
  readonly model: string;
  /** All of the prompt's text, in order. */
  readonly promptText: string;
  /** Given as token ids (completions only): their number. */
  readonly promptTokenIds: number | undefined;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly continuousUsage: boolean;
  /** `n`: how many choices. */
  readonly choices: number;
  readonly maxTokens: number | undefined;
  readonly minTokens: number;
  /** `ignore_eos` of vLLM: go on until `max_tokens`. */
  readonly ignoreEnd: boolean;
  readonly seed: number | undefined;
  /** Share of the answer that is reasoning, by `reasoning_effort`. */
  readonly reasoningRatio: number;
  /** Name of the function to call, when `tool_choice` asks for one. */
  readonly toolName: string | undefined;
  /** The whole body as it came, for fields that only one engine has. */
  readonly body: JsonObject;
}

export type RequestReading = { readonly request: GenerationRequest } | { readonly fault: string };

/** Choices one request may ask for, as in OpenAI's API. */
const CHOICES_MAX = 128;

const REASONING_RATIOS: ReadonlyMap<unknown, number> = new Map([
  ['minimal', 0.1],
  ['low', 0.25],
  ['medium', 0.5],
  ['high', 0.75],
]);

export type JsonObject = Readonly<Record<string, unknown>>;

/** A body of another dialect, in the words of OpenAI's. */
export interface Translation {
  readonly api: GenerationRequest['api'];
  readonly fields: JsonObject;
}

/** Takes a body apart. Fields nobody here knows are ignored, as engines do. */
export function readRequest(api: GenerationRequest['api'], text: string): RequestReading {
  return readTranslated(text, (fields) => ({ api, fields }));
}

/** Takes a body of any dialect apart, once it is brought to the words of OpenAI's. */
export function readTranslated(text: string, translate: (body: JsonObject) => Translation): RequestReading {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { fault: 'The body is not JSON.' };
  }
  if (!isObject(body)) return { fault: 'The body is not a JSON object.' };
  return readFields(translate(body), body);
}

function readFields({ api, fields: body }: Translation, whole: JsonObject): RequestReading {
  const faults: string[] = [];
  const integer = (name: string, lowest: number, highest: number): number | undefined => {
    const value = body[name];
    if (value === undefined || value === null) return undefined;
    if (Number.isInteger(value) && (value as number) >= lowest && (value as number) <= highest) return value as number;
    faults.push(`${name} must be an integer from ${lowest} to ${highest}.`);
    return undefined;
  };
  const prompt = api === 'chat' ? readMessages(body['messages']) : readPrompt(body['prompt']);
  if ('fault' in prompt) faults.push(prompt.fault);
  if (typeof body['model'] !== 'string') faults.push('model must be a string.');
  const choices = integer('n', 1, CHOICES_MAX) ?? 1;
  const maxTokens = integer('max_completion_tokens', 1, 2 ** 31) ?? integer('max_tokens', 1, 2 ** 31);
  const minTokens = integer('min_tokens', 0, 2 ** 31) ?? 0;
  const seed = integer('seed', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  const toolName = readToolName(body);
  if (faults.length > 0 || 'fault' in prompt) return { fault: faults.join(' ') };
  const options = isObject(body['stream_options']) ? body['stream_options'] : {};
  return {
    request: {
      api,
      model: body['model'] as string,
      promptText: prompt.text,
      promptTokenIds: prompt.tokenIds,
      stream: body['stream'] === true,
      includeUsage: options['include_usage'] === true,
      continuousUsage: options['continuous_usage_stats'] === true,
      choices,
      maxTokens,
      minTokens,
      ignoreEnd: body['ignore_eos'] === true,
      seed,
      reasoningRatio: api === 'chat' ? (REASONING_RATIOS.get(body['reasoning_effort']) ?? 0) : 0,
      toolName: api === 'chat' ? toolName : undefined,
      body: whole,
    },
  };
}

type PromptReading = { readonly text: string; readonly tokenIds: number | undefined } | { readonly fault: string };

function readMessages(messages: unknown): PromptReading {
  if (!Array.isArray(messages) || messages.length === 0) return { fault: 'messages must be a list that is not empty.' };
  const texts: string[] = [];
  for (const message of messages) {
    if (!isObject(message)) return { fault: 'Each message must be an object.' };
    texts.push(...contentTexts(message['content']));
  }
  return { text: texts.join('\n'), tokenIds: undefined };
}

/** Text given plainly or in parts; parts of other kinds (images, audio) have none. */
function contentTexts(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) => (isObject(part) && typeof part['text'] === 'string' ? [part['text']] : []));
}

function readPrompt(prompt: unknown): PromptReading {
  // A list with one entry is what some SDKs make of a single prompt.
  const only = Array.isArray(prompt) && prompt.length === 1 && typeof prompt[0] !== 'number' ? prompt[0] : prompt;
  if (typeof only === 'string') return { text: only, tokenIds: undefined };
  if (Array.isArray(only) && only.length > 0 && only.every((id) => Number.isInteger(id))) {
    return { text: only.join(' '), tokenIds: only.length };
  }
  return { fault: 'prompt must be one string or one list of token ids.' };
}

/** `required` calls the first tool there is; a named function calls that one; anything else none. */
function readToolName(body: JsonObject): string | undefined {
  const choice = body['tool_choice'];
  if (isObject(choice)) return functionName(choice);
  if (choice !== 'required' || !Array.isArray(body['tools'])) return undefined;
  return functionName(body['tools'][0]);
}

function functionName(holder: unknown): string | undefined {
  const description = isObject(holder) ? holder['function'] : undefined;
  const name = isObject(description) ? description['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
