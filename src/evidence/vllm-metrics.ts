// vLLM's `metrics` on the message with usage (server flag --enable-per-request-metrics, from 0.27; usage
// must be on and the request have one choice). In ms, on the engine core's own clock:
//   queue_time_ms           first queued → first scheduled
//   time_to_first_token_ms  first scheduled → first token: the prefill, not what others call TTFT
// A request that was preempted is not queued again here: its second wait is inside the prefill.
// The second name is one that other servers have as well, for all the time to the first token: it counts with
// the first beside it, or when the engine is known to be vLLM.
// Source: vllm/v1/metrics/stats.py and docs/features/per_request_metrics.md (2026-08).
import { exactEvidence, lengthNs, NS_PER_MS, stated } from './exact.ts';
import type { EvidenceSource } from './source.ts';

export const vllmMetrics: EvidenceSource = {
  name: 'vllm-metrics',
  read(subject) {
    const queueMs = stated(subject, 'metrics.queue_time_ms');
    const isVllm = queueMs !== undefined || subject.engine?.name === 'vllm';
    const prefillMs = isVllm ? stated(subject, 'metrics.time_to_first_token_ms') : undefined;
    return exactEvidence('vllm-metrics', {
      queueNs: lengthNs(queueMs, NS_PER_MS),
      prefillNs: lengthNs(prefillMs, NS_PER_MS),
    });
  },
};
