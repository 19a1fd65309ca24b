// Metrics of batch jobs. Ids of jobs stand on spans and in records; labels are closed sets.
import { type MetricSpec, WAIT_BOUNDS_S } from '../../base/metric-spec.ts';

/** Jobs take minutes to a day. */
const JOB_BOUNDS_S = [...WAIT_BOUNDS_S.filter((bound) => bound >= 1), 1_800, 3_600, 7_200, 14_400, 43_200, 86_400];
/** From one slow stream to a few nodes of accelerators. */
const RATE_BOUNDS = [10, 30, 100, 300, 1_000, 2_000, 3_000, 5_000, 10_000, 20_000, 30_000, 50_000, 100_000, 300_000];

export const JOB_EXCHANGES: MetricSpec = {
  name: 'rubato.job.exchanges',
  type: 'counter',
  unit: '{exchange}',
  help: 'Exchanges of batch jobs by what they brought: a valid answer, an invalid one (its finish reason is listed), one nobody can judge (`unknown`), none (`failed`), or one after the deadline (`late`).',
  labels: ['class', 'kind'],
  classed: false,
};

export const JOB_TOKENS: MetricSpec = {
  name: 'rubato.job.tokens',
  type: 'counter',
  unit: '{token}',
  help: 'Output tokens of answered exchanges of batch jobs that ended in time, as the engine stated them.',
  labels: ['class'],
  classed: false,
};

export const JOB_ENDED: MetricSpec = {
  name: 'rubato.job.ended',
  type: 'counter',
  unit: '{job}',
  help: 'Batch jobs by what ended them: all documents were answered (`size`), the deadline, or ten minutes without any (`idle`); of a class with a deadline only where too many were open.',
  labels: ['class', 'reason'],
  classed: false,
};

export const JOB_OBJECTIVE: MetricSpec = {
  name: 'rubato.job.objectives',
  type: 'counter',
  unit: '{job}',
  help: 'Ended batch jobs by whether they kept each objective of their class: all documents answered by the deadline, output tokens per second over the job, share of valid documents.',
  labels: ['class', 'objective', 'met'],
  classed: false,
};

export const JOB_LENGTH: MetricSpec = {
  name: 'rubato.job.length',
  type: 'histogram',
  unit: 's',
  help: 'Length of a batch job: from its first exchange opened to its last answer, or to its deadline where that ended it.',
  labels: ['class', 'reason'],
  classed: false,
  bounds: JOB_BOUNDS_S,
};

export const JOB_RATE: MetricSpec = {
  name: 'rubato.job.tokens_per_second',
  type: 'histogram',
  // Without a slash: translators to Prometheus make `per_second` of it, which the name has already.
  unit: '{tokens_per_second}',
  help: 'Output tokens of a batch job over its length; at least so many where the engine did not state all.',
  labels: ['class'],
  classed: false,
  bounds: RATE_BOUNDS,
};

export const JOB_OPEN: MetricSpec = {
  name: 'rubato.job.open',
  type: 'gauge',
  unit: '{job}',
  help: 'Batch jobs under way.',
  labels: ['class'],
  classed: false,
};

export const JOB_METRICS: readonly MetricSpec[] = [
  JOB_EXCHANGES,
  JOB_TOKENS,
  JOB_ENDED,
  JOB_OBJECTIVE,
  JOB_LENGTH,
  JOB_RATE,
  JOB_OPEN,
];
