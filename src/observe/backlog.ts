// How many requests of each route are at its engine and have no token yet: they wait there, or are read. Who stands in the
// admission queue is not among them, and neither is what an edge sees.
import type { ObservedExchange } from './observed-exchange.ts';
import type { ObservedRoute } from './observer-options.ts';

/** By name of the route; absent where there are none. */
export function backlogs(
  open: Iterable<ObservedExchange>,
  routes: readonly ObservedRoute[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { opening, tokenSeen, marks } of open) {
    const route = routes[opening.routeIndex];
    const isThere = opening.method === 'POST' && !tokenSeen && marks.connectStartAtNs !== undefined;
    if (isThere && route !== undefined && route.edge === undefined)
      counts.set(route.name, (counts.get(route.name) ?? 0) + 1);
  }
  return counts;
}
