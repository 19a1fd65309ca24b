// Metrics of objectives and goodput. Shares have their numerator and their denominator, both counted; series
// with `demand` in their name hold failures too, as what never came.
import { GAP_BOUNDS_S, type MetricSpec, WAIT_BOUNDS_S } from '../../base/metric-spec.ts';

function counter(name: string, unit: string, help: string, labels: MetricSpec['labels'] = []): MetricSpec {
  return { name, type: 'counter', unit, help, labels, classed: true };
}

export const SLO_EXCHANGES = counter(
  'rubato.slo.exchanges',
  '{exchange}',
  'Exchanges that an objective is for, by whether they kept it; `unknown` cannot be judged. Failures keep nothing that had not come by then.',
  ['objective', 'met'],
);

export const SLO_GAPS = counter(
  'rubato.slo.gaps',
  '{gap}',
  'Gaps between reads with generated fragments received, of all exchanges that a pooled objective is for, by whether they kept its limit; of `unknown` the ends cannot be trusted.',
  ['objective', 'met'],
);

export const DEMAND_EXCHANGES = counter(
  'rubato.demand.exchanges',
  '{exchange}',
  'Exchanges that asked for generation and had objectives, whatever came of them: the denominator of rubato.good.exchanges. Retries are not new demand.',
);

export const DEMAND_TOKENS = counter(
  'rubato.demand.tokens',
  '{token}',
  'Output tokens of the exchanges in rubato.demand.exchanges, as the engine stated them: the denominator of rubato.good.tokens.',
);

export const GOOD_EXCHANGES = counter('rubato.good.exchanges', '{exchange}', 'Exchanges that kept every objective.');

export const GOOD_UNKNOWN = counter(
  'rubato.good.unknown',
  '{exchange}',
  'Exchanges that broke no objective, of which one cannot be judged; they are not in rubato.good.exchanges.',
);

export const GOOD_TOKENS = counter(
  'rubato.good.tokens',
  '{token}',
  'Output tokens of the exchanges in rubato.good.exchanges, as the engine stated them.',
);

export const DEMAND_TTFT: MetricSpec = {
  name: 'rubato.demand.ttft',
  type: 'histogram',
  unit: 's',
  help: 'TTFT (request head received to the first token handed to the kernel for the client) of all that asked for generation; what failed or was left before its first token is above the last bound, and not in the sum.',
  labels: ['prompt_bucket'],
  classed: true,
  bounds: WAIT_BOUNDS_S,
};

export const DEMAND_GAP_MAX: MetricSpec = {
  name: 'rubato.demand.gap.max',
  type: 'histogram',
  unit: 's',
  help: 'Worst gap (from one read with generated fragments received to the next) of all that asked for generation; what failed at any time is above the last bound, and not in the sum.',
  labels: [],
  classed: true,
  bounds: GAP_BOUNDS_S,
};

export const SLO_METRICS: readonly MetricSpec[] = [
  SLO_EXCHANGES,
  SLO_GAPS,
  DEMAND_EXCHANGES,
  DEMAND_TOKENS,
  GOOD_EXCHANGES,
  GOOD_UNKNOWN,
  GOOD_TOKENS,
  DEMAND_TTFT,
  DEMAND_GAP_MAX,
];
