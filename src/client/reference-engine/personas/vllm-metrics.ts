// The page of aggregates under vLLM's names (`vllm/v1/metrics/loggers.py`, 2026): what is a histogram
// there is one here, observed at the same moment. LMDeploy's page is made after it.
import type { MetricRow } from '../metrics-page.ts';
import { toSeconds } from '../times.ts';

const TTFT_BOUNDS_S = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160,
];
const GAP_BOUNDS_S = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80];
/** So coarse that a queue below 0.3 s only shows in the sum. */
const REQUEST_BOUNDS_S = [0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680];

/** Histograms that vLLM and LMDeploy have under the same names after their prefix. */
export function requestHistograms(prefix: string): MetricRow[] {
  const type = 'histogram';
  return [
    {
      name: `${prefix}time_to_first_token_seconds`,
      type,
      help: 'Arrival at the front end to the first output.',
      at: 'first_token',
      bounds: TTFT_BOUNDS_S,
      value: ({ frontNs, queueNs, prefillNs }) => toSeconds(frontNs + queueNs + prefillNs),
    },
    {
      name: `${prefix}request_queue_time_seconds`,
      type,
      help: 'Time in the queue, told when the request is over.',
      at: 'finish',
      bounds: REQUEST_BOUNDS_S,
      value: ({ queueNs }) => toSeconds(queueNs),
    },
    {
      name: `${prefix}request_prefill_time_seconds`,
      type,
      help: 'Scheduled to the first token.',
      at: 'finish',
      bounds: REQUEST_BOUNDS_S,
      value: ({ prefillNs }) => toSeconds(prefillNs),
    },
    {
      name: `${prefix}request_decode_time_seconds`,
      type,
      help: 'First token to the last.',
      at: 'finish',
      bounds: REQUEST_BOUNDS_S,
      value: ({ generationNs }) => toSeconds(generationNs),
    },
    {
      name: `${prefix}request_inference_time_seconds`,
      type,
      help: 'Scheduled to the last token.',
      at: 'finish',
      bounds: REQUEST_BOUNDS_S,
      value: ({ prefillNs, generationNs }) => toSeconds(prefillNs + generationNs),
    },
    {
      name: `${prefix}e2e_request_latency_seconds`,
      type,
      help: 'Arrival to the last token.',
      at: 'finish',
      bounds: REQUEST_BOUNDS_S,
      value: ({ totalNs }) => toSeconds(totalNs),
    },
  ];
}

export const VLLM_METRICS: readonly MetricRow[] = [
  {
    name: 'vllm:num_requests_running',
    type: 'gauge',
    help: 'Requests in a slot.',
    value: ({ runningCount }) => runningCount,
  },
  {
    name: 'vllm:num_requests_waiting',
    type: 'gauge',
    help: 'Requests waiting for a slot.',
    value: ({ waitingCount }) => waitingCount,
  },
  {
    name: 'vllm:kv_cache_usage_perc',
    type: 'gauge',
    help: 'Share of the cache in use, 1 is all.',
    value: ({ kvUsedRatio }) => kvUsedRatio,
  },
  {
    name: 'vllm:num_preemptions_total',
    type: 'counter',
    help: 'Times a request was thrown out of its slot.',
    value: ({ preemptedCount }) => preemptedCount,
  },
  {
    name: 'vllm:spec_decode_num_draft_tokens_total',
    type: 'counter',
    help: 'Tokens guessed by speculation.',
    value: ({ draftedCount }) => draftedCount,
  },
  {
    name: 'vllm:spec_decode_num_accepted_tokens_total',
    type: 'counter',
    help: 'Of these, tokens that were good.',
    value: ({ acceptedCount }) => acceptedCount,
  },
  {
    name: 'vllm:prefix_cache_queries_total',
    type: 'counter',
    help: 'Prompt tokens looked up in the prefix cache.',
    value: ({ promptTokens }) => promptTokens,
  },
  {
    name: 'vllm:prefix_cache_hits_total',
    type: 'counter',
    help: 'Prompt tokens found in the prefix cache.',
    value: ({ cachedTokens }) => cachedTokens,
  },
  {
    name: 'vllm:prompt_tokens_total',
    type: 'counter',
    help: 'Prompt tokens computed.',
    value: ({ promptTokens }) => promptTokens,
  },
  {
    name: 'vllm:prompt_tokens_cached_total',
    type: 'counter',
    help: 'Of these, found in the prefix cache.',
    value: ({ cachedTokens }) => cachedTokens,
  },
  {
    name: 'vllm:generation_tokens_total',
    type: 'counter',
    help: 'Tokens generated.',
    value: ({ generationTokens }) => generationTokens,
  },
  {
    name: 'vllm:request_success_total',
    type: 'counter',
    help: 'Requests answered to the end.',
    value: ({ completedCount }) => completedCount,
  },
  ...requestHistograms('vllm:'),
  {
    name: 'vllm:inter_token_latency_seconds',
    type: 'histogram',
    help: 'Between two outputs of a request, once a step.',
    at: 'next_token',
    bounds: GAP_BOUNDS_S,
    value: ({ gapNs }) => toSeconds(gapNs),
  },
];

/** Labels of every metric of vLLM and LMDeploy. */
export function engineLabels(model: string): Readonly<Record<string, string>> {
  return { engine: '0', model_name: model };
}
