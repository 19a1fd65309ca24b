// The response field `Server-Timing` (W3C), durations in ms, for engines and gateways that report there.
// Names are free, so only those count that can mean nothing else, and what they lie between is whatever
// their writer means by them. Lowest rank: any hop may write the field.
import { exactEvidence, lengthNs, NS_PER_MS, stated } from './exact.ts';
import type { EvidenceSource, EvidenceSubject } from './source.ts';

const QUEUE_NAMES = ['queue', 'queue-time', 'queue_time', 'queued', 'queueing', 'queuing'];
const PREFILL_NAMES = ['prefill', 'prefill-time', 'prefill_time', 'prompt-eval', 'prompt_eval'];

export const serverTiming: EvidenceSource = {
  name: 'server-timing',
  read: (subject) =>
    exactEvidence('server-timing', {
      queueNs: firstOf(subject, QUEUE_NAMES),
      prefillNs: firstOf(subject, PREFILL_NAMES),
      definition: 'as the writer of the field Server-Timing names them',
    }),
};

function firstOf(subject: EvidenceSubject, names: readonly string[]): number | undefined {
  const name = names.find((one) => stated(subject, `head.server-timing.${one}`) !== undefined);
  return name === undefined ? undefined : lengthNs(stated(subject, `head.server-timing.${name}`), NS_PER_MS);
}
