// NVIDIA Dynamo's front end: times in the last event for those who ask, but of the router, not of the
// engine behind it. Source: Dynamo `lib/llm/src/protocols/common/timing.rs`, `docs/reference/observability/`.
import { epochMsOf } from '../../../base/clock.ts';
import type { MetricRow } from '../metrics-page.ts';
import type { AnswerContext, Persona } from '../persona.ts';
import { isObject, type JsonObject as Json } from '../request.ts';
import { momentsOf, timesOf, toMs, toSeconds } from '../times.ts';
import { openAiRoutes } from './openai-routes.ts';
import { metricsPageAt } from './pages.ts';

const BOUNDS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The wait ends as the router pushes to a worker, so the engine's own queue is inside the prefill's time. */
function timing({ truth, anchor, plan }: AnswerContext): Json {
  const { frontNs, queueNs, prefillNs, totalNs } = timesOf(truth);
  return {
    request_received_ms: Math.floor(epochMsOf(anchor, momentsOf(truth).arrivedAtNs)),
    prefill_wait_time_ms: toMs(frontNs),
    prefill_time_ms: toMs(queueNs + prefillNs),
    ttft_ms: toMs(frontNs + queueNs + prefillNs),
    total_time_ms: toMs(totalNs),
    kv_hit_rate: (plan.cachedTokens ?? 0) / plan.promptTokens,
  };
}

function asksTiming({ request }: AnswerContext): boolean {
  const { nvext } = request.body;
  const fields = isObject(nvext) ? nvext['extra_fields'] : undefined;
  return Array.isArray(fields) && fields.includes('timing');
}

const METRICS: readonly MetricRow[] = [
  {
    name: 'dynamo_frontend_active_requests',
    type: 'gauge',
    help: 'Requests that are open.',
    value: (now) => now.runningCount + now.waitingCount,
  },
  {
    name: 'dynamo_frontend_inflight_requests',
    type: 'gauge',
    help: 'The same under its older name.',
    value: (now) => now.runningCount + now.waitingCount,
  },
  { name: 'dynamo_frontend_requests_total', type: 'counter', help: 'Answered.', value: (now) => now.completedCount },
  {
    name: 'dynamo_frontend_output_tokens_total',
    type: 'counter',
    help: 'Tokens made.',
    value: (now) => now.generationTokens,
  },
  {
    name: 'dynamo_frontend_time_to_first_token_seconds',
    type: 'histogram',
    help: 'Received to the first token.',
    at: 'first_token',
    bounds: BOUNDS_S,
    value: ({ frontNs, queueNs, prefillNs }) => toSeconds(frontNs + queueNs + prefillNs),
  },
  {
    name: 'dynamo_frontend_inter_token_latency_seconds',
    type: 'histogram',
    help: 'Between two tokens.',
    at: 'next_token',
    bounds: BOUNDS_S,
    value: ({ gapNs }) => toSeconds(gapNs),
  },
  {
    name: 'dynamo_frontend_request_duration_seconds',
    type: 'histogram',
    help: 'Received to the end.',
    at: 'finish',
    bounds: BOUNDS_S,
    value: ({ totalNs }) => toSeconds(totalNs),
  },
];

export const dynamo: Persona = {
  headers: {},
  ownedBy: 'nvidia',
  manners: { headAt: 'arrival', roleAt: 'first_token' },
  routes: openAiRoutes({
    style: (context) => ({
      // The role comes in the first event with a token.
      roleDelta: undefined,
      firstDelta: { role: 'assistant' },
      eventFields: ({ kind }) =>
        kind === 'finish' && context.signals.inBand && asksTiming(context)
          ? { nvext: { timing: timing(context) } }
          : {},
    }),
  }),
  pages: [metricsPageAt('/metrics')],
  metrics: METRICS,
  metricLabels: (model) => ({ model }),
};
