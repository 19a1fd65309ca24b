// The arrival of the response head, for engines that send it when a slot begins the prompt (llama.cpp from
// build 9428): request sent → head received, without the wire, is the queue. Tokenising lies within. It is
// there even when a stream is cut before its timings. Where these refute it, it keeps its word all the
// same, below theirs in rank, so that the record shows the conflict; a head that a hop held says nothing.
import { exactEvidence } from './exact.ts';
import { slotStartOf } from './slot-start.ts';
import type { EvidenceSource } from './source.ts';

const DEFINITION = 'queue: request sent → response head received, without the wire; tokenising lies within';

export const headArrival: EvidenceSource = {
  name: 'head-arrival',
  read(subject) {
    const { head, arrivalNs, restNs } = slotStartOf(subject);
    if (arrivalNs === undefined || head === 'unknown' || head === 'held') return undefined;
    // Both bound the queue from above, so the smaller one is nearer, and the parts fit into the window.
    const queueNs = head === 'marked' ? Math.min(arrivalNs, restNs ?? arrivalNs) : arrivalNs;
    return exactEvidence('head-arrival', { queueNs, definition: DEFINITION });
  },
};
