// TTFT, time to first token, in ns: request head received → chunk with the first token handed to the
// kernel for the client. Absent, and counted in rubato.no_first_token, when that never happened.
// The first token meter finds it; ttft-split.ts says where the time went.
import { type MetricSpec, WAIT_BOUNDS_S } from '../base/metric-spec.ts';

export const TTFT: MetricSpec = {
  name: 'rubato.ttft',
  type: 'histogram',
  unit: 's',
  help:
    'Time to first token: from the request head received to the chunk with the first generated fragment, on any ' +
    'channel, handed to the kernel for the client.',
  labels: ['prompt_bucket'],
  classed: true,
  bounds: WAIT_BOUNDS_S,
};
