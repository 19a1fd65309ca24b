// The ways on which figures of rubato come into a Prometheus, each with the configuration of the Collector that is
// shipped for it, run as it is.
import { freePort } from '../../../src/client/hops/free-port.ts';
import { startCollector, type Collector } from '../collector/collector.ts';
import { Prometheus } from './prometheus.ts';

export const WAYS = ['scraped', 'through the Collector', 'by remote write', 'by its OTLP receiver'] as const;
export type Way = (typeof WAYS)[number];

export interface WayOptions {
  readonly collectorProgram: string;
  /** A Prometheus that has an OTLP receiver, where there is one. */
  readonly newProgram: string | undefined;
  readonly rules: string;
}

/** The end of one way: a Prometheus, and the Collector that it gets its figures from. */
export interface WayEnd {
  readonly prometheus: Prometheus;
  readonly collector: Collector;
}

export async function startWay(
  way: Exclude<Way, 'scraped'>,
  { collectorProgram: program, newProgram, rules }: WayOptions,
): Promise<WayEnd | undefined> {
  if (way === 'through the Collector') {
    const target = `127.0.0.1:${await freePort()}`;
    const sets = { 'exporters::prometheus::endpoint': target };
    const collector = await startCollector({ program, config: 'otel-collector.yaml', sets });
    return { collector, prometheus: await Prometheus.start({ scrape: { target, honorLabels: true }, rules }) };
  }
  if (way === 'by remote write') {
    const prometheus = await Prometheus.start({ args: ['--web.enable-remote-write-receiver'], rules });
    const env = { MIMIR_ENDPOINT: `${prometheus.url}/api/v1/write` };
    return { prometheus, collector: await startCollector({ program, config: 'deploy/collector/mimir.yaml', env }) };
  }
  if (newProgram === undefined) return undefined;
  const prometheus = await Prometheus.start({ program: newProgram, args: ['--web.enable-otlp-receiver'], rules });
  const env = { PROMETHEUS_OTLP_ENDPOINT: `${prometheus.url}/api/v1/otlp` };
  const config = 'deploy/collector/prometheus-otlp.yaml';
  return { prometheus, collector: await startCollector({ program, config, env }) };
}
