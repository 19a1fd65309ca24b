// vLLM's `metrics` on the message with usage (server flag --enable-per-request-metrics, from 0.27; usage
// must be on and the request have one choice). In ms, on the engine core's own clock:
//   queue_time_ms           first queued → first scheduled
//   time_to_first_token_ms  first scheduled → first token: the prefill, not what others call TTFT
// A request that was preempted is not queued again here: its second wait is inside the prefill.
// Source: vllm/v1/metrics/stats.py and docs/features/per_request_metrics.md (2026-08).
import { exactEvidence, lengthNs, NS_PER_MS, stated } from './exact.ts';
import type { EvidenceSource } from './source.ts';

export const vllmMetrics: EvidenceSource = {
  name: 'vllm-metrics',
  read: (subject) =>
    exactEvidence('vllm-metrics', {
      queueNs: lengthNs(stated(subject, 'metrics.queue_time_ms'), NS_PER_MS),
      prefillNs: lengthNs(stated(subject, 'metrics.time_to_first_token_ms'), NS_PER_MS),
    }),
};
