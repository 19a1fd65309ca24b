// Finds what an engine states about its own time and load in a message of its answer: fixed places
// only, numbers only. What the numbers lie between is for the sources of evidence to know.
//
// It runs for every message of every stream, so a usual delta must cost next to nothing. One walk over
// its few keys does (about 50 ns, where parsing its JSON takes 800): looking up each place by name is
// faster for one engine alone, but four times slower once streams of several engines are read.
import { STATEMENT_KEYS_MAX_COUNT, STATEMENT_PATH_MAX_CHARS, STATEMENT_PATHS_CACHED_COUNT } from '../base/limits.ts';
import { asArray, asObject, boundedText, type JsonObject } from './json-value.ts';

/** Takes one number. A path that comes again carries the newer number. */
export type NoteStatement = (path: string, value: number) => void;

/** Notes the numbers of a message that are about time or load. */
export function noteStatements(message: JsonObject, note: NoteStatement): void {
  for (const name in message) PLACES.get(name)?.(message[name], name, note);
}

/** Reads the value of one key; `at` is its path. */
type Reader = (value: unknown, at: string, note: NoteStatement) => void;

const readNumber: Reader = (value, at, note) => {
  if (typeof value === 'number' && Number.isFinite(value)) note(at, value);
};

const readNumbers: Reader = (value, at, note) =>
  forEachField(value, (name, field) => readNumber(field, pathOf(at, name), note));

/** Numbers, and those of objects among them. */
const readNested: Reader = (value, at, note) =>
  forEachField(value, (name, field) => {
    const read = typeof field === 'object' ? readNumbers : readNumber;
    read(field, pathOf(at, name), note);
  });

/** Numbers that may be written as texts. */
const readDecimals: Reader = (value, at, note) =>
  forEachField(value, (name, field) =>
    readNumber(typeof field === 'string' ? decimalOf(field) : field, pathOf(at, name), note),
  );

/** Of several requests in one message no number belongs to the exchange. */
const readOnlyOne: Reader = (value, at, note) => {
  const list = asArray(value);
  if (list === undefined) readNumbers(value, at, note);
  else if (list.length === 1) readNumbers(list[0], at, note);
};

/** Times among the token counts; the counts themselves are read elsewhere. */
const readUsage: Reader = (value, at, note) => {
  const usage = asObject(value);
  if (usage === undefined) return;
  for (const name in usage) USAGE_PLACES.get(name)?.(usage[name], pathOf(at, name), note);
};

/** TensorRT-LLM keeps a figure in the choice, others in `usage`. */
const readFirstChoice: Reader = (value, at, note) => {
  const first = Array.isArray(value) ? (value[0] as unknown) : undefined;
  if (typeof first !== 'object' || first === null) return;
  readNumber((first as JsonObject)[DECODED_PER_STEP], pathOf(at, DECODED_PER_STEP), note);
};

/** The Responses API wraps what other APIs have at the top: `response.completed` has `response.usage`. */
const readResponse: Reader = (value, at, note) => {
  const response = asObject(value);
  if (response === undefined) return;
  for (const name in response) {
    if (name !== 'response') PLACES.get(name)?.(response[name], pathOf(at, name), note);
  }
};

function within(name: string, read: Reader): Reader {
  return (value, at, note) => read(asObject(value)?.[name], pathOf(at, name), note);
}

const DECODED_PER_STEP = 'avg_decoded_tokens_per_iter';

const PLACES: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['metrics', readNested], // vLLM, Bedrock
  ['timings', readNumbers], // llama.cpp
  ['prompt_progress', readNumbers], // llama.cpp while it reads the prompt
  ['total_duration', readNumber], // Ollama, these four
  ['load_duration', readNumber],
  ['prompt_eval_duration', readNumber],
  ['eval_duration', readNumber],
  ['meta_info', readOnlyOne], // SGLang's and LMDeploy's own route
  ['sglext', readNested], // SGLang's OpenAI routes
  ['x_groq', within('usage', readNumbers)],
  ['time_info', readNumbers], // Cerebras
  ['perf_metrics', readDecimals], // Fireworks
  ['nvext', within('timing', readNumbers)], // Dynamo
  ['stats', readNested], // NIM, LM Studio
  ['amazon-bedrock-invocationMetrics', readNumbers],
  ['choices', readFirstChoice],
  ['usage', readUsage],
  ['response', readResponse],
]);

const USAGE_PLACES: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['latency_checkpoint', readNumbers], // Azure, in either place
  ['service_tier_details', within('latency_checkpoint', readNumbers)],
  ['queue_time', readNumber], // Groq's answers in one piece, these four
  ['prompt_time', readNumber],
  ['completion_time', readNumber],
  ['total_time', readNumber],
  ['timing_prompt_processing', readNumber], // LocalAI
  ['timing_token_generation', readNumber],
  ['prompt_tokens_per_sec', readNumber], // TabbyAPI
  ['completion_tokens_per_sec', readNumber],
  [DECODED_PER_STEP, readNumber],
]);

/**
 * Paths by what they are made of. Engines that state a dozen numbers with every token would otherwise
 * have a dozen strings made and hashed each time, which is ten times the work of the rest.
 */
const PATHS = new Map<string, Map<string, string>>();
let pathsLeftCount = STATEMENT_PATHS_CACHED_COUNT;

function pathOf(at: string, name: string): string {
  const known = PATHS.get(at)?.get(name);
  if (known !== undefined) return known;
  const path = boundedText(`${at}.${name}`, STATEMENT_PATH_MAX_CHARS);
  if (pathsLeftCount > 0 && name.length <= STATEMENT_PATH_MAX_CHARS) {
    pathsLeftCount -= 1;
    const below = PATHS.get(at) ?? new Map<string, string>();
    PATHS.set(at, below.set(name, path));
  }
  return path;
}

/** An engine states 25 numbers at most; a message with thousands of keys is not worth the time. */
function forEachField(value: unknown, read: (name: string, field: unknown) => void): void {
  const fields = asObject(value);
  if (fields === undefined) return;
  let count = 0;
  for (const name in fields) {
    if (count >= STATEMENT_KEYS_MAX_COUNT) return;
    count += 1;
    read(name, fields[name]);
  }
}

const DECIMAL = /^-?\d{1,20}(\.\d{1,20})?$/;

/** A plain decimal number, nothing with a unit. */
export function decimalOf(text: string): number | undefined {
  const trimmed = text.trim();
  return DECIMAL.test(trimmed) ? Number(trimmed) : undefined;
}
