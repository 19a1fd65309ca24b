// TTFO, time to first (visible) output, in ns: request head received → chunk with the first fragment
// that is not reasoning handed to the kernel for the client. What a reader waits for who is not shown
// the model's thinking. Found by the first token meter.
import { type MetricSpec, WAIT_BOUNDS_S } from '../base/metric-spec.ts';

export const TTFO: MetricSpec = {
  name: 'rubato.ttfo',
  type: 'histogram',
  unit: 's',
  help:
    'Time to first visible token: from the request head received to the chunk with the first generated fragment ' +
    'other than reasoning handed to the kernel for the client.',
  labels: [],
  classed: true,
  bounds: WAIT_BOUNDS_S,
};
