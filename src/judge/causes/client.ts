// The client took no more bytes until just before: we had stopped reading from the engine, so it had stopped writing,
// and needs a moment to go on. Gaps that overlap such a time are no stalls at all; this is about the one after it.
import type { CauseFinding } from './verdict.ts';
import type { StallView } from './view.ts';

/** The time without room ended within this part of the stall's length before it, */
const JUST_BEFORE_RATIO = 0.25;
/** and lasted at least this part of it. */
const BLOCKED_LEAST_RATIO = 0.5;

export function findClient({ context, gapNs }: StallView): CauseFinding | undefined {
  const { startAtNs, stream, company } = context;
  const { blockedToNs, blockedNs, clientUnackedBytes } = stream;
  if (blockedToNs === undefined || blockedNs === undefined || blockedNs < BLOCKED_LEAST_RATIO * gapNs) return undefined;
  const sinceNs = startAtNs - blockedToNs;
  if (sinceNs < 0 || sinceNs > JUST_BEFORE_RATIO * gapNs || company.pausedCount > company.wentOnCount) return undefined;
  return {
    confidence: 0.75,
    signs: ['blocked_before'],
    numbers: {
      blockedMs: blockedNs / 1e6,
      sinceMs: sinceNs / 1e6,
      ...(clientUnackedBytes === undefined ? {} : { clientUnackedBytes }),
    },
  };
}
