// The sidecar was late itself. Gaps whose ends cannot be trusted are no stalls; but one that is hardly longer than
// what a stall is may owe that to a late stamp, and a thread that stood still for most of it read late.
import type { CauseFinding } from './verdict.ts';
import type { StallView } from './view.ts';

const PAUSED_RATIO = 0.5;

export function findRubato({ context, gapNs, excessNs }: StallView): CauseFinding | undefined {
  const { lateNs, pausedNs, thresholdNs } = context.stream;
  const numbers = { lateMs: lateNs / 1e6, pausedMs: pausedNs / 1e6, overMs: (gapNs - thresholdNs) / 1e6 };
  if (pausedNs >= PAUSED_RATIO * excessNs && excessNs > 0) return { confidence: 0.85, signs: ['own_pause'], numbers };
  if (gapNs - lateNs > thresholdNs) return undefined;
  return { confidence: 0.8, signs: ['late_stamp'], numbers };
}
