// What is told of causes beside the stalls themselves. Fed by the search for causes.
import type { MetricSpec } from '../../base/metric-spec.ts';

export const PREFILL_STEP_RATIO: MetricSpec = {
  name: 'rubato.prefill.step_ratio',
  type: 'gauge',
  unit: '1',
  perUnit: 1e6,
  help: 'Share of decode steps of the last minute that also read a prompt, estimated from gaps; absent below 50 steps.',
  labels: ['route'],
  classed: false,
};
