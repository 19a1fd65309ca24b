// Azure OpenAI: OpenAI's dialect with events of its content filter, which have no choice and no token,
// and with times beside the usage that nobody documents (seen
// by several public clients in 2026).
import { readAzureChat } from '../foreign-requests.ts';
import type { AnswerContext, Persona } from '../persona.ts';
import type { JsonObject as Json } from '../request.ts';
import { timesOf, toMs } from '../times.ts';
import { openAiRoutes } from './openai-routes.ts';
import { NO_PAGES } from './pages.ts';

/** Events between which the filter looks at what was written. */
const FILTER_EVERY_TOKENS = 8;

/** Milliseconds. The inference begins where the queue ends; its TTFT is therefore the prefill. */
function latencyCheckpoint({ truth }: AnswerContext): Json {
  const { frontNs, queueNs, prefillNs, generationNs, totalNs, tokenCount } = timesOf(truth);
  const gapMs = tokenCount > 1 ? toMs(generationNs) / (tokenCount - 1) : 0;
  return {
    pre_inference_ms: toMs(queueNs),
    engine_ttft_ms: toMs(prefillNs),
    engine_ttlt_ms: toMs(prefillNs + generationNs),
    engine_tbt_ms: gapMs,
    service_ttft_ms: toMs(queueNs + prefillNs),
    service_ttlt_ms: toMs(queueNs + prefillNs + generationNs),
    service_tbt_ms: gapMs,
    user_visible_ttft_ms: toMs(frontNs + queueNs + prefillNs),
    total_duration_ms: toMs(totalNs),
  };
}

const SAFE = { hate: { filtered: false, severity: 'safe' }, violence: { filtered: false, severity: 'safe' } };

function filterFrame(fields: Json): string {
  const event = { choices: [], created: 0, id: '', model: '', object: '', ...fields };
  return `data: ${JSON.stringify(event)}\n\n`;
}

export const azure: Persona = {
  headers: { 'apim-request-id': 'reference', 'x-ms-region': 'Nowhere' },
  ownedBy: 'azure',
  manners: { headAt: 'arrival', roleAt: 'first_token' },
  routes: openAiRoutes({
    chatPaths: [/^\/openai\/deployments\/[^/]+\/chat\/completions$/],
    completionPaths: [],
    readChat: readAzureChat,
    style: (context) => ({
      roleDelta: { role: 'assistant', content: '', refusal: null },
      nullUsage: true,
      preface: filterFrame({ prompt_filter_results: [{ prompt_index: 0, content_filter_results: SAFE }] }),
      aside: (position) =>
        position % FILTER_EVERY_TOKENS === 0
          ? filterFrame({ content_filter_results: SAFE, content_filter_offsets: { check_offset: position } })
          : '',
      choiceFields: ({ kind }) => (kind === 'token' ? { content_filter_results: {} } : {}),
      usageFields: () => (context.signals.inBand ? { latency_checkpoint: latencyCheckpoint(context) } : {}),
    }),
  }),
  ...NO_PAGES,
};
