// Backpressure, in ns: the sum of the times from our socket to the client being blocked to its taking
// bytes again. While it is blocked we do not read from the engine, so gaps that overlap such time are
// the client's and not the engine's.
import { BLOCKED_MAX_COUNT } from '../base/limits.ts';
import { COST_BOUNDS_S, type MetricSpec } from '../base/metric-spec.ts';

/** `edgesNs` as in a record: from, to, from, to …; `endAtNs` closes an interval that is still open. */
export function backpressureNs(edgesNs: readonly number[], endAtNs: number): number {
  let sumNs = 0;
  for (let index = 1; index < edgesNs.length; index += 2) {
    sumNs += (edgesNs[index] as number) - (edgesNs[index - 1] as number);
  }
  const openFromNs = edgesNs.length % 2 === 1 ? edgesNs.at(-1) : undefined;
  // The last interval that fits into a record stays open because we lost count, not because it lasted.
  const lostCount = edgesNs.length >= 2 * BLOCKED_MAX_COUNT - 1;
  if (openFromNs === undefined || lostCount) return sumNs;
  return sumNs + Math.max(0, endAtNs - openFromNs);
}

export const BACKPRESSURE: MetricSpec = {
  name: 'rubato.backpressure',
  type: 'histogram',
  unit: 's',
  help:
    'Time in which a client took no more bytes: from its socket being blocked to its taking bytes again, summed over ' +
    'an exchange; one value an exchange.',
  labels: [],
  classed: true,
  bounds: COST_BOUNDS_S,
};
