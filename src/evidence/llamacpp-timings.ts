// llama.cpp's `timings` on the last message of every stream, in ms: `prompt_ms` lies between the start of
// the slot and the prompt computed (sampling the first token takes well under 1 ms more), so it is the
// prefill and holds no queue. The queue is told by the arrival of the head (see head-arrival.ts); where
// that marks nothing, as in builds before 9428 or behind a hop that holds heads, it is what wire and
// prefill leave of the time to the first event. Its routes for Anthropic's API state nothing.
// Source: llama.cpp tools/server/server-context.cpp and streams of build 11434.
import { exactEvidence } from './exact.ts';
import { slotStartOf, statedPromptNs } from './slot-start.ts';
import type { EvidenceSource } from './source.ts';

export const llamacppTimings: EvidenceSource = {
  name: 'llamacpp-timings',
  read(subject) {
    const prefillNs = statedPromptNs(subject);
    if (prefillNs === undefined) return undefined;
    const { head, restNs } = slotStartOf(subject);
    if (head === 'marked' || restNs === undefined) return exactEvidence('llamacpp-timings', { prefillNs });
    return exactEvidence('llamacpp-timings', { queueNs: restNs, prefillNs, definition: DEFINITIONS[head] });
  },
};

const REST = 'queue: time to the first event less wire and prefill, so tokenising and overhead lie within';

const DEFINITIONS = {
  unknown: REST,
  late: `${REST}; the head came after the start of the prefill`,
  early: `${REST}; the head came before the start of the prefill`,
} as const;
