// A scrape as a whole, where the admin port makes it in pieces.
import { metricPieces } from '../../src/telemetry/prometheus.ts';

export function renderMetrics(...made: Parameters<typeof metricPieces>): string {
  return [...metricPieces(...made)].join('');
}
