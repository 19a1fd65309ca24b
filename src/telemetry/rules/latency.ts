// Percentiles over five minutes, each of the buckets of all exchanges: a percentile is never made of percentiles, and
// no mean is recorded. Those of `demand` hold failures as infinitely late; where so many fail that the percentile is
// one of them, it shows the highest bound that there is.
import type { MetricSpec } from '../../base/metric-spec.ts';
import { DEMAND_GAP_MAX, DEMAND_TTFT } from '../../judge/slo/metrics.ts';
import { EXCHANGE_DURATION } from '../../measure/duration.ts';
import { GAP, GAP_MAX } from '../../measure/gap.ts';
import { TPOT } from '../../measure/tpot.ts';
import { TTFO } from '../../measure/ttfo.ts';
import { TTFT } from '../../measure/ttft.ts';
import { quantile, recorded } from './promql.ts';
import type { RecordingRule, RuleGroup } from './rule.ts';

const QUANTILES = [
  { word: 'p50', q: 0.5 },
  { word: 'p95', q: 0.95 },
  { word: 'p99', q: 0.99 },
] as const;
const WINDOW = '5m';

/** What each is recorded by; the labels that are left out are summed over. */
const SPREADS: readonly { readonly spec: MetricSpec; readonly by: readonly string[] }[] = [
  { spec: TTFT, by: ['class'] },
  { spec: TTFT, by: ['class', 'prompt_bucket'] },
  { spec: DEMAND_TTFT, by: ['class'] },
  { spec: TTFO, by: ['class'] },
  { spec: GAP, by: ['class', 'point'] },
  { spec: GAP_MAX, by: ['class'] },
  { spec: DEMAND_GAP_MAX, by: ['class'] },
  { spec: TPOT, by: ['class'] },
  { spec: EXCHANGE_DURATION, by: ['class'] },
];

export const latencyGroup: RuleGroup = {
  name: 'rubato-latency',
  interval: '1m',
  rules: SPREADS.flatMap(({ spec, by }) =>
    QUANTILES.map(({ word, q }): RecordingRule => ({
      record: recorded(by, spec, `${word}_rate${WINDOW}`),
      expr: quantile(q, by, spec, WINDOW),
    })),
  ),
};
