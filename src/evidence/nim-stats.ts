// NVIDIA NIM's `stats` (environment NIM_PER_REQ_METRICS_ENABLE=1, experimental): `time_in_queue_in_ms` is
// the time in the queue, stated by its vLLM back end only. `response_tokens.time_to_first_token_in_ms` is
// "from processing start", and whether that is before or after the queue is not said, so it is no prefill.
// Source: docs.nvidia.com, NIM for LLMs 1.14, "Per-Request Metrics".
import { exactEvidence, lengthNs, NS_PER_MS, stated } from './exact.ts';
import type { EvidenceSource } from './source.ts';

export const nimStats: EvidenceSource = {
  name: 'nim-stats',
  read: (subject) =>
    exactEvidence('nim-stats', { queueNs: lengthNs(stated(subject, 'stats.time_in_queue_in_ms'), NS_PER_MS) }),
};
