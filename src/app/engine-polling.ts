// From the configuration to the polling of the engines' own metrics.
import type { Config } from '../config/config.ts';
import type { PollSettings } from '../observe/engine-metrics/engine-metrics.ts';

export function pollSettings(config: Config): PollSettings {
  const { routes, engineMetricsIntervalMs: intervalMs, gpuMetricsUrl, upstreamTls: tls } = config;
  return { routes, intervalMs, gpuMetricsUrl, tls };
}
