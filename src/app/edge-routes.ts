// Edges as routes: an exchange at an edge has a route of its own, which leads to the hop and never to an engine.
import type { Config, EdgeConfig, RouteConfig } from '../config/config.ts';

export interface EdgeRoute extends RouteConfig {
  /** Name of the hop. */
  readonly edge: string;
}

/** A name that no configured route can have, for there is a colon in it. */
export function edgeRoute({ name, upstream }: EdgeConfig): EdgeRoute {
  return {
    name: `edge:${name}`,
    edge: name,
    prefix: undefined,
    host: undefined,
    upstream,
    // Behind a hop there may be many engines, and the metrics at its own port are of none of them.
    engine: { name: undefined, metrics: 'off', perfMetricsUrl: undefined },
  };
}

/** Everywhere a request can go from here. */
export function allRoutes({ routes, edges }: Pick<Config, 'routes' | 'edges'>): readonly (RouteConfig | EdgeRoute)[] {
  return [...routes, ...edges.map((edge) => edgeRoute(edge))];
}
