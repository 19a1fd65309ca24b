// SGLang: OpenAI's routes, whose stream has no times and whose head waits for the first token, and the
// route `/generate`, whose every event has the whole text so far and, with metrics on, the times.
// Source: SGLang `srt/observability/{req_time_stats,trace,metrics_collector}.py`, `srt/entrypoints/` (August 2026).
import { epochMsOf } from '../../../base/clock.ts';
import { plantSpans, type EngineSpan, type SpanSketch } from '../engine-span.ts';
import { readSglangGenerate } from '../foreign-requests.ts';
import type { MetricRow } from '../metrics-page.ts';
import type { AnswerContext, AnswerWriter, FinishedAnswer, Persona, Route } from '../persona.ts';
import type { JsonObject as Json } from '../request.ts';
import { momentsOf, timesOf, toSeconds } from '../times.ts';
import { openAiRoutes } from './openai-routes.ts';
import { metricsPageAt } from './pages.ts';

const VERSION = '0.5.12';
const QUEUE_BOUNDS_S = [0.001, 0.005, 0.01, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
const TTFT_BOUNDS_S = [0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400];

/** Each event repeats the text from the beginning, so its length says nothing of the event. */
class GenerateWriter implements AnswerWriter {
  readonly #context: AnswerContext;
  #text = '';

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  roles(): string {
    return '';
  }

  tokens(position: number): string {
    const fragment = this.#context.plan.choices[0]?.fragments[position - 1];
    if (fragment === undefined) return '';
    this.#text += fragment.text;
    return `data: ${JSON.stringify(this.#body(position))}\n\n`;
  }

  closing(): string {
    return 'data: [DONE]\n\n';
  }

  whole(): string {
    const { fragments = [] } = this.#context.plan.choices[0] ?? {};
    this.#text = fragments.map(({ text }) => text).join('');
    return JSON.stringify(this.#body(fragments.length));
  }

  #body(position: number): Json {
    const { id, plan, signals } = this.#context;
    const [choice] = plan.choices;
    const last = position === choice?.fragments.length;
    const counts = {
      prompt_tokens: plan.promptTokens,
      completion_tokens: position,
      cached_tokens: plan.cachedTokens ?? 0,
    };
    const meta = {
      id,
      finish_reason: last ? finishOf(choice.finishReason, position) : null,
      weight_version: 'default',
      ...(signals.usage ? counts : {}),
      ...(signals.inBand ? this.#times(last) : {}),
    };
    return { text: this.#text, output_ids: signals.continuousUsage ? idsTo(position) : undefined, meta_info: meta };
  }

  /** Queue in seconds, the prefill as two instants of the wall clock; the rest only at the end. */
  #times(last: boolean): Json {
    const { truth, anchor } = this.#context;
    const { queueNs, totalNs, generationNs, tokenCount } = timesOf(truth);
    const { arrivedAtNs, submittedAtNs, prefillAtNs, firstTokenAtNs, lastTokenAtNs } = momentsOf(truth);
    const epochS = (atNs: number): number => epochMsOf(anchor, atNs) / 1000;
    const times = {
      queue_time: toSeconds(queueNs),
      forward_entry_time: epochS(prefillAtNs),
      prefill_finished_time: epochS(firstTokenAtNs),
      num_retractions: 0,
    };
    if (!last) return times;
    return {
      ...times,
      e2e_latency: toSeconds(totalNs),
      request_received_ts: epochS(arrivedAtNs),
      api_server_dispatch_finish_ts: epochS(submittedAtNs),
      request_finished_ts: epochS(lastTokenAtNs),
      ...(generationNs > 0 ? { decode_throughput: (tokenCount - 1) / toSeconds(generationNs) } : {}),
    };
  }
}

function finishOf(reason: string, length: number): Json {
  return reason === 'length' ? { type: 'length', length } : { type: 'stop', matched: 2 };
}

/** Token ids; what they stand for is nobody's business here, only how many there are. */
function idsTo(position: number): number[] {
  return Array.from({ length: position }, (_, index) => 1_000 + index);
}

const generate: Route = {
  path: '/generate',
  manners: { headAt: 'arrival', roleAt: 'first_token' },
  read: readSglangGenerate,
  idOf: ({ requestId }) => requestId,
  writer: (context) => new GenerateWriter(context),
};

/**
 * A root with the stages of each thread below it. The root's `time_in_model_prefill` is a trap: it runs
 * from the end of the dispatch to the first token and so contains the queue; only the stages tell them apart.
 */
function sglangSpans(finished: FinishedAnswer): EngineSpan[] {
  const { queueNs, prefillNs, generationNs, totalNs } = timesOf(finished.truth);
  const { arrivedAtNs, submittedAtNs, prefillAtNs, firstTokenAtNs, lastTokenAtNs } = momentsOf(finished.truth);
  const stage = (name: string, fromNs: number, toNs: number): SpanSketch => ({ name, fromNs, toNs });
  const tokenizer: SpanSketch = {
    ...stage('Tokenizer', arrivedAtNs, submittedAtNs),
    children: [
      stage('tokenize', arrivedAtNs, submittedAtNs),
      stage('api_server_dispatch', submittedAtNs, submittedAtNs),
    ],
  };
  const scheduler: SpanSketch = {
    ...stage('Scheduler', submittedAtNs, lastTokenAtNs),
    children: [
      stage('request_process', submittedAtNs, submittedAtNs),
      stage('prefill_waiting', submittedAtNs, prefillAtNs),
      stage('prefill_forward', prefillAtNs, firstTokenAtNs),
      stage('decode_forward', firstTokenAtNs, lastTokenAtNs),
    ],
  };
  const attributes = {
    rid: finished.id,
    module: 'sglang::request',
    'gen_ai.request.id': finished.id,
    'gen_ai.latency.time_to_first_token': toSeconds(totalNs - generationNs),
    'gen_ai.latency.time_in_model_prefill': toSeconds(queueNs + prefillNs),
    'gen_ai.latency.time_in_model_decode': toSeconds(generationNs),
    'gen_ai.latency.time_in_model_inference': toSeconds(queueNs + prefillNs + generationNs),
    'gen_ai.latency.e2e': toSeconds(totalNs),
    'gen_ai.usage.prompt_tokens': finished.plan.promptTokens,
    'gen_ai.usage.completion_tokens': finished.truth.outputTokens ?? 0,
    'gen_ai.usage.cached_tokens': finished.plan.cachedTokens ?? 0,
  };
  const name = `unified Req ${finished.id.slice(0, 8)}`;
  const root = { name, fromNs: arrivedAtNs, toNs: lastTokenAtNs, attributes, children: [tokenizer, scheduler] };
  return plantSpans(finished, { ...root, kind: 'server' }, { scope: 'sglang', resource: { 'service.name': 'sglang' } });
}

const METRICS: readonly MetricRow[] = [
  { name: 'sglang:num_running_reqs', type: 'gauge', help: 'Requests in a slot.', value: (now) => now.runningCount },
  { name: 'sglang:num_queue_reqs', type: 'gauge', help: 'Requests that wait.', value: (now) => now.waitingCount },
  { name: 'sglang:token_usage', type: 'gauge', help: 'Share of the cache in use.', value: (now) => now.kvUsedRatio },
  {
    name: 'sglang:num_retracted_requests_total',
    type: 'counter',
    help: 'Times a request was thrown out of its slot.',
    value: (now) => now.preemptedCount,
  },
  {
    name: 'sglang:spec_accept_rate',
    type: 'gauge',
    help: 'Guesses that were good, of all.',
    value: ({ draftedCount = 0, acceptedCount = 0 }) => (draftedCount === 0 ? undefined : acceptedCount / draftedCount),
  },
  { name: 'sglang:prompt_tokens_total', type: 'counter', help: 'Prompt tokens.', value: (now) => now.promptTokens },
  { name: 'sglang:cached_tokens_total', type: 'counter', help: 'Of these cached.', value: (now) => now.cachedTokens },
  {
    name: 'sglang:generation_tokens_total',
    type: 'counter',
    help: 'Tokens made.',
    value: (now) => now.generationTokens,
  },
  {
    name: 'sglang:num_requests_total',
    type: 'counter',
    help: 'Requests answered.',
    value: (now) => now.completedCount,
  },
  {
    name: 'sglang:time_to_first_token_seconds',
    type: 'histogram',
    help: 'Handler entry to the first output.',
    labels: { is_streaming: 'true' },
    at: 'first_token',
    bounds: TTFT_BOUNDS_S,
    value: ({ frontNs, queueNs, prefillNs }) => toSeconds(frontNs + queueNs + prefillNs),
  },
  {
    name: 'sglang:queue_time_seconds',
    type: 'histogram',
    help: 'Time in the queue, told as the forward pass is entered.',
    at: 'prefill',
    bounds: QUEUE_BOUNDS_S,
    value: ({ queueNs }) => toSeconds(queueNs),
  },
  {
    name: 'sglang:per_stage_req_latency_seconds',
    type: 'histogram',
    help: 'Length of a stage.',
    labels: { stage: 'prefill_forward' },
    at: 'first_token',
    bounds: QUEUE_BOUNDS_S,
    value: ({ prefillNs }) => toSeconds(prefillNs),
  },
];

const SGLANG = {
  headers: { server: 'uvicorn' },
  ownedBy: 'sglang',
  manners: { headAt: 'first_token', roleAt: 'first_token' },
  metrics: METRICS,
  metricLabels: (model: string) => ({ model_name: model, engine_type: 'unified' }),
  pages: [
    metricsPageAt('/metrics'),
    { path: '/server_info', body: () => ({ version: VERSION, enable_metrics: true }) },
  ],
  spans: sglangSpans,
} as const satisfies Partial<Persona>;

export const sglang: Persona = {
  ...SGLANG,
  routes: [
    ...openAiRoutes({
      // The request's id as it is.
      idOf: ({ requestId }) => requestId,
      style: () => ({
        roleDelta: { role: 'assistant', content: '', reasoning_content: null },
        everyDelta: { reasoning_content: null },
        choiceFields: ({ kind }) =>
          kind === 'role' || kind === 'token' ? { matched_stop: null } : { matched_stop: 2 },
      }),
    }),
    generate,
  ],
};

/** The same server; its own route is the first, for tests that walk over the personas. */
export const sglangGenerate: Persona = { ...SGLANG, routes: [generate] };
