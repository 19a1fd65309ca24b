// Which open exchanges decode, and how long their contexts are by now, from what was read of them.
import type { ObservedExchange } from '../observed-exchange.ts';
import type { ObservedRoute } from '../observer-options.ts';
import type { OpenDecode } from './floor-watch.ts';

export function* openDecodes(open: Iterable<ObservedExchange>, routes: readonly ObservedRoute[]): Iterable<OpenDecode> {
  for (const observed of open) {
    const route = routes[observed.opening.routeIndex];
    // What was opened before the route's engine became another one is not in that one's batch.
    const isThere = route !== undefined && route.edge === undefined && (route.place ?? route.name) === route.name;
    if (!isThere || !observed.tokenSeen) continue;
    yield { route: route.name, contextTokens: () => contextTokensOf(observed) };
  }
}

/** Where the engine keeps no running count, events stand for tokens: most bring one. */
function contextTokensOf({ reader, promptTokensEstimate, events }: ObservedExchange): number | undefined {
  const tokens = reader?.tokens();
  const promptTokens = tokens?.prompt ?? promptTokensEstimate;
  return promptTokens === undefined ? undefined : promptTokens + (tokens?.output ?? events.totalCount);
}
