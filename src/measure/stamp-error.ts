// How late the stamps that figures rest on may be at most, in ns: the largest bound among the request
// head's and those of the reads that completed an event. What the loop was busy with, or kept from,
// between the arrival of bytes and their stamp is ours; no figure may pass it off as the engine's.
import type { StreamRecord } from '../record/stream-record.ts';
import { valueAt } from './columns.ts';

/** No figure is meant finer than this. */
const GOOD_BOUND_NS = 1_000_000;

/** What of a record the bound is read from. */
export type Stamped = Pick<StreamRecord, 'openedErrorBoundNs' | 'chunks' | 'events'>;

/** Absent when no bound is known at all. */
export function stampErrorMaxNs({ openedErrorBoundNs, chunks, events }: Stamped): number | undefined {
  let maxNs = openedErrorBoundNs;
  for (const row of events.chunk) maxNs = Math.max(maxNs ?? 0, valueAt(chunks.errorBoundNs, row));
  return maxNs;
}

/** Whether a stamp may be off by more than figures allow: the doubt `loop_lag`. */
export function isStampDoubtful(stamped: Stamped): boolean {
  return (stampErrorMaxNs(stamped) ?? 0) > GOOD_BOUND_NS;
}
