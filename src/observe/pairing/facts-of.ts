// Two sights of one exchange → what a record says of the hop between them. Pure.
import { defined } from '../../measure/defined.ts';
import type { HopFacts, InnerSight } from '../../record/hop-facts.ts';
import { changesOf } from './changes.ts';
import type { Pair } from './choose.ts';
import { overlay } from './overlay.ts';
import type { Sight } from './sight.ts';

/** An inner exchange that goes on for so long after the client has left was not told of it. */
const NOT_PASSED_AFTER_NS = 1e9;

export interface Between {
  readonly name: string;
  /** Half of the interval in which the inner clock lies; absent where the clock is one. */
  readonly clockErrorNs: number | undefined;
}

/** `inner` on the outer clock. */
export function hopFactsOf(outer: Sight, pair: Pair, { name, clockErrorNs }: Between): HopFacts {
  const { inner, match } = pair;
  const attemptCount = pair.failedTries.length + 1;
  return {
    name,
    pairedBy: pair.basis,
    confirmed: pair.confirmed,
    attemptCount,
    inner: innerSightOf(inner, outer.openedAtNs),
    curve: overlay(match.pairs, outer.openedAtNs),
    changes: changesOf(outer, inner, match, { attemptCount, abortNotPassed: isAbortNotPassed(outer, inner) }),
    ...defined({ clockErrorNs, abortNs: abortNs(outer, inner) }),
  };
}

function innerSightOf(inner: Sight, openedAtNs: number): InnerSight {
  const since = (atNs: number | undefined): number | undefined => (atNs === undefined ? undefined : atNs - openedAtNs);
  return {
    id: inner.id,
    openedAtNs: inner.openedAtNs - openedAtNs,
    ...defined({
      headWrittenAtNs: since(inner.headWrittenAtNs),
      endAtNs: since(inner.endedAtNs),
      outcome: inner.outcome,
      phase: inner.phase,
      trace: inner.trace,
    }),
    eventCount: inner.facts.eventCount,
    receivedBytes: inner.facts.receivedBytes,
  };
}

/** Client left → the inner exchange was ended for it. One that was over by then had nothing to be told. */
function abortNs(outer: Sight, inner: Sight): number | undefined {
  if (outer.outcome !== 'client_abort' || inner.outcome !== 'client_abort') return undefined;
  if (outer.endedAtNs === undefined || inner.endedAtNs === undefined) return undefined;
  return Math.max(0, inner.endedAtNs - outer.endedAtNs);
}

function isAbortNotPassed(outer: Sight, inner: Sight): boolean {
  if (outer.outcome !== 'client_abort' || outer.endedAtNs === undefined || inner.outcome === 'client_abort')
    return false;
  return inner.endedAtNs === undefined || inner.endedAtNs - outer.endedAtNs > NOT_PASSED_AFTER_NS;
}

/** The same sight as another clock would have stamped it that is behind by so much. */
export function shifted(sight: Sight, leadNs: number): Sight {
  const at = (atNs: number | undefined): number | undefined => (atNs === undefined ? undefined : atNs - leadNs);
  return {
    ...sight,
    openedAtNs: sight.openedAtNs - leadNs,
    ...defined({
      connectedAtNs: at(sight.connectedAtNs),
      requestSentAtNs: at(sight.requestSentAtNs),
      headReceivedAtNs: at(sight.headReceivedAtNs),
      headWrittenAtNs: at(sight.headWrittenAtNs),
      endedAtNs: at(sight.endedAtNs),
    }),
    lanes: sight.lanes.map((lane) => ({
      ...lane,
      atNs: lane.atNs.map((atNs) => atNs - leadNs),
      firstReceivedAtNs: lane.firstReceivedAtNs - leadNs,
      lastReceivedAtNs: lane.lastReceivedAtNs - leadNs,
    })),
  };
}
