// TensorRT-LLM's server: OpenAI's words with a blank behind the JSON, the times on a list of finished
// requests that empties as it is read, and on spans, where the prefill is left out.
// Source: TensorRT-LLM `serve/openai_server.py`, `metrics/`, PR #5897 for the spans.
import { plantSpans, type EngineSpan } from '../engine-span.ts';
import type { MetricRow } from '../metrics-page.ts';
import type { FinishedAnswer, Persona } from '../persona.ts';
import { momentsOf, timesOf, toSeconds } from '../times.ts';
import { openAiRoutes } from './openai-routes.ts';
import { metricsPageAt } from './pages.ts';

const VERSION = '1.3.0';
const BOUNDS_S = [0.001, 0.005, 0.01, 0.02, 0.04, 0.08, 0.15, 0.3, 0.6, 1, 2, 5, 10, 20, 60];

/** What was not measured is written as −1 there. */
const NOT_MEASURED = -1;

/** Seconds; the first token counts from the arrival, so queue and prefill are both in it. */
function trtllmSpans(finished: FinishedAnswer): EngineSpan[] {
  const { frontNs, queueNs, prefillNs, totalNs } = timesOf(finished.truth);
  const { arrivedAtNs, lastTokenAtNs } = momentsOf(finished.truth);
  const attributes = {
    'gen_ai.latency.time_to_first_token': toSeconds(frontNs + queueNs + prefillNs),
    'gen_ai.latency.e2e': toSeconds(totalNs),
    'gen_ai.latency.time_in_queue': toSeconds(queueNs),
    'gen_ai.latency.kv_cache_transfer_time': NOT_MEASURED,
    'gen_ai.usage.prompt_tokens': finished.plan.promptTokens,
    'gen_ai.usage.completion_tokens': finished.truth.outputTokens ?? 0,
    'gen_ai.request.id': finished.jobId,
    'gen_ai.request.max_tokens': finished.request.maxTokens ?? NOT_MEASURED,
  };
  const root = { name: 'llm_request', kind: 'server', fromNs: arrivedAtNs, toNs: lastTokenAtNs, attributes } as const;
  return plantSpans(finished, root, { scope: 'tensorrt_llm', resource: { 'service.name': 'tensorrt_llm' } });
}

/** Moments in seconds of a clock that only counts up; the outer two are the front end's. */
function perfEntry(finished: FinishedAnswer): object {
  const moments = momentsOf(finished.truth);
  return {
    request_id: Number(finished.jobId),
    perf_metrics: {
      first_iter: 0,
      timing_metrics: {
        server_arrival_time: toSeconds(moments.arrivedAtNs),
        arrival_time: toSeconds(moments.submittedAtNs),
        first_scheduled_time: toSeconds(moments.prefillAtNs),
        first_token_time: toSeconds(moments.firstTokenAtNs),
        server_first_token_time: toSeconds(moments.firstTokenAtNs),
        last_token_time: toSeconds(moments.lastTokenAtNs),
      },
      kv_cache_metrics: { num_reused_tokens: finished.plan.cachedTokens ?? 0 },
    },
  };
}

const METRICS: readonly MetricRow[] = [
  { name: 'trtllm_num_requests_running', type: 'gauge', help: 'In a slot.', value: (now) => now.runningCount },
  { name: 'trtllm_num_requests_waiting', type: 'gauge', help: 'Waiting.', value: (now) => now.waitingCount },
  { name: 'trtllm_kv_cache_utilization', type: 'gauge', help: 'Share in use.', value: (now) => now.kvUsedRatio },
  {
    name: 'trtllm_iteration_latency_seconds',
    type: 'gauge',
    help: 'Length of the latest step.',
    value: ({ lastStepNs }) => (lastStepNs === undefined ? undefined : toSeconds(lastStepNs)),
  },
  {
    name: 'trtllm_request_success_total',
    type: 'counter',
    help: 'Requests answered to the end.',
    value: (now) => now.completedCount,
  },
  { name: 'trtllm_prompt_tokens_total', type: 'counter', help: 'Prompt tokens.', value: (now) => now.promptTokens },
  { name: 'trtllm_prompt_cached_tokens_total', type: 'counter', help: 'Cached.', value: (now) => now.cachedTokens },
  { name: 'trtllm_generation_tokens_total', type: 'counter', help: 'Made.', value: (now) => now.generationTokens },
  {
    name: 'trtllm_time_to_first_token_seconds',
    type: 'histogram',
    help: 'Arrival to the first token, told at the end.',
    at: 'finish',
    bounds: BOUNDS_S,
    value: ({ frontNs, queueNs, prefillNs }) => toSeconds(frontNs + queueNs + prefillNs),
  },
  {
    name: 'trtllm_request_queue_time_seconds',
    type: 'histogram',
    help: 'Arrival to the schedule.',
    at: 'finish',
    bounds: BOUNDS_S,
    value: ({ queueNs }) => toSeconds(queueNs),
  },
  {
    name: 'trtllm_request_prefill_time_seconds',
    type: 'histogram',
    help: 'Schedule to the first token.',
    at: 'finish',
    bounds: BOUNDS_S,
    value: ({ prefillNs }) => toSeconds(prefillNs),
  },
  {
    name: 'trtllm_e2e_request_latency_seconds',
    type: 'histogram',
    help: 'Arrival to the end.',
    at: 'finish',
    bounds: BOUNDS_S,
    value: ({ totalNs }) => toSeconds(totalNs),
  },
];

export const tensorrtLlm: Persona = {
  headers: { server: 'uvicorn' },
  ownedBy: 'tensorrt_llm',
  manners: { headAt: 'arrival', roleAt: 'first_token' },
  routes: openAiRoutes({
    // The number in the answer's id is the one on the list and on the span.
    idOf: ({ jobId }) => `chatcmpl-${jobId}`,
    style: ({ plan }) => ({
      roleDelta: { role: 'assistant' },
      lineEnd: ' ',
      choiceFields: ({ kind }) => (kind === 'finish' ? { avg_decoded_tokens_per_iter: 1 } : {}),
      // Stated always, also when there is no cache.
      usageFields: () => ({ prompt_tokens_details: { cached_tokens: plan.cachedTokens ?? 0 } }),
    }),
  }),
  pages: [
    metricsPageAt('/prometheus/metrics'),
    { path: '/perf_metrics', signal: 'perfMetrics', body: ({ takePerfEntries }) => takePerfEntries() },
    { path: '/steady_clock_offset', body: () => ({ offset: 0 }) },
    { path: '/version', body: () => ({ version: VERSION }) },
    // Statistics of the latest steps as JSON, under the path where others have Prometheus text.
    {
      path: '/metrics',
      signal: 'metrics',
      body: ({ state: { stepCount, lastStepNs = 0, runningCount, waitingCount } }) => [
        {
          iter: stepCount,
          iterLatencyMS: lastStepNs / 1e6,
          numActiveRequests: runningCount,
          numQueuedRequests: waitingCount,
        },
      ],
    },
  ],
  metrics: METRICS,
  metricLabels: (model) => ({ model_name: model, engine_type: 'trtllm' }),
  spans: trtllmSpans,
  perfEntry,
};
