// Every metric of our own, in the order in which people read them: what the store takes, the README lists and rules
// may ask for. The declarations stand with whoever feeds them.
import type { MetricSpec } from '../base/metric-spec.ts';
import { PREFILL_STEP_RATIO } from '../judge/causes/metrics.ts';
import { DELIVERY } from '../judge/delivery/metric.ts';
import { HOP_METRICS } from '../judge/hop/metrics.ts';
import { JOB_METRICS } from '../judge/job/metrics.ts';
import { RETRY_METRICS } from '../judge/retry-metrics.ts';
import { SLO_METRICS } from '../judge/slo/metrics.ts';
import { METRICS } from '../measure/table.ts';
import { DEMAND_FORGOTTEN } from './demand-feed.ts';
import { ENGINE_METRICS } from './engine-metrics.ts';
import { FLOOR_METRICS } from './floor-metrics.ts';
import { SELF_METRICS } from './self-metrics.ts';

export const OWN_METRICS: readonly MetricSpec[] = [
  ...METRICS,
  DELIVERY,
  ...SLO_METRICS,
  ...RETRY_METRICS,
  ...JOB_METRICS,
  PREFILL_STEP_RATIO,
  ...HOP_METRICS,
  ...ENGINE_METRICS,
  ...FLOOR_METRICS,
  ...SELF_METRICS,
  DEMAND_FORGOTTEN,
];
