// What a user can switch on at each engine, and what rubato makes of it. The README's table and the
// doctor's cures both come from here. Sources: the engines' own sources and documents as of August 2026.
import type { EngineName } from '../record/engines.ts';

/** How a part of TTFT can be had at best. */
export type Grade = 'exact' | 'derived' | 'window' | 'model';

export interface EngineAdvice {
  readonly engine: EngineName;
  /** As people write it. */
  readonly title: string;
  /** Best first: what to switch on, at the engine or at rubato. Empty when there is nothing. */
  readonly switchOn: readonly string[];
  /** What these give; `derived`: computed for the request from exact times; `window`: only means beside it. */
  readonly queue: Grade;
  readonly prefill: Grade;
  /** Token counts: how the engine comes to state them on every stream. */
  readonly tokens: string;
  /** What makes the engine state cached prompt tokens as well, where that takes a switch of its own. */
  readonly cachedTokens?: string;
  /** Without any of it. */
  readonly otherwise: string;
  /** Whether the engine takes part in W3C trace context, so that its spans join ours. */
  readonly traceparent: 'honoured' | 'ignored' | 'unknown';
}

const MODEL = "rubato's calibrated model, marked as such";
const USAGE = 'clients send `stream_options: {"include_usage": true}`';

export const ENGINE_ADVICE: readonly EngineAdvice[] = [
  {
    engine: 'vllm',
    title: 'vLLM, 0.27 and later',
    switchOn: [
      '`--enable-per-request-metrics --enable-force-include-usage`',
      'or `--otlp-traces-endpoint` at `--otlp-listen` of rubato, with `OTEL_BSP_SCHEDULE_DELAY=500`',
    ],
    queue: 'exact',
    prefill: 'exact',
    tokens: '`--enable-force-include-usage`',
    cachedTokens: '`--enable-prompt-tokens-details`',
    otherwise: `${MODEL}; window means from \`/metrics\``,
    traceparent: 'honoured',
  },
  {
    engine: 'sglang',
    title: 'SGLang',
    switchOn: [
      '`--enable-trace --otlp-traces-endpoint` at `--otlp-listen` of rubato',
      'on `/generate`: `--enable-metrics` alone',
    ],
    queue: 'exact',
    prefill: 'exact',
    tokens: '`--stream-response-default-include-usage`',
    cachedTokens: '`--enable-cache-report`',
    otherwise: `${MODEL}; window means from \`/metrics\` with \`--enable-metrics\``,
    traceparent: 'honoured',
  },
  {
    engine: 'llama.cpp',
    title: 'llama.cpp server, b9428 and later',
    switchOn: [],
    queue: 'derived',
    prefill: 'exact',
    tokens: 'always; on every event with `timings_per_token`',
    otherwise: 'nothing to switch on: `timings` and the moment of its head say it; `--metrics` adds the load',
    traceparent: 'ignored',
  },
  {
    engine: 'ollama',
    title: 'Ollama',
    switchOn: ['clients use its own routes, `/api/chat` and `/api/generate`'],
    queue: 'derived',
    prefill: 'exact',
    tokens: 'always on its own routes; with usage on the OpenAI ones',
    otherwise: `on the OpenAI routes ${MODEL}`,
    traceparent: 'ignored',
  },
  {
    engine: 'tgi',
    title: 'TGI',
    switchOn: ['`--otlp-endpoint` at `--otlp-listen` of rubato'],
    queue: 'exact',
    prefill: 'derived',
    tokens: 'always: one event is one token',
    otherwise: `${MODEL}; window means from \`/metrics\``,
    traceparent: 'honoured',
  },
  {
    engine: 'tensorrt-llm',
    title: 'TensorRT-LLM (`trtllm-serve`)',
    switchOn: [
      '`return_perf_metrics: true` and `perf_metrics_max_requests` with `--engine-perf-metrics` of rubato',
      'or `--otlp_traces_endpoint` at `--otlp-listen` of rubato',
    ],
    queue: 'exact',
    prefill: 'exact',
    tokens: USAGE,
    otherwise: `${MODEL}; window means from \`/prometheus/metrics\``,
    traceparent: 'honoured',
  },
  {
    engine: 'lmdeploy',
    title: 'LMDeploy',
    switchOn: [],
    queue: 'model',
    prefill: 'model',
    tokens: USAGE,
    otherwise: `${MODEL}; window means from \`/metrics\``,
    traceparent: 'ignored',
  },
  {
    engine: 'triton',
    title: 'Triton',
    switchOn: [],
    queue: 'model',
    prefill: 'model',
    tokens: 'none on `generate_stream`; with usage on the OpenAI front end',
    otherwise: `${MODEL}; its own QUEUE spans are of another queue than that of the batcher`,
    traceparent: 'honoured',
  },
  {
    engine: 'dynamo',
    title: 'NVIDIA Dynamo',
    switchOn: [],
    queue: 'model',
    prefill: 'model',
    tokens: USAGE,
    otherwise: `${MODEL}; its \`prefill_time_ms\` contains the queue of the worker, so it is kept as a statement only`,
    traceparent: 'honoured',
  },
  {
    engine: 'groq',
    title: 'Groq',
    switchOn: [],
    queue: 'exact',
    prefill: 'exact',
    tokens: 'always',
    otherwise: '–',
    traceparent: 'unknown',
  },
  {
    engine: 'cerebras',
    title: 'Cerebras',
    switchOn: [],
    queue: 'exact',
    prefill: 'exact',
    tokens: 'always',
    otherwise: '–',
    traceparent: 'unknown',
  },
  {
    engine: 'fireworks',
    title: 'Fireworks',
    switchOn: ['clients send `"perf_metrics_in_response": true`'],
    queue: 'exact',
    prefill: 'exact',
    tokens: USAGE,
    otherwise: MODEL,
    traceparent: 'unknown',
  },
  {
    engine: 'azure-openai',
    title: 'Azure OpenAI',
    switchOn: [USAGE],
    queue: 'exact',
    prefill: 'exact',
    tokens: USAGE,
    otherwise: `where \`usage.latency_checkpoint\` is missing, ${MODEL}`,
    traceparent: 'unknown',
  },
  ...hosted([
    ['openai', 'OpenAI'],
    ['openrouter', 'OpenRouter'],
    ['mistral', 'Mistral'],
    ['deepseek', 'DeepSeek'],
    ['together', 'Together'],
    ['cohere', 'Cohere'],
  ]),
  ...hosted(
    [
      ['anthropic', 'Anthropic'],
      ['gemini', 'Gemini'],
      ['bedrock', 'Amazon Bedrock'],
    ],
    'always',
  ),
];

/** Hosted APIs that say nothing about their time. */
function hosted(names: readonly (readonly [EngineName, string])[], tokens = USAGE): EngineAdvice[] {
  return names.map(([engine, title]) => ({
    engine,
    title,
    switchOn: [],
    queue: 'model',
    prefill: 'model',
    tokens,
    otherwise: MODEL,
    traceparent: 'unknown',
  }));
}

/** The advice for an engine; undefined for one that is only a shell around another (KServe, NIM). */
export function adviceFor(engine: EngineName): EngineAdvice | undefined {
  return ENGINE_ADVICE.find((advice) => advice.engine === engine);
}
