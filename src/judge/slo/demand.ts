// What counts as demand, the denominator of every share: what a client asked a model for, whatever came of it.
import type { StreamRecord } from '../../record/stream-record.ts';

/**
 * What was seen before a hop is the same demand as behind it, and counts there. A retry asks for nothing new: its
 * request counts as what the first try came to.
 */
export function isDemand({ edge, request, retryOf }: StreamRecord): boolean {
  return edge === undefined && retryOf === undefined && request.generation === true;
}
