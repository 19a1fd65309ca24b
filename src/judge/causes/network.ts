// Packets of this stream alone were lost or late: the others on the route go on, and what was missed comes at once.
// TCP sends again after 200 ms at the least and doubles its patience each time (RFC 6298; Linux' TCP_RTO_MIN), so
// silences of about such lengths speak for it; no other length speaks against it.
import type { CauseFinding } from './verdict.ts';
import type { StallView } from './view.ts';

const PAUSED_MOST_RATIO = 0.2;
const RTO_LEAST_MS = 200;
const RTO_DOUBLINGS_COUNT = 8;
const RTO_OFF_RATIO = 0.2;

export function findNetwork({ context, whole, aftermath, gapNs }: StallView): CauseFinding | undefined {
  const { wentOnCount, pausedCount, burstCount } = context.company;
  if (aftermath !== 'burst' || wentOnCount === 0) return undefined;
  // Who paused and then got all that was missed may have lost packets of its own.
  if (pausedCount - burstCount > PAUSED_MOST_RATIO * (wentOnCount + pausedCount)) return undefined;
  if (whole?.delivery?.word === 'holds' || whole?.hop?.word === 'holds') return undefined;
  const isLadder = onLadder(gapNs / 1e6);
  const signs = ['others_went_on', 'missed_at_once', ...(isLadder ? ['retransmission'] : [])];
  const numbers = { gapMs: gapNs / 1e6, wentOn: wentOnCount, eventsAtEnd: context.stream.eventsFromEnd[0] ?? 0 };
  return { confidence: isLadder ? 0.85 : 0.75, signs, numbers };
}

/** About one, three, seven … times the least time: the sum of all waits up to the one that helped. */
function onLadder(gapMs: number): boolean {
  for (let waits = 1; waits <= RTO_DOUBLINGS_COUNT; waits += 1) {
    const sumMs = RTO_LEAST_MS * (2 ** waits - 1);
    if (gapMs >= sumMs * (1 - RTO_OFF_RATIO / 4) && gapMs <= sumMs * (1 + RTO_OFF_RATIO)) return true;
  }
  return false;
}
