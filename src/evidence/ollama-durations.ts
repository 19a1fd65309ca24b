// Ollama's durations on the last line of its native routes, in ns. Since 2026-05 (PR #16031) they come
// from the llama.cpp server it runs:
//   prompt_eval_duration   slot start → first token sampled
//   eval_duration          first token sampled → last token
//   total_duration         handler entered → last line; load_duration is a part of it
// The queue is what the total leaves: waiting for the scheduler and for a slot, loading the model, and
// what the handler itself spent. A client that reads slowly holds the handler up and lengthens the total,
// but nothing before the first token; so the time up to there bounds the queue as well. Its OpenAI routes
// state nothing. Source: ollama server/routes.go.
import { exactEvidence, lengthNs, stated } from './exact.ts';
import { remainderNs } from './remainder.ts';
import type { EvidenceSource, EvidenceSubject } from './source.ts';

const DEFINITION = 'queue: total less prefill and decode, so loading the model and overhead lie within';

export const ollamaDurations: EvidenceSource = {
  name: 'ollama-durations',
  read(subject) {
    const queueNs = queueOf(subject);
    return exactEvidence('ollama-durations', {
      queueNs,
      prefillNs: lengthNs(stated(subject, 'prompt_eval_duration'), 1),
      definition: queueNs === undefined ? undefined : DEFINITION,
    });
  },
};

function queueOf(subject: EvidenceSubject): number | undefined {
  const totalNs = lengthNs(stated(subject, 'total_duration'), 1);
  const prefillNs = lengthNs(stated(subject, 'prompt_eval_duration'), 1);
  const decodeNs = lengthNs(stated(subject, 'eval_duration'), 1);
  if (totalNs === undefined || prefillNs === undefined || decodeNs === undefined) return undefined;
  const restNs = remainderNs(totalNs, prefillNs + decodeNs);
  const seenNs = beforePrefillNs(subject, prefillNs);
  return restNs === undefined || seenNs === undefined ? restNs : Math.min(restNs, seenNs);
}

/** What wire and prefill leave of the time to the first token. */
function beforePrefillNs(subject: EvidenceSubject, prefillNs: number): number | undefined {
  const { streamed, requestSentAtNs, firstTokenAtNs, wireFloorNs = 0 } = subject;
  if (!streamed || requestSentAtNs === undefined || firstTokenAtNs === undefined) return undefined;
  return remainderNs(firstTokenAtNs - requestSentAtNs, wireFloorNs + prefillNs);
}
