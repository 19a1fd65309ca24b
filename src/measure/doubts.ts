// What a reader of the figures should know of an exchange, counted. The record holds most doubts; two
// come up only when the first token's time is split.
import type { MetricSpec } from '../base/metric-spec.ts';
import { DOUBTS, type Doubt } from '../record/kinds.ts';
import type { StreamRecord } from '../record/stream-record.ts';
import type { Split } from './figures.ts';

/** Every doubt of an exchange, each once. */
export function doubtsOf(record: Pick<StreamRecord, 'doubts'>, split: Split | undefined): ReadonlySet<Doubt> {
  const doubts = new Set(record.doubts);
  if (split?.rounded === true) doubts.add('rounded');
  if (split?.contradicted === true) doubts.add('contradicted');
  return doubts;
}

export const DOUBTS_COUNT: MetricSpec = {
  name: 'rubato.doubts',
  type: 'counter',
  unit: '{exchange}',
  help: 'Exchanges about which a reader of the figures should know something, by what it is.',
  labels: ['doubt'],
  classed: false,
  startAtZero: { doubt: DOUBTS },
};
