// The metric of retries: what was asked before and failed. They are in rubato.exchanges and not in the demand.
import type { MetricSpec } from '../base/metric-spec.ts';
import { RETRY_SIGNS } from '../record/retry-facts.ts';

export const RETRIES: MetricSpec = {
  name: 'rubato.retries',
  type: 'counter',
  unit: '{exchange}',
  help: 'Exchanges that tried again what had failed before, by how one knows: the same idempotency key, the same body, or the word of their client alone. They are not new demand.',
  labels: ['reason'],
  classed: true,
  startAtZero: { reason: RETRY_SIGNS },
};
