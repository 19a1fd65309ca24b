// The arrival of the response head, for engines that send it when a slot begins the prompt (llama.cpp from
// build 9428): request sent → head received, without the wire, is the queue. Tokenising lies within. It is
// there even when a stream is cut before its timings. A head that came late, by a busy machine or a hop,
// says nothing that `prompt_ms` does not say better. One that came early, as no such engine's does, keeps
// its word below theirs in rank, so that the conflict is seen.
import { exactEvidence } from './exact.ts';
import { slotStartOf } from './slot-start.ts';
import type { EvidenceSource } from './source.ts';

const DEFINITION = 'queue: request sent → response head received, without the wire; tokenising lies within';

export const headArrival: EvidenceSource = {
  name: 'head-arrival',
  read(subject) {
    const { head, arrivalNs, restNs } = slotStartOf(subject);
    if (arrivalNs === undefined || head === 'unknown' || head === 'late') return undefined;
    // The smaller bound is nearer, and with it the parts fit into the window.
    const queueNs = head === 'marked' ? Math.min(arrivalNs, restNs ?? arrivalNs) : arrivalNs;
    return exactEvidence('head-arrival', { queueNs, definition: DEFINITION });
  },
};
