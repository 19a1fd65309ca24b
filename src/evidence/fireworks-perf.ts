// Fireworks' performance metrics: in `perf_metrics` of the message with the finish reason when the request
// asks with `perf_metrics_in_response`, and as fields `fireworks-…` of the head of a whole answer.
//   prefill-queue-duration   the wait for prefill; the tokeniser's own queue is not in it
//   prefill-duration         the prefill
// Both only on dedicated deployments. The unit is not documented and s by all recent clients; one old
// client took ms. `server-time-to-first-token` decides, where it can: see unitOf.
import { exactEvidence, lengthNs, NS_PER_MS, NS_PER_S, stated } from './exact.ts';
import type { EvidenceSource, EvidenceSubject } from './source.ts';

/** A server cannot have taken so many times as long to its first token as we waited for it. */
const IMPOSSIBLE_FACTOR = 10;

export const fireworksPerf: EvidenceSource = {
  name: 'fireworks-perf',
  read(subject) {
    const unit = unitOf(subject);
    return exactEvidence('fireworks-perf', {
      queueNs: lengthNs(statedByFireworks(subject, 'prefill-queue-duration'), unit),
      prefillNs: lengthNs(statedByFireworks(subject, 'prefill-duration'), unit),
      definition:
        unit === NS_PER_MS ? 'taken as ms: as s they would exceed the time in which the token came' : undefined,
    });
  },
};

function statedByFireworks(subject: EvidenceSubject, name: string): number | undefined {
  return stated(subject, `perf_metrics.${name}`) ?? stated(subject, `head.fireworks-${name}`);
}

/** ms only where that is proven: the server's own TTFT is impossible in s, and possible in ms. */
function unitOf(subject: EvidenceSubject): number {
  const ttft = statedByFireworks(subject, 'server-time-to-first-token');
  const { requestSentAtNs, firstTokenAtNs } = subject;
  if (ttft === undefined || requestSentAtNs === undefined || firstTokenAtNs === undefined) return NS_PER_S;
  const windowNs = firstTokenAtNs - requestSentAtNs;
  const impossible = ttft * NS_PER_S > windowNs * IMPOSSIBLE_FACTOR;
  return impossible && ttft * NS_PER_MS <= windowNs ? NS_PER_MS : NS_PER_S;
}
