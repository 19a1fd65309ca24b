// Numbers for routes that last as long as the process: the tape names a route by its number, and what
// it says must stay true of exchanges that were open while the configuration was read anew. A route that
// leads where it did before keeps its number; any other gets one of its own.
import { ROUTE_NUMBERS_MAX_COUNT } from '../base/limits.ts';
import type { RouteConfig } from '../config/config.ts';
import type { EngineName } from '../record/engines.ts';
import type { EdgeRoute } from './edge-routes.ts';

/** A route of the configuration, or an edge as one. */
type Bookable = RouteConfig | EdgeRoute;

export interface BookedRoute {
  readonly name: string;
  /** The hop it leads to; absent when it leads to an engine. */
  readonly edge?: string;
  readonly engine: EngineName | undefined;
  /** Where it leads; routes that lead to one place share an engine. */
  readonly upstream: string;
  /** The name that sources of evidence know it by: they must not take what another engine did for this one's. */
  place: string;
}

export class RouteBook {
  readonly #routes: BookedRoute[] = [];
  readonly #ids = new Map<string, number>();

  /** By their numbers. Routes are only ever added. */
  get routes(): readonly BookedRoute[] {
    return this.#routes;
  }

  /** Whether these can be booked; a process whose routes were changed so often wants to be started anew. */
  hasRoomFor(routes: readonly Bookable[]): boolean {
    const newCount = routes.filter((route) => !this.#ids.has(keyOf(route))).length;
    return this.#routes.length + newCount <= ROUTE_NUMBERS_MAX_COUNT;
  }

  /** Makes these the routes that hold. Gives the names that lead elsewhere now, or nowhere any more. */
  hold(routes: readonly Bookable[]): readonly string[] {
    const holding = new Set(routes.map((route) => this.idOf(route)));
    const moved: string[] = [];
    for (const [id, route] of this.#routes.entries()) {
      if (!holding.has(id) && route.place === route.name) moved.push(route.name);
      route.place = holding.has(id) ? route.name : `${route.name}#${id}`;
    }
    return moved;
  }

  idOf(route: Bookable): number {
    const key = keyOf(route);
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#routes.length;
    const edge = 'edge' in route ? { edge: route.edge } : {};
    this.#routes.push({
      name: route.name,
      ...edge,
      engine: route.engine.name,
      upstream: route.upstream.origin,
      place: route.name,
    });
    this.#ids.set(key, id);
    return id;
  }
}

function keyOf({ name, upstream, engine }: Bookable): string {
  return `${name}\n${upstream.origin}\n${engine.name ?? ''}`;
}
