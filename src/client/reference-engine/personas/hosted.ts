// Hosted services that speak OpenAI's dialect, each with what only it adds. None has a page of metrics
// that its users may see, and where a service's numbers are known the units are its own.
// Source: the services' own SDKs of summer 2026 and their documents; Fireworks' names are those its clients read.
import type { AnswerContext, Persona, StreamManners } from '../persona.ts';
import type { JsonObject as Json } from '../request.ts';
import { timesOf, toSeconds, type AnswerTimes } from '../times.ts';
import { openAiRoutes, type OpenAiTraits } from './openai-routes.ts';
import { NO_PAGES } from './pages.ts';

const EARLY: StreamManners = { headAt: 'arrival', roleAt: 'first_token' };
const FIRST_TOKEN: StreamManners = { headAt: 'first_token', roleAt: 'first_token' };

function hosted(ownedBy: string, traits: OpenAiTraits, manners: StreamManners = EARLY): Persona {
  return {
    headers: {},
    ownedBy,
    manners,
    routes: openAiRoutes(traits),
    ...NO_PAGES,
  };
}

/** Groq and Cerebras name their seconds alike; the total leaves the queue out. */
function secondsOf({ queueNs, prefillNs, generationNs }: AnswerTimes): Json {
  return {
    queue_time: toSeconds(queueNs),
    prompt_time: toSeconds(prefillNs),
    completion_time: toSeconds(generationNs),
    total_time: toSeconds(prefillNs + generationNs),
  };
}

function groqFields(context: AnswerContext): Json {
  const { id, plan, truth, signals } = context;
  const output = truth.outputTokens ?? 0;
  const counts = {
    prompt_tokens: plan.promptTokens,
    completion_tokens: output,
    total_tokens: plan.promptTokens + output,
  };
  const usage = { ...(signals.usage ? counts : {}), ...(signals.inBand ? secondsOf(timesOf(truth)) : {}) };
  return { x_groq: { id: `req_${id}`, ...(signals.usage || signals.inBand ? { usage } : {}) } };
}

/** Usage and times stand in the last event with a choice, for everybody. */
export const groq = hosted('groq', {
  reasoningField: 'reasoning',
  style: (context) => ({
    usage: 'never',
    eventFields: ({ kind }) => {
      if (kind === 'role') return { x_groq: { id: `req_${context.id}` } };
      return kind === 'finish' || kind === 'whole' ? groqFields(context) : {};
    },
  }),
});

export const cerebras = hosted('cerebras', {
  reasoningField: 'reasoning',
  style: (context) => ({
    usage: 'always',
    usageIn: 'finish',
    choiceFields: ({ kind, position }) => (kind === 'token' ? { tokens: [1_000 + position] } : {}),
    eventFields: ({ kind }) => {
      if (!context.signals.inBand || (kind !== 'finish' && kind !== 'whole')) return {};
      return { time_info: { ...secondsOf(timesOf(context.truth)), created: context.createdEpochS } };
    },
  }),
});

/** Seconds under names with dashes; the queue here is the one before the prefill. */
function fireworksMetrics({ truth, plan }: AnswerContext): Record<string, number> {
  const { frontNs, queueNs, prefillNs, generationNs, totalNs } = timesOf(truth);
  return {
    'prompt-tokens': plan.promptTokens,
    'cached-prompt-tokens': plan.cachedTokens ?? 0,
    'prefill-queue-duration': toSeconds(queueNs),
    'prefill-duration': toSeconds(prefillNs),
    'generation-queue-duration': 0,
    'generation-duration': toSeconds(generationNs),
    'server-time-to-first-token': toSeconds(frontNs + queueNs + prefillNs),
    'server-processing-time': toSeconds(totalNs),
  };
}

/** A stream's head has but one of the numbers, and leaves with the first token since it needs that. */
function fireworksHeaders(context: AnswerContext): Record<string, string> {
  if (!context.signals.headers) return {};
  const told = Object.entries(fireworksMetrics(context)).filter(
    ([name]) => !context.request.stream || name === 'server-time-to-first-token',
  );
  return Object.fromEntries(told.map(([name, value]) => [`fireworks-${name}`, String(value)]));
}

export const fireworks = hosted(
  'fireworks',
  {
    headers: fireworksHeaders,
    style: (context) => ({
      usage: 'always',
      usageIn: 'finish',
      eventFields: ({ kind, isLast }) => {
        const asked = context.request.body['perf_metrics_in_response'] === true && context.signals.inBand;
        return asked && isLast && kind !== 'token' ? { perf_metrics: fireworksMetrics(context) } : {};
      },
    }),
  },
  FIRST_TOKEN,
);

/** One token an event, and its number with it. */
export const together = hosted('together', {
  style: () => ({
    usage: 'always',
    usageIn: 'finish',
    choiceFields: ({ kind, position }, fragment) =>
      kind === 'token' && fragment?.channel === 'text'
        ? { delta: { role: 'assistant', content: fragment.text, token_id: 1_000 + position } }
        : {},
  }),
});

export const mistral = hosted('mistral', {
  style: () => ({ usage: 'always', usageIn: 'finish' }),
});

/**
 * Comments until the request is scheduled: the last of them bounds its queue from below. Seconds lie between
 * them there; here less, since the waits of this engine are short.
 */
export const deepseek = hosted(
  'deepseek',
  { style: () => ({ nullUsage: true }) },
  { ...EARLY, keepAlive: { everyMs: 20, text: ': keep-alive\n\n', until: 'prefill' } },
);

export const openrouter = hosted(
  'openrouter',
  {
    reasoningField: 'reasoning',
    idOf: ({ requestId }) => `gen-${requestId}`,
    headers: ({ id }) => ({ 'x-generation-id': id }),
    style: () => ({
      usage: 'always',
      roleDelta: undefined,
      everyDelta: { role: 'assistant' },
      eventFields: () => ({ provider: 'Reference' }),
      usageFields: () => ({ cost: 0, cost_details: {} }),
    }),
  },
  { ...EARLY, keepAlive: { everyMs: 20, text: ': OPENROUTER PROCESSING\n\n', until: 'prefill' } },
);
