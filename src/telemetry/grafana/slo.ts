// Dashboard: what was promised and what was kept, of exchanges, of gaps, and of batch jobs.
import type { MetricSpec } from '../../base/metric-spec.ts';
import {
  JOB_ENDED,
  JOB_EXCHANGES,
  JOB_LENGTH,
  JOB_OBJECTIVE,
  JOB_OPEN,
  JOB_RATE,
  JOB_TOKENS,
} from '../../judge/job/metrics.ts';
import { RETRIES, RETRIES_RECOVERED } from '../../judge/retry-metrics.ts';
import {
  DEMAND_EXCHANGES,
  DEMAND_TOKENS,
  GOOD_EXCHANGES,
  GOOD_TOKENS,
  GOOD_UNKNOWN,
  SLO_EXCHANGES,
  SLO_GAPS,
} from '../../judge/slo/metrics.ts';
import { EXCHANGES } from '../../measure/duration.ts';
import { BUDGET, missedRatio } from '../rules/objectives.ts';
import { type Ask, gauges, increases, rates, recordedSeries, shares } from './ask.ts';
import { bars, type Dashboard, percentiles, type Row, type Target, timeseries } from './panel.ts';

const JUDGED = '=~true|false';
const OBJECTIVE = '{{class}} {{objective}}';
const NEEDS_OBJECTIVES = { needs: ['objectives'] } as const;
const NEEDS_JOBS = { needs: ['jobs'] } as const;
const NEEDS_POOLED = { needs: ['pooled'] } as const;

/** Of what could be judged, the share that kept it or missed it. */
function shareOf(met: 'true' | 'false', spec: MetricSpec, count: typeof rates): Ask {
  const by = ['class', 'objective'] as const;
  return shares(count(spec, by, { met }), count(spec, by, { met: JUDGED }));
}

/** How many times as fast as would use up the budget of 30 days in just 30 days. */
function burn(spec: MetricSpec): Ask {
  const classes = '{class=~"$class"}';
  const expr = `${missedRatio(spec, '1h')}${classes}\n/ on (class, objective) group_left ()\n${BUDGET}${classes}`;
  return recordedSeries(expr, [spec]);
}

const PROMISES: Row = {
  title: 'Promises',
  panels: [
    bars({
      title: 'Kept, over the whole time that is looked at',
      reads:
        'The share that kept each objective, of what could be judged. Compare it with the target of the objective.',
      unit: 'percentunit',
      limits: { warn: 0.99, bad: 0.95, isBelow: true },
      targets: [
        { ask: shareOf('true', SLO_EXCHANGES, increases), legend: OBJECTIVE, ...NEEDS_OBJECTIVES },
        { ask: shareOf('true', SLO_GAPS, increases), legend: `${OBJECTIVE}, gaps`, ...NEEDS_POOLED },
      ],
    }),
    timeseries({
      title: 'Missed',
      reads:
        'The share that missed each objective, of what could be judged. Failures keep nothing that had not come by then.',
      unit: 'percentunit',
      targets: [
        { ask: shareOf('false', SLO_EXCHANGES, rates), legend: OBJECTIVE, ...NEEDS_OBJECTIVES },
        { ask: shareOf('false', SLO_GAPS, rates), legend: `${OBJECTIVE}, gaps`, ...NEEDS_POOLED },
      ],
    }),
    timeseries({
      title: 'How fast error budgets burn',
      reads:
        'Misses of the last hour over what the target allows: 1 uses up the budget of 30 days in 30 days, 14.4 pages ' +
        'somebody.',
      unit: 'none',
      axis: 'times too fast',
      limits: { warn: 1, bad: 14.4 },
      targets: [
        { ask: burn(SLO_EXCHANGES), legend: OBJECTIVE, needs: ['objectives', 'rules'] },
        { ask: burn(SLO_GAPS), legend: `${OBJECTIVE}, gaps`, needs: ['pooled', 'rules'] },
      ],
    }),
    timeseries({
      title: 'Cannot be judged',
      reads: 'Mostly because the engine states no token counts. It hides misses, so keep it small.',
      unit: 'percentunit',
      targets: [
        {
          ask: shares(
            rates(SLO_EXCHANGES, ['class', 'objective'], { met: 'unknown' }),
            rates(SLO_EXCHANGES, ['class', 'objective']),
          ),
          legend: OBJECTIVE,
          ...NEEDS_OBJECTIVES,
        },
      ],
    }),
  ],
};

function goodAndAll(good: MetricSpec, all: MetricSpec): Target[] {
  return [
    { ask: rates(good, ['class']), legend: '{{class}} good', ...NEEDS_OBJECTIVES },
    { ask: rates(all, ['class']), legend: '{{class}} asked for', ...NEEDS_OBJECTIVES },
  ];
}

const GOODPUT: Row = {
  title: 'Goodput',
  panels: [
    timeseries({
      title: 'Exchanges: good and asked for',
      reads: 'Goodput beside its denominator. Where both fall, people left; where they part, promises break.',
      unit: 'reqps',
      targets: goodAndAll(GOOD_EXCHANGES, DEMAND_EXCHANGES),
    }),
    timeseries({
      title: 'Output tokens: good and all',
      reads: 'The same in tokens, as the engine stated them.',
      unit: 'short',
      axis: 'tokens a second',
      targets: goodAndAll(GOOD_TOKENS, DEMAND_TOKENS),
    }),
    timeseries({
      title: 'Share of good exchanges',
      reads: 'One that cannot be judged in full is not good; the second line says how many these are.',
      unit: 'percentunit',
      targets: [
        {
          ask: shares(rates(GOOD_EXCHANGES, ['class']), rates(DEMAND_EXCHANGES, ['class'])),
          legend: '{{class}} good',
          ...NEEDS_OBJECTIVES,
        },
        {
          ask: shares(rates(GOOD_UNKNOWN, ['class']), rates(DEMAND_EXCHANGES, ['class'])),
          legend: '{{class}} unknown',
          ...NEEDS_OBJECTIVES,
        },
      ],
    }),
    timeseries({
      title: 'Retries',
      reads: 'The share of exchanges that ask again for what failed. From 20 % on, failures feed themselves.',
      unit: 'percentunit',
      limits: { bad: 0.2 },
      targets: [
        { ask: shares(rates(RETRIES, ['class']), rates(EXCHANGES, ['class'])), legend: '{{class}} retries' },
        {
          ask: shares(rates(RETRIES_RECOVERED, ['class']), rates(EXCHANGES, ['class'])),
          legend: '{{class}} that helped',
        },
      ],
    }),
  ],
};

const JOBS: Row = {
  title: 'Batch jobs',
  panels: [
    timeseries({
      title: 'Jobs under way',
      reads: 'A job is all exchanges with the same `x-job-id`.',
      unit: 'short',
      targets: [{ ask: gauges('sum', JOB_OPEN, ['class']), legend: '{{class}}', ...NEEDS_JOBS }],
    }),
    timeseries({
      title: 'Documents by what they brought',
      reads: 'Valid ones are what a job is for.',
      unit: 'reqps',
      stacked: true,
      targets: [{ ask: rates(JOB_EXCHANGES, ['kind']), legend: '{{kind}}', ...NEEDS_JOBS }],
    }),
    timeseries({
      title: 'Output tokens of jobs',
      reads: 'Answered in time only.',
      unit: 'short',
      axis: 'tokens a second',
      targets: [{ ask: rates(JOB_TOKENS, ['class']), legend: '{{class}}', ...NEEDS_JOBS }],
    }),
    timeseries({
      title: 'Length of jobs',
      reads: 'Of those that ended in the last while, however they ended.',
      unit: 's',
      targets: percentiles(JOB_LENGTH, ['class'], { of: [0.5, 0.95], ...NEEDS_JOBS }),
    }),
    timeseries({
      title: 'Output tokens a second of a whole job',
      reads: 'Low percentiles are the slow jobs.',
      unit: 'short',
      axis: 'tokens a second',
      targets: percentiles(JOB_RATE, ['class'], { of: [0.05, 0.5], ...NEEDS_JOBS }),
    }),
    bars({
      title: 'Jobs and what they promised, over the whole time that is looked at',
      reads: 'Ended jobs by what ended them, and objectives of jobs by whether they were kept.',
      unit: 'short',
      targets: [
        { ask: increases(JOB_ENDED, ['class', 'reason']), legend: '{{class}} ended by {{reason}}', ...NEEDS_JOBS },
        {
          ask: increases(JOB_OBJECTIVE, ['class', 'objective', 'met']),
          legend: '{{class}} {{objective}} kept: {{met}}',
          ...NEEDS_JOBS,
        },
      ],
    }),
  ],
};

export const slo: Dashboard = {
  uid: 'rubato-slo',
  title: 'rubato / Objectives and goodput',
  description: 'What was promised, what was kept, and how much of the work was of use?',
  rows: [PROMISES, GOODPUT, JOBS],
};
