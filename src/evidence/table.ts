// The table of sources that read the exchange itself, highest rank first. A new source is one file and
// one line here. Evidence from elsewhere (an engine's spans, its metrics) joins the list later.
import type { Evidence } from '../record/stream-record.ts';
import type { EvidenceSource, EvidenceSubject } from './source.ts';

const SOURCES: readonly EvidenceSource[] = [];

/** What all sources say of one exchange, in the order of their rank. */
export function gatherEvidence(subject: EvidenceSubject): Evidence[] {
  return SOURCES.flatMap((source) => source.read(subject) ?? []);
}
