// Azure OpenAI's `usage.latency_checkpoint` in whole ms, undocumented, seen in many public answers since
// 2026 (streams need `include_usage`). In all of them user_visible_ttft_ms is exactly service_ttft_ms
// less pre_inference_ms, and engine_ttft_ms is far smaller than that, so:
//   pre_inference_ms   the service took the request → inference was begun: routing, screening, waiting
//   engine_ttft_ms     the engine took the request → its first token
// Whether a wait inside the engine lies in the latter is not known, hence the definition.
import { exactEvidence, lengthNs, NS_PER_MS, stated } from './exact.ts';
import type { EvidenceSource } from './source.ts';

const DEFINITION = 'queue: pre_inference_ms, screening within; prefill: engine_ttft_ms, a wait in the engine within';

export const azureLatencyCheckpoint: EvidenceSource = {
  name: 'azure-latency-checkpoint',
  read: (subject) =>
    exactEvidence('azure-latency-checkpoint', {
      queueNs: lengthNs(stated(subject, 'usage.latency_checkpoint.pre_inference_ms'), NS_PER_MS),
      prefillNs: lengthNs(stated(subject, 'usage.latency_checkpoint.engine_ttft_ms'), NS_PER_MS),
      definition: DEFINITION,
    }),
};
