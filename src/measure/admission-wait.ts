// How long the admission queue kept a request, in ns: part of what rubato itself costs, never the engine's time.
// The moment stands in the record (`admittedAtNs`), absent for requests that were let in at once.
import { type MetricSpec, WAIT_BOUNDS_S } from '../base/metric-spec.ts';

export const ADMISSION_WAIT: MetricSpec = {
  name: 'rubato.admission.wait',
  type: 'histogram',
  unit: 's',
  help:
    'Wait in the admission queue, from the request head received to the request let go on; only of requests that ' +
    'waited and were let in. Those that were not are exchanges with the outcome shed.',
  labels: [],
  classed: true,
  bounds: WAIT_BOUNDS_S,
};
