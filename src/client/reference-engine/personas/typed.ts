// Services with typed events: Anthropic, and OpenAI with its Responses beside the older routes. They
// tell no times of an answer. Source: their SDKs' types.
import type { Persona } from '../persona.ts';
import { toMs } from '../times.ts';
import { anthropicRoute } from './anthropic-writer.ts';
import { openAiRoutes } from './openai-routes.ts';
import { NO_PAGES } from './pages.ts';
import { responsesRoute } from './responses-writer.ts';

const HOSTED = { headers: {}, ...NO_PAGES } as const;

export const anthropic: Persona = {
  ...HOSTED,
  ownedBy: 'anthropic',
  // Not known from outside; what opens an answer needs nothing but the prompt's length.
  manners: { headAt: 'arrival', roleAt: 'head' },
  routes: [anthropicRoute('/v1/messages', true)],
};

/** `responses` is the same service; its own route is the only one, for tests that walk over the personas. */
export const responses: Persona = {
  ...HOSTED,
  ownedBy: 'openai',
  manners: { headAt: 'arrival', roleAt: 'head' },
  routes: [responsesRoute('/v1/responses')],
};

export const openai: Persona = {
  ...HOSTED,
  ownedBy: 'openai',
  manners: { headAt: 'arrival', roleAt: 'first_token' },
  routes: [
    ...openAiRoutes({
      style: () => ({ roleDelta: { role: 'assistant', content: '', refusal: null }, nullUsage: true }),
      // Up to the head and no further: of a stream it says nothing about the first token.
      headers: ({ signals, truth, request }) => {
        if (!signals.headers) return {};
        const untilNs = request.stream ? (truth.submittedAtNs ?? truth.arrivedAtNs) : (truth.tokenAtNs.at(-1) ?? 0);
        return { 'openai-processing-ms': String(Math.round(toMs(untilNs - truth.arrivedAtNs))) };
      },
    }),
    responsesRoute('/v1/responses'),
  ],
};
