// NVIDIA NIM with its per-request metrics on (experimental there): an object `stats` on the last event, which
// states the queue. Its time to the first token is "from processing start", and NVIDIA does not say whether
// that is before or after the queue; here it is after. Its page has vLLM's names without their prefix.
// Source: docs.nvidia.com, NIM for LLMs, "Per-Request Metrics" and "Observability".
import type { MetricRow } from '../metrics-page.ts';
import type { AnswerContext, Persona } from '../persona.ts';
import type { JsonObject as Json } from '../request.ts';
import { timesOf, toMs } from '../times.ts';
import { openAiRoutes } from './openai-routes.ts';
import { metricsPageAt } from './pages.ts';
import { requestHistograms } from './vllm-metrics.ts';

function stats({ truth, plan }: AnswerContext): Json {
  const { queueNs, prefillNs } = timesOf(truth);
  return {
    type: 'NIM LLM Model Stats',
    version: '0.1.0',
    llm_input_token_length: plan.promptTokens,
    llm_output_token_length: truth.outputTokens,
    time_in_queue_in_ms: toMs(queueNs),
    response_tokens: { time_to_first_token_in_ms: toMs(prefillNs) },
  };
}

const METRICS: readonly MetricRow[] = [
  { name: 'num_requests_running', type: 'gauge', help: 'In a slot.', value: (now) => now.runningCount },
  { name: 'num_requests_waiting', type: 'gauge', help: 'Waiting.', value: (now) => now.waitingCount },
  { name: 'gpu_cache_usage_perc', type: 'gauge', help: 'Share in use, 1 is all.', value: (now) => now.kvUsedRatio },
  { name: 'prompt_tokens_total', type: 'counter', help: 'Prompt tokens.', value: (now) => now.promptTokens },
  { name: 'generation_tokens_total', type: 'counter', help: 'Made.', value: (now) => now.generationTokens },
  ...requestHistograms('').filter(({ name }) => /^(?:time_to_first_token|e2e_request_latency)_seconds$/.test(name)),
];

export const nim: Persona = {
  headers: {},
  ownedBy: 'system',
  manners: { headAt: 'arrival', roleAt: 'first_token' },
  routes: openAiRoutes({
    style: (context) => ({
      eventFields: ({ kind, isLast }) =>
        context.signals.inBand && isLast && kind !== 'token' ? { stats: stats(context) } : {},
    }),
  }),
  pages: [metricsPageAt('/v1/metrics')],
  metrics: METRICS,
  metricLabels: (model) => ({ model_name: model }),
};
