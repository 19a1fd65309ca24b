// The metric of what one point says of delivery. Fed by the rules of one point.
import type { MetricSpec } from '../../base/metric-spec.ts';
import { DELIVERY_WORDS, HOLD_WAYS, type DeliveryVerdict, type HoldWay } from './verdict.ts';

/** `none`: nothing was held, or nobody can tell. */
const WAYS: readonly (HoldWay | 'none')[] = [...HOLD_WAYS, 'none'];

export function deliveryLabels({ word, way }: DeliveryVerdict): { readonly verdict: string; readonly way: string } {
  return { verdict: word, way: way ?? 'none' };
}

export const DELIVERY: MetricSpec = {
  name: 'rubato.delivery',
  type: 'counter',
  unit: '{exchange}',
  help: 'Streams by what their arrivals alone say of hops on the side of the engine, and how such a hop holds text. The route of an edge has streams as they came out of its hop.',
  labels: ['route', 'verdict', 'way'],
  classed: false,
  startAtZero: { verdict: DELIVERY_WORDS, way: WAYS },
};
