// Tells engines apart by what they show of themselves in passing: a name where they write one, else a
// field that nobody else sends. Nothing is asked. A dialect is no sign, because most engines speak
// OpenAI's; so `openai` itself is known by fields of its response head only.
import { ENGINE_VERSION_MAX_CHARS } from '../base/limits.ts';
import { fieldValue } from '../base/fields.ts';
import type { EngineFacts, EngineName } from '../record/engines.ts';
import { boundedText, isObject, type JsonObject } from './json-value.ts';

/**
 * How much a sign weighs. `imitated`: a shape that others are known to offer as well. `own`: a field that
 * only this engine sends. `named`: the engine's own name. `gateway`: it names itself and passes on what
 * the engine behind it shows.
 */
export const SIGN_WEIGHTS = { imitated: 1, own: 2, named: 3, gateway: 4 } as const;

export interface Sign {
  readonly engine: EngineFacts;
  readonly weight: number;
}

/**
 * The weightiest sign in a message; undefined when it could be of any engine. It runs for every message
 * until an engine is known, so it walks over the few keys there are, as statements.ts does.
 */
export function signInMessage(message: JsonObject): Sign | undefined {
  const best = weightiest(message);
  // The Responses API wraps what other APIs have at the top.
  const response = message['response'];
  if (!isObject(response)) return best;
  const within = weightiest(response);
  return (within?.weight ?? 0) > (best?.weight ?? 0) ? within : best;
}

function weightiest(message: JsonObject): Sign | undefined {
  let best: Sign | undefined;
  for (const name in message) {
    const shown = SIGNS.get(name)?.(message[name], message);
    if (shown !== undefined && shown.weight > (best?.weight ?? 0)) best = shown;
  }
  return best;
}

/** Reads a sign from the value of one key. */
type SignReader = (value: unknown, message: JsonObject) => Sign | undefined;

/** The name of the real upstream, on every message of OpenRouter; other gateways have the field as well. */
const readProvider: SignReader = (value, { id }) => {
  if (typeof value !== 'string' || value === '') return undefined;
  return sign('openrouter', typeof id === 'string' && id.startsWith('gen-') ? 'gateway' : 'imitated');
};

/** vLLM: `vllm-<version>[-tp2…]-<hash>`, on the messages with usage or finish only. */
const VLLM_FINGERPRINT = /^vllm-([^-]+)/;
/** llama.cpp: build number and commit, on every message. */
const LLAMA_FINGERPRINT = /^(b\d{1,9})-/;
/** TGI: version and Docker label; a build without a label says `native`. */
const TGI_FINGERPRINT = /^(\d{1,4}\.\d{1,4}\.\d{1,4}(?:-dev\d{0,4})?)-(?:native|sha-[0-9a-f]{7})/;

const readFingerprint: SignReader = (value) => {
  if (typeof value !== 'string' || value === '') return undefined;
  // Hosted APIs write `fp_…` and digits, which is nobody's name.
  if (value.startsWith('fp_')) return value === 'fp_ollama' ? sign('ollama', 'named') : undefined;
  const vllm = VLLM_FINGERPRINT.exec(value);
  if (vllm !== null) return sign('vllm', 'named', vllm[1]);
  const llama = LLAMA_FINGERPRINT.exec(value);
  if (llama !== null) return sign('llama.cpp', 'named', llama[1]);
  const tgi = TGI_FINGERPRINT.exec(value);
  return tgi === null ? undefined : sign('tgi', 'named', tgi[1]);
};

const readMetrics: SignReader = (value) => {
  if (!isObject(value)) return undefined;
  // vLLM writes all its times, null where one is not known. Others have a `time_to_first_token_ms` too.
  if (value['queue_time_ms'] !== undefined) return sign('vllm', 'own');
  return value['latencyMs'] === undefined ? undefined : sign('bedrock', 'own');
};

const readStats: SignReader = (value) =>
  isObject(value) && value['type'] === 'NIM LLM Model Stats' ? sign('nim', 'named') : undefined;

const readUsage: SignReader = (value) => {
  if (!isObject(value)) return undefined;
  // Gateways before Azure pass it on.
  if (value['latency_checkpoint'] !== undefined) return sign('azure-openai', 'imitated');
  return value['prompt_cache_hit_tokens'] === undefined ? undefined : sign('deepseek', 'imitated');
};

/** LMDeploy's /generate has this field too, with fewer entries. */
const readMeta: SignReader = (value) => {
  if (!isObject(value)) return undefined;
  const own = value['weight_version'] !== undefined || value['queue_time'] !== undefined;
  return sign('sglang', own ? 'own' : 'imitated');
};

const readChoices: SignReader = (value) => {
  const choice = Array.isArray(value) ? (value[0] as unknown) : undefined;
  if (!isObject(choice)) return undefined;
  if (choice['matched_stop'] !== undefined) return sign('sglang', 'own');
  if (choice['avg_decoded_tokens_per_iter'] !== undefined) return sign('tensorrt-llm', 'own');
  const delta = choice['delta'];
  return isObject(delta) && delta['token_id'] !== undefined ? sign('together', 'imitated') : undefined;
};

/** Ollama's native routes, whose shape SGLang offers as well. */
const readDone: SignReader = (value, message) =>
  typeof value === 'boolean' && typeof message['created_at'] === 'string' ? sign('ollama', 'imitated') : undefined;

/** TGI's native stream, whose shape DJL Serving has as well. */
const readToken: SignReader = (value) =>
  isObject(value) && typeof value['special'] === 'boolean' ? sign('tgi', 'imitated') : undefined;

/** Triton's generate extension, which KServe took over. */
const readTextOutput: SignReader = (_value, message) =>
  message['model_name'] === undefined ? undefined : sign('triton', 'imitated');

const readModelVersion: SignReader = (value) =>
  typeof value === 'string' && value.startsWith('gemini') ? sign('gemini', 'named') : undefined;

const SIGNS: ReadonlyMap<string, SignReader> = new Map<string, SignReader>([
  ['provider', readProvider],
  ['system_fingerprint', readFingerprint],
  ['x_groq', () => sign('groq', 'own')],
  ['time_info', () => sign('cerebras', 'own')],
  ['perf_metrics', () => sign('fireworks', 'own')],
  ['prompt_filter_results', () => sign('azure-openai', 'own')],
  ['amazon-bedrock-invocationMetrics', () => sign('bedrock', 'own')],
  ['sglext', () => sign('sglang', 'own')],
  // NIM carries Dynamo's extension as well.
  ['nvext', (value) => (isObject(value) ? sign('dynamo', 'imitated') : undefined)],
  ['timings', (value) => (isObject(value) ? sign('llama.cpp', 'own') : undefined)],
  ['metrics', readMetrics],
  ['stats', readStats],
  ['usage', readUsage],
  ['meta_info', readMeta],
  ['choices', readChoices],
  ['done', readDone],
  ['token', readToken],
  ['text_output', readTextOutput],
  ['modelVersion', readModelVersion],
]);

/** Fields of a response head that only one engine sends. The first that is there counts. */
const HEAD_FIELDS: readonly (readonly [field: string, engine: EngineName])[] = [
  ['x-generation-id', 'openrouter'],
  ['x-groq-region', 'groq'],
  ['x-amzn-bedrock-content-type', 'bedrock'],
  ['x-amzn-bedrock-invocation-latency', 'bedrock'],
  // Before OpenAI: Azure passes on some of its fields.
  ['apim-request-id', 'azure-openai'],
  ['x-ms-region', 'azure-openai'],
  ['azureml-model-session', 'azure-openai'],
  ['openai-processing-ms', 'openai'],
  ['openai-version', 'openai'],
  ['anthropic-organization-id', 'anthropic'],
  ['mistral-correlation-id', 'mistral'],
  ['x-ds-trace-id', 'deepseek'],
  ['x-endpoint-monthly-call-limit', 'cohere'],
  ['x-compute-type', 'tgi'],
  ['nvcf-reqid', 'nim'],
];

const HEAD_PREFIXES: readonly (readonly [prefix: string, engine: EngineName])[] = [
  ['fireworks-', 'fireworks'],
  ['anthropic-ratelimit-', 'anthropic'],
];

/** The engine that a response head shows. `fields` are names and values in turn. */
export function engineInHead(fields: readonly string[]): EngineFacts | undefined {
  const name = serverName(fields) ?? fieldName(fields) ?? prefixName(fields) ?? valueName(fields);
  return name === undefined ? undefined : { name, by: 'head' };
}

/** Of the servers only llama.cpp names itself; `uvicorn` may be any of six. */
function serverName(fields: readonly string[]): EngineName | undefined {
  return fieldValue(fields, 'server')?.toLowerCase() === 'llama.cpp' ? 'llama.cpp' : undefined;
}

function fieldName(fields: readonly string[]): EngineName | undefined {
  return HEAD_FIELDS.find(([field]) => fieldValue(fields, field) !== undefined)?.[1];
}

function prefixName(fields: readonly string[]): EngineName | undefined {
  const names = fields.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  return HEAD_PREFIXES.find(([prefix]) => names.some((name) => name.startsWith(prefix)))?.[1];
}

/** Fields that others use too, by a value that is the engine's own. */
function valueName(fields: readonly string[]): EngineName | undefined {
  if (fieldValue(fields, 'request-id')?.startsWith('req_') === true) return 'anthropic';
  return fieldValue(fields, 'server-timing')?.includes('gfet4t7') === true ? 'gemini' : undefined;
}

function sign(name: EngineName, weight: keyof typeof SIGN_WEIGHTS, version?: string): Sign {
  const facts: EngineFacts = { name, by: 'body' };
  const known = version === undefined ? {} : { version: boundedText(version, ENGINE_VERSION_MAX_CHARS) };
  return { engine: { ...facts, ...known }, weight: SIGN_WEIGHTS[weight] };
}
