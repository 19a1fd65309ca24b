// Packets of this stream alone were lost or late: the others on the route go on, and what was missed comes at once.
// TCP sends again after 200 ms at the least and doubles its patience each time (RFC 6298; Linux' TCP_RTO_MIN), so
// silences of about such lengths speak for it; no other length speaks against it. A stream without company has to be
// known to pass one by one otherwise: a hop that holds does so again and again.
import type { CauseFinding } from './verdict.ts';
import type { StallView } from './view.ts';

const PAUSED_MOST_RATIO = 0.2;
const RTO_LEAST_MS = 200;
const RTO_DOUBLINGS_COUNT = 8;
const RTO_OFF_RATIO = 0.2;
/** Of so many reads, hardly one brings more than a step's worth: the stream is known to pass. */
const READS_LEAST_COUNT = 8;
const SEVERAL_MOST_RATIO = 0.2;

export function findNetwork(view: StallView): CauseFinding | undefined {
  const { context, whole, aftermath, gapNs } = view;
  const { wentOnCount, pausedCount, resumedTogetherCount, burstCount } = context.company;
  if (aftermath !== 'burst') return undefined;
  if (whole?.delivery?.word === 'holds' || whole?.hop?.word === 'holds') return undefined;
  // Who came back at another moment, or got all that was missed, may have lost packets of its own.
  if (resumedTogetherCount - burstCount > PAUSED_MOST_RATIO * (wentOnCount + pausedCount)) return undefined;
  const isLadder = onLadder(gapNs / 1e6);
  const numbers = { gapMs: gapNs / 1e6, wentOn: wentOnCount, eventsAtEnd: context.stream.eventsFromEnd[0] ?? 0 };
  const signs = ['missed_at_once', ...(isLadder ? ['retransmission'] : [])];
  if (wentOnCount > 0) return { confidence: isLadder ? 0.85 : 0.75, signs: ['others_went_on', ...signs], numbers };
  if (!passesOtherwise(view)) return undefined;
  return { confidence: isLadder ? 0.75 : 0.65, signs: ['passes_otherwise', ...signs], numbers };
}

/** By its own reads before; one that had too few goes by what streams of this route were like. */
function passesOtherwise({ context, whole, isBunched }: StallView): boolean {
  const { stream, deliveries } = context;
  if (whole?.delivery?.word === 'passes') return true;
  if (stream.readCount >= READS_LEAST_COUNT) {
    return (
      !isBunched && (stream.choiceCount !== undefined || stream.severalCount <= SEVERAL_MOST_RATIO * stream.readCount)
    );
  }
  return deliveries !== undefined && deliveries.passedCount > 0 && deliveries.heldCount === 0;
}

/** About one, three, seven … times the least time: the sum of all waits up to the one that helped. */
function onLadder(gapMs: number): boolean {
  for (let waits = 1; waits <= RTO_DOUBLINGS_COUNT; waits += 1) {
    const sumMs = RTO_LEAST_MS * (2 ** waits - 1);
    if (gapMs >= sumMs * (1 - RTO_OFF_RATIO / 4) && gapMs <= sumMs * (1 + RTO_OFF_RATIO)) return true;
  }
  return false;
}
