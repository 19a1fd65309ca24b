// vLLM: the Python front end with times in the last event and on spans, the same before these times
// existed, and the Rust front end, which tells neither. Also what this project's engine was before it
// had personas. Source: vLLM `docs/features/per_request_metrics.md`, `vllm/entrypoints/openai/engine/protocol.py`,
// `vllm/v1/engine/output_processor.py` (August 2026).
import { plantSpans, type EngineSpan } from '../engine-span.ts';
import type { AnswerContext, FinishedAnswer, Page, Persona, StreamManners } from '../persona.ts';
import type { JsonObject as Json } from '../request.ts';
import { momentsOf, timesOf, toMs, toSeconds } from '../times.ts';
import { anthropicRoute } from './anthropic-writer.ts';
import { openAiRoutes, type OpenAiTraits } from './openai-routes.ts';
import { metricsPageAt } from './pages.ts';
import { responsesRoute } from './responses-writer.ts';
import { engineLabels, VLLM_METRICS } from './vllm-metrics.ts';

const VERSION = '0.28.0';
const OLD_VERSION = '0.12.0';

/** The head leaves once the prompt is tokenised, before the engine has the request. */
const EARLY: StreamManners = { headAt: 'arrival', roleAt: 'first_token' };

/**
 * Times of `--enable-per-request-metrics`. The name of the second is a trap: it runs from the schedule to
 * the first token, so it is the prefill.
 */
function requestMetrics({ truth }: AnswerContext): Json {
  const { queueNs, prefillNs, generationNs, tokenCount } = timesOf(truth);
  return {
    queue_time_ms: toMs(queueNs),
    time_to_first_token_ms: toMs(prefillNs),
    generation_time_ms: toMs(generationNs),
    mean_itl_ms: tokenCount > 1 ? toMs(generationNs) / (tokenCount - 1) : null,
    tokens_per_second: tokenCount / toSeconds(prefillNs + generationNs),
  };
}

/** Times stand beside the usage of an answer with one choice, nowhere else. */
const traits: OpenAiTraits = {
  reasoningField: 'reasoning',
  style: (context) => ({
    eventFields: ({ kind }) => {
      if (kind !== 'usage' && kind !== 'whole') return {};
      const fingerprint = { system_fingerprint: `vllm-${VERSION}` };
      const told = context.signals.inBand && context.request.choices === 1;
      return told ? { ...fingerprint, metrics: requestMetrics(context) } : fingerprint;
    },
  }),
};

/** One span a request, made when it is over; seconds. Its TTFT is counted from the arrival. */
export function vllmSpans(finished: FinishedAnswer): EngineSpan[] {
  const { frontNs, queueNs, prefillNs, generationNs, totalNs } = timesOf(finished.truth);
  const { arrivedAtNs, lastTokenAtNs } = momentsOf(finished.truth);
  const { request, plan } = finished;
  const attributes = {
    'gen_ai.latency.time_in_queue': toSeconds(queueNs),
    'gen_ai.latency.time_to_first_token': toSeconds(frontNs + queueNs + prefillNs),
    'gen_ai.latency.time_in_model_prefill': toSeconds(prefillNs),
    'gen_ai.latency.time_in_model_decode': toSeconds(generationNs),
    'gen_ai.latency.time_in_model_inference': toSeconds(prefillNs + generationNs),
    'gen_ai.latency.e2e': toSeconds(totalNs),
    'gen_ai.usage.prompt_tokens': plan.promptTokens,
    'gen_ai.usage.completion_tokens': finished.truth.outputTokens ?? 0,
    'gen_ai.request.id': finished.id,
    'gen_ai.request.n': request.choices,
    ...(request.maxTokens === undefined ? {} : { 'gen_ai.request.max_tokens': request.maxTokens }),
  };
  const root = { name: 'llm_request', kind: 'server', fromNs: arrivedAtNs, toNs: lastTokenAtNs, attributes } as const;
  return plantSpans(finished, root, {
    scope: 'vllm.llm_engine',
    resource: { 'service.name': 'vllm', 'vllm.process_id': process.pid },
  });
}

function pages(version: string): Page[] {
  return [metricsPageAt('/metrics'), { path: '/version', body: () => ({ version }) }];
}

const VLLM = {
  headers: { server: 'uvicorn' },
  ownedBy: 'vllm',
  manners: EARLY,
  metrics: VLLM_METRICS,
  metricLabels: engineLabels,
} as const;

/** What every persona has that was not there before: the default engine stays as it was. */
export const reference: Persona = {
  ...VLLM,
  headers: {},
  ownedBy: 'rubato-reference',
  routes: openAiRoutes({ reasoningField: 'reasoning' }),
  pages: [metricsPageAt('/metrics')],
};

export const vllm: Persona = {
  ...VLLM,
  routes: [...openAiRoutes(traits), responsesRoute('/v1/responses'), anthropicRoute('/v1/messages')],
  pages: pages(VERSION),
  spans: vllmSpans,
};

export const vllmOld: Persona = {
  ...VLLM,
  routes: openAiRoutes(),
  pages: pages(OLD_VERSION),
  spans: vllmSpans,
};

/** Role without text, no times anywhere but on the page of metrics. */
export const vllmRust: Persona = {
  ...VLLM,
  headers: {},
  routes: openAiRoutes({
    reasoningField: 'reasoning',
    style: () => ({
      roleDelta: { role: 'assistant' },
      eventFields: ({ kind }) => (kind === 'usage' ? { system_fingerprint: `vllm-${VERSION}` } : {}),
    }),
  }),
  pages: pages(VERSION),
};

/** KServe's own server before vLLM's dialect: another prefix of the path. */
export const kserve: Persona = {
  ...VLLM,
  routes: openAiRoutes({
    ...traits,
    chatPaths: ['/openai/v1/chat/completions'],
    completionPaths: ['/openai/v1/completions'],
  }),
  pages: pages(VERSION),
  spans: vllmSpans,
};
