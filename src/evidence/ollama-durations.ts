// Ollama's durations on the last line of its native routes, in ns. Since 2026-05 (PR #16031) they come
// from the llama.cpp server it runs:
//   prompt_eval_duration   slot start → first token sampled
//   eval_duration          first token sampled → last token
//   total_duration         handler entered → last line; load_duration is a part of it
// The queue is what the total leaves: waiting for the scheduler and for a slot, loading the model, and
// what the handler itself spent. Its OpenAI routes state nothing. Source: ollama server/routes.go.
import { exactEvidence, lengthNs, stated } from './exact.ts';
import { remainderNs } from './remainder.ts';
import type { EvidenceSource, EvidenceSubject } from './source.ts';

const DEFINITION = 'queue: total less prefill and decode, so loading the model and overhead lie within';

export const ollamaDurations: EvidenceSource = {
  name: 'ollama-durations',
  read(subject) {
    const queueNs = restNs(subject);
    return exactEvidence('ollama-durations', {
      queueNs,
      prefillNs: lengthNs(stated(subject, 'prompt_eval_duration'), 1),
      definition: queueNs === undefined ? undefined : DEFINITION,
    });
  },
};

function restNs(subject: EvidenceSubject): number | undefined {
  const totalNs = lengthNs(stated(subject, 'total_duration'), 1);
  const prefillNs = lengthNs(stated(subject, 'prompt_eval_duration'), 1);
  const decodeNs = lengthNs(stated(subject, 'eval_duration'), 1);
  if (totalNs === undefined || prefillNs === undefined || decodeNs === undefined) return undefined;
  return remainderNs(totalNs, prefillNs + decodeNs);
}
