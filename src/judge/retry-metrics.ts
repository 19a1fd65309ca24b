// Metrics of retries: what was asked before and failed, or has an idempotency key that was answered. They are in rubato.exchanges and not in the demand.
import type { MetricSpec } from '../base/metric-spec.ts';
import { RETRY_SIGNS } from '../record/retry-facts.ts';

export const RETRIES: MetricSpec = {
  name: 'rubato.retries',
  type: 'counter',
  unit: '{exchange}',
  help: 'Exchanges that ask again for the same, by how one knows: the same idempotency key, the same body as one that had failed, or the word of their client alone. They are not new demand.',
  labels: ['reason'],
  classed: true,
  startAtZero: { reason: RETRY_SIGNS },
};

export const RETRIES_RECOVERED: MetricSpec = {
  name: 'rubato.retries.recovered',
  type: 'counter',
  unit: '{exchange}',
  help: 'Retries that brought the answer which the tries before them had not, where these were seen. Objectives still count what the first try came to.',
  labels: [],
  classed: true,
};

export const RETRY_METRICS: readonly MetricSpec[] = [RETRIES, RETRIES_RECOVERED];
