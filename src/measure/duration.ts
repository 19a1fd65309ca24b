// Duration of an exchange, in ns: request head received → the end on the client's side (its last byte
// accepted by the kernel, or the cut). Known for every exchange, stream or not.
import { type MetricSpec, WAIT_BOUNDS_S } from '../base/metric-spec.ts';
import { OUTCOMES } from '../base/outcome.ts';
import type { StreamRecord } from '../record/stream-record.ts';

/** Without a stamp of the end, the latest moment of which we have one: the exchange lasted at least so long. */
export function durationNs({ marks, chunks }: StreamRecord): number {
  if (marks.clientEndAtNs !== undefined) return marks.clientEndAtNs;
  const chunkMoments = [chunks.receivedAtNs.at(-1), chunks.writtenAtNs.at(-1), chunks.flushedAtNs.at(-1)];
  return Math.max(0, ...[...Object.values(marks), ...chunkMoments].map((atNs) => atNs ?? 0));
}

export const EXCHANGE_DURATION: MetricSpec = {
  name: 'rubato.exchange.duration',
  type: 'histogram',
  unit: 's',
  help:
    'Duration of an exchange, stream or not: from the request head received to the last byte accepted by the kernel ' +
    'for the client, or to the cut.',
  labels: ['outcome', 'route', 'output_bucket'],
  classed: true,
  bounds: WAIT_BOUNDS_S,
};

export const EXCHANGES: MetricSpec = {
  name: 'rubato.exchanges',
  type: 'counter',
  unit: '{exchange}',
  help: 'Exchanges that ended, by how they ended.',
  labels: ['outcome', 'route'],
  classed: true,
  startAtZero: { outcome: OUTCOMES },
};
