// Since when our own thread had not run when it read something. Pure.
import type { Pause } from '../record/stream-record.ts';

/** After a pause our thread takes up what has come in the meantime, one thing after the other. */
const STILL_LATE_NS = 2e6;

/** That moment itself when the thread ran. What came since may have been stamped only then. */
export function standingSinceNs(pauses: readonly Pause[], atNs: number): number {
  let sinceNs = atNs;
  // They ascend, and those of several causes can overlap.
  for (const { startAtNs, endAtNs } of pauses.toReversed()) {
    if (startAtNs < sinceNs && endAtNs >= sinceNs - STILL_LATE_NS) sinceNs = startAtNs;
  }
  return sinceNs;
}
