// Cerebras' `time_info` on one message of the answer: `queue_time` is the wait, `prompt_time` the
// prefill. The unit is not documented. It is s: published answers of 123 tokens state a `total_time` of
// 0.127, which is the sum of the three times beside it, next to a `created` in epoch s.
// Source: cerebras-cloud-sdk-node 1.91.0, resources/chat/completions.ts, and answers in public tests.
import { exactEvidence, lengthNs, NS_PER_S, stated } from './exact.ts';
import type { EvidenceSource } from './source.ts';

export const cerebrasTimeInfo: EvidenceSource = {
  name: 'cerebras-time-info',
  read: (subject) =>
    exactEvidence('cerebras-time-info', {
      queueNs: lengthNs(stated(subject, 'time_info.queue_time'), NS_PER_S),
      prefillNs: lengthNs(stated(subject, 'time_info.prompt_time'), NS_PER_S),
    }),
};
