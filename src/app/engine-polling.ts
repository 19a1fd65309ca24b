// From the configuration to the polling of the engines' own metrics.
import type { Log } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import { createEngineMetrics, type EngineMetrics } from '../observe/engine-metrics/engine-metrics.ts';

/** `openRoutes` gives the route of each exchange now open, by its position in the configuration. */
export function createEnginePolling(config: Config, log: Log, openRoutes: () => Iterable<number>): EngineMetrics {
  const { routes, engineMetricsIntervalMs: intervalMs, gpuMetricsUrl, upstreamTls: tls } = config;
  return createEngineMetrics({
    routes,
    intervalMs,
    gpuMetricsUrl,
    tls,
    log,
    *openRoutes() {
      for (const index of openRoutes()) yield routes[index]?.name ?? '';
    },
  });
}
