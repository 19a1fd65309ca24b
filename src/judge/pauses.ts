// Since when our own thread had not run when it read something. Pure.
import type { Pause } from '../record/stream-record.ts';

/**
 * That moment itself when the thread ran. What came since may have been stamped only then. A pause counts that ended
 * so shortly before; for other reasons stamps carry a bound of their error.
 */
export function standingSinceNs(pauses: readonly Pause[], atNs: number, stillLateNs: number): number {
  let sinceNs = atNs;
  // They ascend, and those of several causes can overlap.
  for (const { startAtNs, endAtNs } of pauses.toReversed()) {
    if (startAtNs < sinceNs && endAtNs >= sinceNs - stillLateNs) sinceNs = startAtNs;
  }
  return sinceNs;
}
