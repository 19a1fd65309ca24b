// Text Generation Inference 3: a stream has one event a token and no times; an answer in one piece has
// them in its head, and the span of either has them as texts.
// Source: text-generation-inference v3.3.7, `router/src/server.rs`, `backends/v3/src/`.
import { plantSpans, type EngineSpan } from '../engine-span.ts';
import { readTgi } from '../foreign-requests.ts';
import type { MetricRow } from '../metrics-page.ts';
import type { AnswerContext, AnswerWriter, FinishedAnswer, Persona, Route } from '../persona.ts';
import type { JsonObject as Json } from '../request.ts';
import { momentsOf, timesOf, toMs, toSeconds } from '../times.ts';
import { openAiRoutes } from './openai-routes.ts';
import { metricsPageAt } from './pages.ts';

const VERSION = '3.3.7';
const COMPUTE_TYPE = '1-reference';

/** Only answers in one piece have times in their head; in milliseconds without fraction, but for one. */
function heads(context: AnswerContext): Record<string, string> {
  const { request, signals, plan } = context;
  const compute = { 'x-compute-type': COMPUTE_TYPE, 'x-compute-characters': String(request.promptText.length) };
  if (request.stream) return { ...compute, 'x-accel-buffering': 'no' };
  if (!signals.headers) return compute;
  const { frontNs, queueNs, prefillNs, generationNs, totalNs, tokenCount } = timesOf(context.truth);
  const whole = (lengthNs: number): string => String(Math.floor(toMs(lengthNs)));
  return {
    ...compute,
    'x-compute-time': String(toSeconds(totalNs)),
    'x-total-time': whole(totalNs),
    'x-validation-time': whole(frontNs),
    'x-queue-time': whole(queueNs),
    'x-inference-time': whole(prefillNs + generationNs),
    'x-time-per-token': whole((prefillNs + generationNs) / tokenCount),
    'x-prompt-tokens': String(plan.promptTokens),
    'x-generated-tokens': String(tokenCount),
  };
}

/** `/generate_stream`: events without a name and without an end mark. */
function generateWriter(context: AnswerContext): AnswerWriter {
  const { plan, signals } = context;
  const { fragments = [], finishReason = 'stop' } = plan.choices[0] ?? {};
  const said = fragments.map(({ text }) => text).join('');
  const details = {
    finish_reason: finishReason === 'length' ? 'length' : 'eos_token',
    generated_tokens: fragments.length,
    seed: null,
    ...(signals.usage ? { input_length: plan.promptTokens } : {}),
  };
  return {
    roles: () => '',
    tokens: (position) => {
      const last = position === fragments.length;
      const token = { id: 1_000 + position, text: fragments[position - 1]?.text ?? '', logprob: -0.5, special: false };
      const end: Json = { generated_text: last ? said : null, details: last && signals.usage ? details : null };
      return `data: ${JSON.stringify({ index: position, token, ...end })}\n\n`;
    },
    closing: () => '',
    whole: () => JSON.stringify({ generated_text: said, details }),
    headers: () => heads(context),
  };
}

function generateRoute(path: string): Route {
  return { path, read: readTgi, idOf: ({ requestId }) => requestId, writer: generateWriter };
}

/** A length as Rust's debug format writes it: the largest unit of which there is at least one. */
export function rustDuration(lengthNs: number): string {
  const [size, unit] =
    lengthNs >= 1e9 ? [1e9, 's'] : lengthNs >= 1e6 ? [1e6, 'ms'] : lengthNs >= 1e3 ? [1e3, 'µs'] : [1, 'ns'];
  return `${lengthNs / size}${unit}`;
}

/** One span a handler. Inference is prefill and decode together, so the prefill stands nowhere. */
function tgiSpans(finished: FinishedAnswer): EngineSpan[] {
  const { frontNs, queueNs, prefillNs, generationNs, totalNs, tokenCount } = timesOf(finished.truth);
  const { arrivedAtNs, lastTokenAtNs } = momentsOf(finished.truth);
  const inferenceNs = prefillNs + generationNs;
  const attributes = {
    total_time: rustDuration(totalNs),
    validation_time: rustDuration(frontNs),
    queue_time: rustDuration(queueNs),
    inference_time: rustDuration(inferenceNs),
    time_per_token: rustDuration(Math.round(inferenceNs / tokenCount)),
    seed: finished.request.seed === undefined ? 'None' : `Some(${finished.request.seed})`,
  };
  const name = SPAN_NAMES.get(finished.path) ?? 'generate';
  const root = { name, kind: 'server', fromNs: arrivedAtNs, toNs: lastTokenAtNs, attributes } as const;
  return plantSpans(finished, root, {
    scope: 'text-generation-inference.router',
    resource: { 'service.name': 'text-generation-inference.router' },
  });
}

const SPAN_NAMES: ReadonlyMap<string, string> = new Map([
  ['/v1/chat/completions', 'chat_completions'],
  ['/v1/completions', 'completions'],
  ['/generate_stream', 'generate_stream'],
  ['/', 'compat_generate'],
]);

const BOUNDS_S = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60];

const TOKEN_BOUNDS = [1, 4, 16, 64, 256, 1024, 4096];

const METRICS: readonly MetricRow[] = [
  { name: 'tgi_queue_size', type: 'gauge', help: 'Requests that wait.', value: (now) => now.waitingCount },
  { name: 'tgi_batch_current_size', type: 'gauge', help: 'Requests computed.', value: (now) => now.runningCount },
  { name: 'tgi_request_count', type: 'counter', help: 'Requests that came.', value: (now) => now.arrivedCount },
  { name: 'tgi_request_success', type: 'counter', help: 'Requests answered.', value: (now) => now.completedCount },
  {
    name: 'tgi_request_queue_duration',
    type: 'histogram',
    help: 'Queued to the start of the batch, seconds.',
    at: 'finish',
    bounds: BOUNDS_S,
    value: ({ queueNs }) => toSeconds(queueNs),
  },
  {
    name: 'tgi_request_inference_duration',
    type: 'histogram',
    help: 'Start of the batch to the end, seconds.',
    at: 'finish',
    bounds: BOUNDS_S,
    value: ({ prefillNs, generationNs }) => toSeconds(prefillNs + generationNs),
  },
  {
    name: 'tgi_batch_inference_duration',
    type: 'histogram',
    help: 'A batch from the router and back, seconds; here a request is a batch of its own.',
    labels: { method: 'prefill' },
    at: 'first_token',
    bounds: BOUNDS_S,
    value: ({ prefillNs }) => toSeconds(prefillNs),
  },
  {
    name: 'tgi_batch_inference_duration',
    type: 'histogram',
    help: 'A batch from the router and back, seconds; here a request is a batch of its own.',
    labels: { method: 'decode' },
    at: 'next_token',
    bounds: BOUNDS_S,
    value: ({ gapNs }) => toSeconds(gapNs),
  },
  {
    name: 'tgi_request_generated_tokens',
    type: 'histogram',
    help: 'Tokens of an answer.',
    at: 'finish',
    bounds: TOKEN_BOUNDS,
    value: ({ outputTokens }) => outputTokens,
  },
  {
    name: 'tgi_request_duration',
    type: 'histogram',
    help: 'Arrival to the end, seconds.',
    at: 'finish',
    bounds: BOUNDS_S,
    value: ({ totalNs }) => toSeconds(totalNs),
  },
];

export const tgi: Persona = {
  headers: {},
  ownedBy: 'tgi',
  // A comment after 15 s of silence is what axum does when it is not told otherwise.
  manners: {
    headAt: 'arrival',
    roleAt: 'first_token',
    keepAlive: { everyMs: 15_000, text: ':\n\n', until: 'end' },
  },
  routes: [
    ...openAiRoutes({
      idOf: () => '',
      style: () => ({
        // Every event repeats the role, so a role says nothing of a token.
        roleDelta: undefined,
        everyDelta: { role: 'assistant' },
        eventFields: () => ({ system_fingerprint: `${VERSION}-sha-db931fc` }),
      }),
      headers: heads,
    }),
    generateRoute('/generate_stream'),
    generateRoute('/generate'),
    generateRoute('/'),
  ],
  pages: [
    metricsPageAt('/metrics'),
    { path: '/info', body: ({ models }) => ({ model_id: models[0], version: VERSION }) },
  ],
  metrics: METRICS,
  metricLabels: () => ({}),
  spans: tgiSpans,
};
