// Groq's times among the usage, in s: in `x_groq.usage` on the last message of a stream, in `usage` of
// a whole answer. `queue_time` is the wait, `prompt_time` the prefill; `total_time` is prompt and
// completion without the queue. Which two events they lie between is not documented further.
// Source: groq-typescript 1.4.0, resources/chat/completions.ts.
import { exactEvidence, lengthNs, NS_PER_S, stated } from './exact.ts';
import type { EvidenceSource, EvidenceSubject } from './source.ts';

export const groqUsage: EvidenceSource = {
  name: 'groq-usage',
  read: (subject) =>
    exactEvidence('groq-usage', { queueNs: timeNs(subject, 'queue_time'), prefillNs: timeNs(subject, 'prompt_time') }),
};

function timeNs(subject: EvidenceSubject, name: string): number | undefined {
  // In `usage` the names are common enough for others to use them with other units.
  const inUsage = subject.engine?.name === 'groq' ? stated(subject, `usage.${name}`) : undefined;
  return lengthNs(stated(subject, `x_groq.usage.${name}`) ?? inUsage, NS_PER_S);
}
