// Azure OpenAI's `usage.latency_checkpoint` in whole ms, undocumented, seen in many public answers since
// 2026 (streams need `include_usage`). In all of them user_visible_ttft_ms is exactly service_ttft_ms
// less pre_inference_ms, and engine_ttft_ms is far smaller than that, so:
//   pre_inference_ms   the service took the request → inference was begun: routing, screening, waiting
//   engine_ttft_ms     the engine took the request → its first token
// Whether a wait inside the engine lies in the latter is not known, hence the definition.
import { exactEvidence, lengthNs, NS_PER_MS, stated } from './exact.ts';
import type { EvidenceSource, EvidenceSubject } from './source.ts';

const DEFINITION = 'queue: pre_inference_ms, screening within; prefill: engine_ttft_ms, a wait in the engine within';

export const azureLatencyCheckpoint: EvidenceSource = {
  name: 'azure-latency-checkpoint',
  read: (subject) =>
    exactEvidence('azure-latency-checkpoint', {
      queueNs: checkpointNs(subject, 'pre_inference_ms'),
      prefillNs: checkpointNs(subject, 'engine_ttft_ms'),
      definition: DEFINITION,
    }),
};

/** The object is in the usage, or there below the service tier. */
function checkpointNs(subject: EvidenceSubject, name: string): number | undefined {
  const ms =
    stated(subject, `usage.latency_checkpoint.${name}`) ??
    stated(subject, `usage.service_tier_details.latency_checkpoint.${name}`);
  return lengthNs(ms, NS_PER_MS);
}
