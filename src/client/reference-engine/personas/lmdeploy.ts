// LMDeploy: nothing about time in an answer, all of it on its page of metrics.
// Source: LMDeploy 0.16 `lmdeploy/metrics/loggers.py`, `serve/openai/`.
import type { MetricRow } from '../metrics-page.ts';
import type { Persona } from '../persona.ts';
import { openAiRoutes } from './openai-routes.ts';
import { metricsPageAt } from './pages.ts';
import { engineLabels, requestHistograms } from './vllm-metrics.ts';

const METRICS: readonly MetricRow[] = [
  { name: 'lmdeploy:num_requests_running', type: 'gauge', help: 'In a slot.', value: (now) => now.runningCount },
  { name: 'lmdeploy:num_requests_waiting', type: 'gauge', help: 'Waiting.', value: (now) => now.waitingCount },
  { name: 'lmdeploy:gpu_cache_usage_perc', type: 'gauge', help: 'Share in use.', value: (now) => now.kvUsedRatio },
  { name: 'lmdeploy:prompt_tokens_total', type: 'counter', help: 'Prompt tokens.', value: (now) => now.promptTokens },
  { name: 'lmdeploy:generation_tokens_total', type: 'counter', help: 'Made.', value: (now) => now.generationTokens },
  { name: 'lmdeploy:request_success_total', type: 'counter', help: 'Answered.', value: (now) => now.completedCount },
  ...requestHistograms('lmdeploy:'),
];

export const lmdeploy: Persona = {
  headers: { server: 'uvicorn' },
  ownedBy: 'lmdeploy',
  manners: { headAt: 'arrival', roleAt: 'first_token' },
  routes: openAiRoutes({
    idOf: ({ jobId }) => jobId,
    style: ({ request }) => ({
      roleDelta: undefined,
      everyDelta: { role: 'assistant' },
      nullUsage: true,
      choiceFields: ({ kind, position }) =>
        kind === 'token' && request.body['return_token_ids'] === true ? { output_ids: [1_000 + position] } : {},
    }),
  }),
  pages: [metricsPageAt('/metrics')],
  metrics: METRICS,
  metricLabels: engineLabels,
};
