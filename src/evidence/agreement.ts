// Whether sources agree. Knows no source.
import type { Evidence } from '../record/stream-record.ts';

/** Two exact statements further apart than this cannot both be right. */
const CONFLICT_NS = 5_000_000;

/** True when two exact sources differ about the same part by more than 5 ms. */
export function sourcesConflict(evidence: readonly Evidence[]): boolean {
  const exact = evidence.filter(({ basis }) => basis === 'exact');
  return (
    spreadNs(exact.map(({ queueNs }) => queueNs)) > CONFLICT_NS ||
    spreadNs(exact.map(({ prefillNs }) => prefillNs)) > CONFLICT_NS
  );
}

function spreadNs(lengths: readonly (number | undefined)[]): number {
  const known = lengths.filter((length) => length !== undefined);
  return known.length < 2 ? 0 : Math.max(...known) - Math.min(...known);
}
