// What all objectives about gaps share: which gaps there are, and when too little is known of them. Gaps are
// those between reads as received; whose ends cannot be trusted are counted, not judged.
import type { Figures } from '../../measure/figures.ts';
import { hasLosses } from './fate.ts';
import type { Subject } from './rule.ts';

export function taintedCount({ taintedCounts }: Figures): number {
  return Object.values(taintedCounts).reduce((sum, count) => sum + count, 0);
}

/** Trusted gaps that say nothing of the whole: some are missing, or most cannot be trusted. */
export function areGapsDoubtful({ record, figures }: Subject): boolean {
  return hasLosses(record.doubts) || taintedCount(figures) > figures.gapsReceived.count;
}

/** How many of ascending gaps keep the limit. */
export function countWithin(gapsNs: readonly number[], limitNs: number): number {
  const beyondFrom = gapsNs.findIndex((gapNs) => gapNs > limitNs);
  return beyondFrom === -1 ? gapsNs.length : beyondFrom;
}

/** The rank that a percentile has among so many: so many must keep a limit for the percentile to keep it. */
export function rankOf(percent: number, count: number): number {
  return Math.ceil((percent * count) / 100);
}
