// When an engine sends its response head, which differs by engine, route and age: what the head's arrival
// says of the queue, and of hops, rests on it. Data and nothing else. Sources: the servers' own code as of
// August 2026.
import type { EngineFacts, EngineName } from './engines.ts';

/**
 * `early`: before the engine has begun, so the head says nothing of the queue. `slot_start`: when the
 * prompt's slot begins, so the wait until then is the queue. `first_token`: with the first output.
 */
export type HeadClass = 'early' | 'slot_start' | 'first_token';

/** The class that holds for every route, or one for each dialect; a dialect that is not listed is unknown. */
type Rule = HeadClass | Readonly<Record<string, HeadClass>>;

/**
 * Engines of which nobody could say are missing here. Where the class changed with a version that streams
 * do not state, the newer one stands: SGLang's OpenAI routes wait for the first token since April 2026
 * (PR #21900), Dynamo's peeked at the first item in builds of 2025.
 */
const RULES: Partial<Record<EngineName, Rule>> = {
  vllm: 'early',
  sglang: {
    'openai-chat': 'first_token',
    'openai-completions': 'first_token',
    'sglang-generate': 'early',
    'anthropic-messages': 'early',
    ollama: 'early',
  },
  tgi: 'early',
  ollama: 'first_token',
  'tensorrt-llm': 'early',
  triton: { 'triton-generate': 'first_token', 'openai-chat': 'early', 'openai-completions': 'early' },
  dynamo: 'early',
  lmdeploy: 'early',
  kserve: 'early',
  // Its time to the first token stands in the head itself.
  fireworks: 'first_token',
  // Both fill the wait for the engine with comments.
  deepseek: 'early',
  openrouter: 'early',
};

/** llama.cpp releases the head when a slot begins since this build (PR #23884, 30 May 2026). */
const LLAMACPP_SLOT_START_BUILD = 9428;
/**
 * It waited for the first result between PR #16486 (10 October 2025) and that. The build of that day is
 * about b6725, by b6451 of 13 September and ten builds a day; these two are certainly after and before it.
 */
const LLAMACPP_FIRST_TOKEN_BUILD = 6850;
const LLAMACPP_EARLY_LAST_BUILD = 6600;

/** Undefined when it is not known. */
export function headClassOf(engine: EngineFacts | undefined, dialect: string): HeadClass | undefined {
  if (engine === undefined) return undefined;
  if (engine.name === 'llama.cpp') return headClassOfBuild(engine.version);
  const rule = RULES[engine.name];
  if (typeof rule !== 'object') return rule;
  return Object.hasOwn(rule, dialect) ? rule[dialect] : undefined;
}

/**
 * Without a build there is no class, and not the newest one: a head that came with the first token would
 * be taken for the start of the slot, and the whole prefill for a queue. The engine's `timings` tell its
 * prefill all the same.
 */
function headClassOfBuild(version: string | undefined): HeadClass | undefined {
  const build = Number(/^b(\d{1,8})\b/.exec(version ?? '')?.[1] ?? Number.NaN);
  if (build >= LLAMACPP_SLOT_START_BUILD) return 'slot_start';
  if (build >= LLAMACPP_FIRST_TOKEN_BUILD) return 'first_token';
  return build <= LLAMACPP_EARLY_LAST_BUILD ? 'early' : undefined;
}

/**
 * Self-hosted servers that send their head before they begin with whatever they are asked on the routes that are
 * `early`, in every version and by every setting that is known. Dynamo can be told to look at the first item
 * before (`DYN_HTTP_PRE_COMMIT_ERROR_PEEK_MS`), KServe may stand behind the queue proxy of Knative, Triton sends a
 * role with its head, and of services of somebody else nobody knows what stands before them.
 */
const SURELY_EARLY: ReadonlySet<EngineName> = new Set(['vllm', 'sglang', 'tgi', 'tensorrt-llm', 'lmdeploy']);

/** Whoever keeps this engine's head until there is text is somebody else: sure enough to accuse by it. */
export function isSurelyEarly(engine: EngineFacts | undefined, dialect: string): boolean {
  if (engine === undefined || !SURELY_EARLY.has(engine.name) || headClassOf(engine, dialect) !== 'early') return false;
  // The shape of TGI's own stream is offered by others; its name comes with a version.
  const byShape = engine.by === 'body' || engine.by === 'earlier';
  return engine.name !== 'tgi' || !byShape || engine.version !== undefined;
}
