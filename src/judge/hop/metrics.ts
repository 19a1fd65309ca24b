// Metrics of hops: what exchanges seen on both sides of one say of it. Fed by the rule of two points.
import { type MetricSpec, WAIT_BOUNDS_S } from '../../base/metric-spec.ts';
import { UNPAIRED_REASONS } from '../../record/hop-facts.ts';
import { DELIVERY_WORDS, type DeliveryWord } from '../delivery/verdict.ts';

/** `none`: the pair had no text to judge. */
export const HOP_VERDICTS: readonly (DeliveryWord | 'none')[] = [...DELIVERY_WORDS, 'none'];

export const HOP_HOLD: MetricSpec = {
  name: 'rubato.hop.hold',
  type: 'histogram',
  unit: 's',
  help: 'Largest hold of an exchange: from text accepted by the kernel on its way into the hop to the read by which it came out. A lower bound where the sides have clocks of their own.',
  labels: ['hop'],
  classed: true,
  bounds: WAIT_BOUNDS_S,
};

export const HOP_EXCHANGES: MetricSpec = {
  name: 'rubato.hop.exchanges',
  type: 'counter',
  unit: '{exchange}',
  help: 'Exchanges seen on both sides of a hop by what it did to them; `none` had no text to judge.',
  labels: ['hop', 'verdict'],
  classed: false,
  startAtZero: { verdict: HOP_VERDICTS },
};

export const HOP_UNPAIRED: MetricSpec = {
  name: 'rubato.hop.unpaired',
  type: 'counter',
  unit: '{exchange}',
  help: 'Exchanges seen before a hop and not found behind it, by reason: `not_seen` was answered by the hop itself, `outside` out of a cache, `content` and `ambiguous` could not be told for sure.',
  labels: ['hop', 'reason'],
  classed: false,
  startAtZero: { reason: UNPAIRED_REASONS },
};

export const HOP_METRICS: readonly MetricSpec[] = [HOP_HOLD, HOP_EXCHANGES, HOP_UNPAIRED];
