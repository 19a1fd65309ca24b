// llama.cpp's server: the head leaves as a slot takes the request, and the last event always has the
// times. Before build b9428 the head waited for the first token instead.
// Source: llama.cpp `tools/server/server-context.cpp`, `server-task.cpp`, PR #23884 and #26920.
import { readLlamaCompletion } from '../foreign-requests.ts';
import type { MetricRow } from '../metrics-page.ts';
import type { AnswerContext, AnswerWriter, Persona, Route, StreamManners } from '../persona.ts';
import type { JsonObject as Json } from '../request.ts';
import { timesOf, toMs, toSeconds } from '../times.ts';
import { openAiRoutes } from './openai-routes.ts';
import { metricsPageAt } from './pages.ts';

const FINGERPRINT = 'b10573-3f545becc';
const OLD_FINGERPRINT = 'b9000-0123abcd4';

/** The prompt's time begins with the slot, so there is no queue in it. */
function timings({ truth, plan }: AnswerContext): Json {
  const { prefillNs, generationNs, tokenCount } = timesOf(truth);
  const cached = plan.cachedTokens ?? 0;
  const [promptMs, predictedMs, promptCount] = [toMs(prefillNs), toMs(generationNs), plan.promptTokens - cached];
  return {
    cache_n: cached,
    prompt_n: promptCount,
    prompt_ms: promptMs,
    prompt_per_token_ms: promptMs / promptCount,
    prompt_per_second: (promptCount / promptMs) * 1000,
    predicted_n: tokenCount,
    predicted_ms: predictedMs,
    predicted_per_token_ms: predictedMs / tokenCount,
    predicted_per_second: predictedMs === 0 ? 0 : (tokenCount / predictedMs) * 1000,
  };
}

function timingsAt(context: AnswerContext, isLast: boolean, hasToken: boolean): Json {
  const asked = hasToken && context.request.body['timings_per_token'] === true;
  return context.signals.inBand && (isLast || asked) ? { timings: timings(context) } : {};
}

/** `/completion`: tokens and counts on every event, no end mark. */
function completionWriter(context: AnswerContext): AnswerWriter {
  const { plan, signals, model } = context;
  const { fragments = [], finishReason = 'stop' } = plan.choices[0] ?? {};
  const counts = (position: number): Json => {
    return signals.usage ? { tokens_predicted: position, tokens_evaluated: plan.promptTokens } : {};
  };
  const end = (content: string): Json => ({
    index: 0,
    content,
    tokens: [],
    id_slot: 0,
    stop: true,
    model,
    ...counts(fragments.length),
    stop_type: finishReason === 'length' ? 'limit' : 'eos',
    stopping_word: '',
    ...(signals.usage ? { tokens_cached: plan.promptTokens + fragments.length } : {}),
    ...timingsAt(context, true, false),
  });
  return {
    roles: () => '',
    tokens: (position) => {
      const token = { index: 0, content: fragments[position - 1]?.text ?? '', tokens: [1_000 + position], stop: false };
      const event = { ...token, id_slot: 0, ...counts(position), ...timingsAt(context, false, true) };
      return `data: ${JSON.stringify(event)}\n\n`;
    },
    closing: () => `data: ${JSON.stringify(end(''))}\n\n`,
    whole: () => JSON.stringify(end(fragments.map(({ text }) => text).join(''))),
  };
}

function completionRoute(path: string): Route {
  return { path, read: readLlamaCompletion, idOf: ({ requestId }) => requestId, writer: completionWriter };
}

const METRICS: readonly MetricRow[] = [
  {
    name: 'llamacpp:prompt_tokens_total',
    type: 'counter',
    help: 'Prompt tokens computed, cached ones left out.',
    value: ({ promptTokens, cachedTokens }) => promptTokens - cachedTokens,
  },
  {
    name: 'llamacpp:prompt_tokens_cached_total',
    type: 'counter',
    help: 'Prompt tokens found in the cache.',
    value: ({ cachedTokens }) => cachedTokens,
  },
  {
    name: 'llamacpp:prompt_seconds_total',
    type: 'counter',
    help: 'Time spent on prompts.',
    value: ({ prefillNs }) => toSeconds(prefillNs),
  },
  {
    name: 'llamacpp:tokens_predicted_total',
    type: 'counter',
    help: 'Tokens generated.',
    value: ({ generationTokens }) => generationTokens,
  },
  { name: 'llamacpp:n_decode_total', type: 'counter', help: 'Steps computed.', value: (now) => now.stepCount },
  { name: 'llamacpp:requests_processing', type: 'gauge', help: 'Slots in use.', value: (now) => now.runningCount },
  { name: 'llamacpp:requests_deferred', type: 'gauge', help: 'Requests that wait.', value: (now) => now.waitingCount },
];

/** Comments come only once the head was sent, so never while a request waits for its slot. */
const SLOT: StreamManners = {
  headAt: 'slot',
  roleAt: 'first_token',
  keepAlive: { everyMs: 30_000, text: ':\n\n', until: 'end' },
};

function routes(fingerprint: string): Route[] {
  const openAi = openAiRoutes({
    chatPaths: ['/v1/chat/completions', '/chat/completions'],
    completionPaths: ['/v1/completions'],
    style: (context) => ({
      roleDelta: { role: 'assistant', content: null },
      eventFields: ({ kind, isLast }) => ({
        system_fingerprint: fingerprint,
        ...timingsAt(context, isLast, kind === 'token'),
      }),
    }),
  });
  return [...openAi, completionRoute('/completion'), completionRoute('/completions')];
}

const LLAMACPP = {
  headers: { server: 'llama.cpp' },
  ownedBy: 'llamacpp',
  metrics: METRICS,
  metricLabels: () => ({}),
} as const;

export const llamacpp: Persona = {
  ...LLAMACPP,
  manners: SLOT,
  routes: routes(FINGERPRINT),
  pages: [metricsPageAt('/metrics'), { path: '/props', body: () => ({ total_slots: 1, build_info: FINGERPRINT }) }],
};

export const llamacppOld: Persona = {
  ...LLAMACPP,
  manners: { headAt: 'first_token', roleAt: 'first_token' },
  routes: routes(OLD_FINGERPRINT),
  pages: [metricsPageAt('/metrics'), { path: '/props', body: () => ({ total_slots: 1, build_info: OLD_FINGERPRINT }) }],
};
