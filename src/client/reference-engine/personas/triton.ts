// Triton: its generate extension, which tells nothing but text, and its OpenAI front end, which sends the
// role before the model has seen the request.
// Source: Triton `src/http_server.cc`, `docs/protocol/extension_generate.md`,
// `python/openai/openai_frontend/engine/triton_engine.py`.
import { readTriton } from '../foreign-requests.ts';
import type { MetricRow } from '../metrics-page.ts';
import type { AnswerContext, AnswerWriter, Persona, Route } from '../persona.ts';
import { openAiRoutes } from './openai-routes.ts';
import { metricsPageAt } from './pages.ts';

function generateWriter({ plan, model }: AnswerContext): AnswerWriter {
  const { fragments = [] } = plan.choices[0] ?? {};
  const head = { model_name: model, model_version: '1' };
  return {
    roles: () => '',
    tokens: (position) => {
      const text = fragments[position - 1]?.text ?? '';
      return `data: ${JSON.stringify({ ...head, text_output: text })}\n\n`;
    },
    closing: () => '',
    whole: () => JSON.stringify({ ...head, text_output: fragments.map(({ text }) => text).join('') }),
  };
}

const generate: Route = {
  path: /^\/v2\/models\/[^/]+(?:\/versions\/[^/]+)?\/generate(?:_stream)?$/,
  manners: { headAt: 'first_token', roleAt: 'first_token' },
  read: readTriton,
  idOf: ({ requestId }) => requestId,
  writer: generateWriter,
};

/** Its own queue ends as the backend takes the request, at once; the waiting there is the backend's. */
const METRICS: readonly MetricRow[] = [
  { name: 'nv_inference_request_success', type: 'counter', help: 'Answered.', value: (now) => now.completedCount },
  { name: 'nv_inference_count', type: 'counter', help: 'Inferences begun.', value: (now) => now.arrivedCount },
  { name: 'nv_inference_queue_duration_us', type: 'counter', help: 'In the queue before the backend.', value: () => 0 },
  {
    name: 'nv_inference_pending_request_count',
    type: 'gauge',
    help: 'In the queue before the backend.',
    value: () => 0,
  },
  {
    name: 'nv_trt_llm_request_metrics',
    type: 'gauge',
    help: 'Requests of the batcher.',
    labels: { request_type: 'waiting' },
    value: (now) => now.waitingCount,
  },
  {
    name: 'nv_trt_llm_request_metrics',
    type: 'gauge',
    help: 'Requests of the batcher.',
    labels: { request_type: 'active' },
    value: (now) => now.runningCount + now.waitingCount,
  },
  {
    name: 'nv_trt_llm_request_metrics',
    type: 'gauge',
    help: 'Requests of the batcher.',
    labels: { request_type: 'scheduled' },
    value: (now) => now.runningCount,
  },
  {
    name: 'nv_trt_llm_kv_cache_block_metrics',
    type: 'gauge',
    help: 'Cache of the batcher.',
    labels: { kv_cache_block_type: 'fraction' },
    value: (now) => now.kvUsedRatio,
  },
];

export const triton: Persona = {
  headers: {},
  ownedBy: 'Triton Inference Server',
  manners: { headAt: 'arrival', roleAt: 'head' },
  routes: [generate, ...openAiRoutes({ idOf: ({ requestId }) => `cmpl-${requestId}` })],
  pages: [metricsPageAt('/metrics')],
  metrics: METRICS,
  metricLabels: (model) => ({ model, version: '1' }),
};
