// Learns from a request's path and a copy of its body what an exchange is about: model, stream flag,
// limits, size and beginning of the prompt. The copy is whole up to a cap, else the two ends of the body.
// Never throws; a body that is no JSON tells nothing.
import { NAME_MAX_CHARS, REQUEST_FIELDS_MAX_COUNT } from '../base/limits.ts';
import type { PromptBeginning } from '../record/prompt-beginning.ts';
import { decodeWhole } from './decode-whole.ts';
import { fieldsFromEnd, fieldsFromStart } from './json-edges.ts';
import { asBoundedText, asObject, firstCount, parseJson, type JsonObject } from './json-value.ts';
import { isJsonMediaType, parseMediaType } from './media-type.ts';
import { promptTextOf } from './prompt-text.ts';
import { readTarget } from './request-target.ts';
import type { TextCapture } from './text-capture.ts';

export interface RequestCopy {
  /** The whole body, or its first bytes. */
  readonly head: Uint8Array;
  /** The last bytes of a body of which `head` is not the whole. */
  readonly tail?: Uint8Array;
  readonly totalBytes: number;
  /** Told of a body that is known whole. */
  readonly capture?: TextCapture;
}

type PlainValue = string | number | boolean;

/** What could be read; the rest is absent. */
export interface RequestReading {
  model?: string;
  stream?: boolean;
  /** Number of choices asked for (`n`). */
  choices?: number;
  /** Limit of output tokens asked for. */
  maxTokens?: number;
  serviceTier?: string;
  /** As sent; whether low or high is first differs by engine. */
  priority?: number;
  /** UTF-8 bytes of the text the model is given; only known of a whole copy. */
  promptBytes?: number;
  /** UTF-16 units of the same text. */
  promptChars?: number;
  /** How that text begins, as hashes. */
  beginning?: PromptBeginning;
  /** A top-level field of the body with a short plain value, for rules of traffic classes. */
  field?: (name: string) => PlainValue | undefined;
  /** The copy is not the whole body, so what is absent may still have been said. */
  cut: boolean;
}

/**
 * Media types under which JSON arrives. The last two are what `curl -d` and careless clients send;
 * engines such as llama.cpp parse the body all the same.
 */
const LENIENT_MEDIA_TYPES: ReadonlySet<string> = new Set(['application/x-www-form-urlencoded', 'text/plain']);

/** The newer name first: with both, OpenAI's `max_completion_tokens` replaces `max_tokens`. */
const MAX_TOKENS_KEYS = [
  'max_completion_tokens',
  'max_tokens',
  'max_output_tokens',
  'max_new_tokens',
  'n_predict',
  'max_gen_len',
] as const;

/** Where APIs keep the limit of output tokens one level deeper: TGI, Ollama, SGLang, Gemini, Bedrock, Titan. */
const NESTED_MAX_TOKENS_KEYS = [
  ['parameters', 'max_new_tokens'],
  ['options', 'num_predict'],
  ['sampling_params', 'max_new_tokens'],
  ['generationConfig', 'maxOutputTokens'],
  ['generation_config', 'max_output_tokens'],
  ['inferenceConfig', 'maxTokens'],
  ['textGenerationConfig', 'maxTokenCount'],
] as const;

/** The same for the number of choices: Gemini, SGLang. */
const NESTED_CHOICES_KEYS = [
  ['generationConfig', 'candidateCount'],
  ['generation_config', 'candidate_count'],
  ['sampling_params', 'n'],
] as const;

export function readRequest(
  copy: RequestCopy,
  mediaType: string | undefined,
  encoding: string | undefined,
  path = '',
): RequestReading {
  const { streamByDefault, ...ofTarget } = readTarget(path);
  const ofBody = readBody(copy, mediaType, encoding);
  // What the path says is what the API goes by.
  const reading = { ...ofBody, ...boundedModel(ofTarget) };
  // Only a body that was read can have left the flag out.
  if (streamByDefault && ofBody.field !== undefined && !ofBody.cut) reading.stream ??= true;
  return reading;
}

function boundedModel({ model, ...rest }: { readonly model?: string; readonly stream?: boolean }) {
  const name = asBoundedText(model, NAME_MAX_CHARS);
  return name === undefined ? rest : { ...rest, model: name };
}

function readBody(copy: RequestCopy, mediaType: string | undefined, encoding: string | undefined): RequestReading {
  const cut = copy.tail !== undefined || copy.head.length < copy.totalBytes;
  if (!mayBeJson(parseMediaType(mediaType))) return { cut };
  // The ends of a compressed body tell nothing.
  if (cut) return isPlain(encoding) ? { ...fieldsOf(edgeFields(copy)), cut } : { cut };
  const body = decodeWhole(copy.head, encoding);
  if (body === undefined) return { cut };
  if (body.cut) return { ...fieldsOf(edgeFields({ head: body.bytes })), cut: true };
  const request = asObject(parseJson(Buffer.from(body.bytes).toString()));
  if (request === undefined) return { cut };
  const reading: RequestReading = { ...fieldsOf(request), cut };
  copy.capture?.onRequest(request);
  const text = promptTextOf(request);
  if (text !== undefined) {
    reading.promptBytes = text.bytes;
    reading.promptChars = text.chars;
    reading.beginning = text.beginning;
  }
  return reading;
}

/** Fields of both ends. SDKs put `messages` before `model` and `stream`, so the end often has more. */
function edgeFields(copy: Pick<RequestCopy, 'head' | 'tail'>): JsonObject {
  const atEnd = copy.tail === undefined ? [] : fieldsFromEnd(copy.tail);
  // An object without prototype, so that a key such as `__proto__` stays a key.
  const fields: Record<string, unknown> = Object.create(null);
  for (const [key, value] of [...fieldsFromStart(copy.head), ...atEnd]) fields[key] = value;
  return fields;
}

function fieldsOf(fields: JsonObject): Omit<RequestReading, 'cut'> {
  const reading: Omit<RequestReading, 'cut'> = { field: lookUpIn(plainValues(fields)) };
  const model = asBoundedText(fields['model'], NAME_MAX_CHARS);
  const choices = firstCount(fields['n'], ...nested(fields, NESTED_CHOICES_KEYS));
  const maxTokens = firstCount(...MAX_TOKENS_KEYS.map((key) => fields[key]), ...nested(fields, NESTED_MAX_TOKENS_KEYS));
  const serviceTier = asBoundedText(fields['service_tier'], NAME_MAX_CHARS);
  if (model !== undefined) reading.model = model;
  if (typeof fields['stream'] === 'boolean') reading.stream = fields['stream'];
  if (choices !== undefined) reading.choices = choices;
  if (maxTokens !== undefined) reading.maxTokens = maxTokens;
  if (serviceTier !== undefined) reading.serviceTier = serviceTier;
  if (Number.isFinite(fields['priority'])) reading.priority = fields['priority'] as number;
  return reading;
}

/**
 * Made here and not where the fields are: closures of one function share what any of them uses, and so this one
 * would keep the whole parsed request for as long as its exchange is open.
 */
function lookUpIn(values: ReadonlyMap<string, PlainValue>): (name: string) => PlainValue | undefined {
  return (name) => values.get(name);
}

function nested(fields: JsonObject, keys: readonly (readonly [string, string])[]): unknown[] {
  return keys.map(([outer, inner]) => asObject(fields[outer])?.[inner]);
}

/**
 * The short plain values among the fields. A reading lives as long as its exchange, so it must not
 * hold on to the parsed request: that would keep every open prompt in memory.
 */
function plainValues(fields: JsonObject): Map<string, PlainValue> {
  const values = new Map<string, PlainValue>();
  for (const [name, value] of Object.entries(fields)) {
    if (values.size >= REQUEST_FIELDS_MAX_COUNT) break;
    if (typeof value === 'number' || typeof value === 'boolean') values.set(name, value);
    else if (typeof value === 'string' && value.length <= NAME_MAX_CHARS) values.set(name, value);
  }
  return values;
}

function isPlain(encoding: string | undefined): boolean {
  return encoding === undefined || /^\s*(identity\s*)?$/i.test(encoding);
}

function mayBeJson(essence: string | undefined): boolean {
  return essence === undefined || isJsonMediaType(essence) || LENIENT_MEDIA_TYPES.has(essence);
}
