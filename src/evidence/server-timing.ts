// The response field `Server-Timing` (W3C), durations in ms, for engines and gateways that report there.
// Names are free, so only those count that can mean nothing else, and what they lie between is whatever
// their writer means by them. Lowest rank: any hop may write the field.
import { exactEvidence, lengthNs, NS_PER_MS, stated } from './exact.ts';
import type { EvidenceSource, EvidenceSubject } from './source.ts';

const QUEUE_PATHS = ['queue', 'queue-time', 'queue_time', 'queued', 'queueing', 'queuing'].map(pathOf);
const PREFILL_PATHS = ['prefill', 'prefill-time', 'prefill_time', 'prompt-eval', 'prompt_eval'].map(pathOf);

export const serverTiming: EvidenceSource = {
  name: 'server-timing',
  read: (subject) =>
    exactEvidence('server-timing', {
      queueNs: firstOf(subject, QUEUE_PATHS),
      prefillNs: firstOf(subject, PREFILL_PATHS),
      definition: 'as the writer of the field Server-Timing names them',
    }),
};

function pathOf(name: string): string {
  return `head.server-timing.${name}`;
}

function firstOf(subject: EvidenceSubject, paths: readonly string[]): number | undefined {
  const path = paths.find((one) => stated(subject, one) !== undefined);
  return path === undefined ? undefined : lengthNs(stated(subject, path), NS_PER_MS);
}
