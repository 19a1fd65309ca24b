// Open exchanges as the live feed lists them: which of them, and what is known of each.
import type { ObservedExchange } from '../observe/observed-exchange.ts';
import type { Observer } from '../observe/observer.ts';
import type { OpenDetail } from '../telemetry/live/open-detail.ts';
import { stallsOf, type OpenSight } from '../telemetry/live/rows.ts';

type Sources = Pick<Observer, 'openObserved' | 'stalls' | 'viewOf'>;

/** So many of them, those that are silent longest first, then the oldest. */
export function openSights(
  observer: Sources,
  maxCount: number,
): { readonly openCount: number; readonly sights: OpenSight[] } {
  const all = [...observer.openObserved()];
  const chosen = all.toSorted(bySilence).slice(0, maxCount);
  return { openCount: all.length, sights: chosen.map((observed) => sightOf(observer, observed)) };
}

/** As much as there is by now of the record of one of them; undefined when it is not open. */
export function openDetail(observer: Sources, id: string): OpenDetail | undefined {
  for (const observed of observer.openObserved()) {
    if (observed.id !== id) continue;
    const sight = sightOf(observer, observed);
    const { marks, chunks, events } = observed;
    return { open: sight.view, marks, chunks: chunks.columns, events: events.columns, ...stallsOf(sight) };
  }
  return undefined;
}

function sightOf(observer: Sources, observed: ObservedExchange): OpenSight {
  const seen = observer.stalls.watchOf(observed)?.seen;
  return {
    view: observer.viewOf(observed),
    // Metering begins with the class, which asking for it would decide: by the first token that is done.
    ttftNs: observed.tokenSeen ? observed.metering.firstToken.ttftNs : undefined,
    gapMaxNs: seen?.gapMaxNs,
    stallCount: seen?.count ?? 0,
    stalls: seen?.latest ?? [],
    chunks: observed.chunks,
  };
}

/** The moment of the latest read with a generated fragment; without one nothing is silent yet. */
function silentSinceNs({ opening, lastGeneratedAtNs }: ObservedExchange): number {
  return lastGeneratedAtNs === undefined ? Infinity : opening.openedAtNs + lastGeneratedAtNs;
}

function bySilence(a: ObservedExchange, b: ObservedExchange): number {
  const [left, right] = [silentSinceNs(a), silentSinceNs(b)];
  return left === right ? a.opening.openedAtNs - b.opening.openedAtNs : left - right;
}
