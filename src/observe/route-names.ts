// What the number of a route on the tape stands for: its name, the hop it leads to, the name that sources of evidence
// know it by, and what exchanges must share to be in each other's way. Reads the table of routes, which only grows.
import type { WatchedPlace } from './causes/stall-book.ts';
import type { ObservedRoute } from './observer-options.ts';

/** An exchange, as far as its route is concerned. */
interface Routed {
  readonly opening: { readonly routeIndex: number };
}

export class RouteNames {
  readonly #routes: readonly ObservedRoute[];

  constructor(routes: readonly ObservedRoute[]) {
    this.#routes = routes;
  }

  nameOf({ opening }: Routed): string {
    return this.#routes[opening.routeIndex]?.name ?? 'default';
  }

  edgeOf({ opening }: Routed): { readonly edge?: string } {
    const edge = this.#routes[opening.routeIndex]?.edge;
    return edge === undefined ? {} : { edge };
  }

  /** The engine behind a route's name may have become another one since this exchange opened. */
  placeOf(routed: Routed): string {
    return this.#routes[routed.opening.routeIndex]?.place ?? this.nameOf(routed);
  }

  /** Exchanges with one upstream are in each other's way, whatever route they took; those before a hop are not. */
  watchedPlaceOf(routed: Routed): WatchedPlace {
    const { upstream, edge } = this.#routes[routed.opening.routeIndex] ?? {};
    const place = this.placeOf(routed);
    return { upstream: `${edge ?? ''} ${upstream ?? place}`, place, isBeforeEngine: edge === undefined };
  }
}
