// SGLang's `meta_info` on its native route /generate (server flag --enable-metrics), with every event:
//   queue_time                                   entered the wait queue → forward entry, in s
//   forward_entry_time, prefill_finished_time    instants, epoch s; their difference is the prefill
// Only the difference is used, because the engine's wall clock is not ours. Its OpenAI routes state no
// times at all. Source: sglang srt/observability/req_time_stats.py (2026-08).
import { exactEvidence, lengthNs, NS_PER_S, stated } from './exact.ts';
import type { EvidenceSource, EvidenceSubject } from './source.ts';

export const sglangMeta: EvidenceSource = {
  name: 'sglang-meta',
  read: (subject) =>
    exactEvidence('sglang-meta', {
      queueNs: lengthNs(stated(subject, 'meta_info.queue_time'), NS_PER_S),
      prefillNs: prefillNs(subject),
    }),
};

function prefillNs(subject: EvidenceSubject): number | undefined {
  const fromS = stated(subject, 'meta_info.forward_entry_time');
  const toS = stated(subject, 'meta_info.prefill_finished_time');
  // 0 stands for an instant that did not happen.
  if (fromS === undefined || toS === undefined || fromS <= 0 || toS <= 0) return undefined;
  return lengthNs(toS - fromS, NS_PER_S);
}
