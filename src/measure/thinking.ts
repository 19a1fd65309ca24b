// Thinking time in ns: first token → first visible token, both at the moment the kernel took them for
// the client. What a reasoning model thinks before it says anything; a stream whose first token is
// visible already has none, which is not the same as 0.
import { type MetricSpec, WAIT_BOUNDS_S } from '../base/metric-spec.ts';

export function thinkingNs(ttftNs: number | undefined, ttfoNs: number | undefined): number | undefined {
  if (ttftNs === undefined || ttfoNs === undefined || ttfoNs <= ttftNs) return undefined;
  return ttfoNs - ttftNs;
}

export const THINKING: MetricSpec = {
  name: 'rubato.thinking',
  type: 'histogram',
  unit: 's',
  help:
    'Thinking time: from the first token to the first visible token, each handed to the kernel for the client; only ' +
    'of streams whose first token is reasoning.',
  labels: [],
  classed: true,
  bounds: WAIT_BOUNDS_S,
};
