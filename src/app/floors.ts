// From the configuration and what is open to the floors of decode steps, and to who shows them.
import { nowNs } from '../base/clock.ts';
import { FLOOR_WINDOW_MS } from '../base/floor-limits.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import { floorState } from '../judge/floor/live.ts';
import type { EngineMetrics } from '../observe/engine-metrics/engine-metrics.ts';
import { FloorWatch } from '../observe/floor/floor-watch.ts';
import { openDecodes } from '../observe/floor/open-decodes.ts';
import type { ObservedExchange } from '../observe/observed-exchange.ts';
import { observeFloors } from '../telemetry/floor-metrics.ts';
import type { MetricStore } from '../telemetry/store.ts';
import type { RouteBook } from './route-book.ts';

export interface FloorParts {
  readonly polling: EngineMetrics;
  readonly routeBook: RouteBook;
  readonly store: MetricStore;
  readonly openObserved: () => Iterable<ObservedExchange>;
}

export function createFloors({ routes }: Config, { polling, routeBook, store, openObserved }: FloorParts): FloorWatch {
  const floors = new FloorWatch({
    nowNs,
    openDecodes: () => openDecodes(openObserved(), routeBook.routes),
    runningCount(route) {
      const running = polling.view.running(route);
      return running === undefined || running.ageMs > FLOOR_WINDOW_MS ? undefined : running.count;
    },
  });
  floors.configure(routes);
  observeFloors(store, () => floors.states());
  return floors;
}

/** Says of each route with a floor what it rests on, and where it begins: one sequence at a short context. */
export function tellFloors({ routes }: Config, log: Log): void {
  for (const { name, floor } of routes) {
    if (floor === undefined) continue;
    const alone = floorState(name, floor, { batchCount: 1, contextTokens: 1, basis: 'seen' });
    log.info('decode steps of this route are set beside their floor (roofline)', {
      route: name,
      model: alone.model,
      hardware: alone.hardware,
      tensor_parallel: alone.tensorParallelCount,
      least_step_ms: Math.round((alone.floorNs ?? 0) / 1e4) / 100,
    });
  }
}
