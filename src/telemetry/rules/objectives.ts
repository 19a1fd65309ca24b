// Shares of what missed each objective, and alerts on how fast the error budget burns: two windows each, a long one
// that says it matters and a short one that says it still goes on (Site Reliability Workbook, chapter 5, alert 6).
import type { MetricSpec } from '../../base/metric-spec.ts';
import { SLO_EXCHANGES, SLO_GAPS } from '../../judge/slo/metrics.ts';
import type { ClassSpec } from '../../record/traffic-class.ts';
import { ratio, rateBy, recorded, select } from './promql.ts';
import type { AlertingRule, RecordingRule, RuleGroup, Severity } from './rule.ts';

export const WINDOWS = ['5m', '30m', '1h', '6h', '3d'] as const;
type Window = (typeof WINDOWS)[number];

const BY = ['class', 'objective'] as const;
/** The budget of each objective, as configured: the share that may miss it. */
export const BUDGET = 'class_objective:rubato_slo_budget:ratio';

export interface Burn {
  readonly alert: string;
  /** How many times as fast as would use up the budget just at the end of its period. */
  readonly factor: number;
  readonly long: Window;
  readonly short: Window;
  readonly for: string;
  readonly severity: Severity;
}

/** Of a budget for 30 days: 2 % in an hour, 5 % in six hours, 10 % in three days. */
export const BURNS: readonly Burn[] = [
  { alert: 'RubatoBudgetBurnsFast', factor: 14.4, long: '1h', short: '5m', for: '2m', severity: 'page' },
  { alert: 'RubatoBudgetBurns', factor: 6, long: '6h', short: '30m', for: '15m', severity: 'page' },
  { alert: 'RubatoBudgetBurnsSlowly', factor: 1, long: '3d', short: '6h', for: '1h', severity: 'ticket' },
];

/** A lenient objective could never burn 14.4 times too fast: when so many miss it, it counts as burning all the same. */
export const BURNS_ANYWAY_RATIO = 0.9;
/** Judged in the long window at least; of fewer, a single miss would be a share that says nothing. */
export const LEAST_JUDGED = { exchanges: 10, gaps: 1_000 } as const;
/** From this share on, what cannot be judged hides what is missed. */
const UNKNOWN_RATIO = 0.5;

export const KINDS = [
  { spec: SLO_EXCHANGES, of: 'exchanges' },
  { spec: SLO_GAPS, of: 'gaps' },
] as const;

export function missedRatio(spec: MetricSpec, window: Window): string {
  return recorded(BY, spec, `missed_ratio_rate${window}`);
}

function judgedRate(spec: MetricSpec, window: Window): string {
  return recorded(BY, spec, `judged_rate${window}`);
}

/** Share that may miss an objective, without the dust of binary fractions. */
export function budgetOf(target: number): number {
  return Number((1 - target).toPrecision(12));
}

export function objectiveGroup(classes: readonly ClassSpec[]): RuleGroup {
  return {
    name: 'rubato-objectives',
    interval: '1m',
    rules: [...budgets(classes), ...KINDS.flatMap(({ spec }) => shares(spec)), ...burnAlerts(), unknownAlert()],
  };
}

function budgets(classes: readonly ClassSpec[]): RecordingRule[] {
  return classes.flatMap(({ name, objectives = [] }) =>
    objectives.map(({ name: objective, target }) => ({
      record: BUDGET,
      expr: `vector(${budgetOf(target)})`,
      labels: { class: name, objective },
    })),
  );
}

/** What cannot be judged is in neither part of a share, and has a share of its own. */
function shares(spec: MetricSpec): RecordingRule[] {
  const rate = (met: string, window: Window): string => rateBy(BY, select(spec, { met }), window);
  const judged = '=~true|false';
  return [
    ...WINDOWS.flatMap((window) => [
      { record: judgedRate(spec, window), expr: rate(judged, window) },
      { record: missedRatio(spec, window), expr: ratio(rate('false', window), `(${rate(judged, window)} > 0)`) },
    ]),
    {
      record: recorded(BY, spec, 'unknown_ratio_rate1h'),
      expr: ratio(rate('unknown', '1h'), `(${rateBy(BY, select(spec), '1h')} > 0)`),
    },
  ];
}

function burnAlerts(): AlertingRule[] {
  return BURNS.map(({ alert, factor, long, short, for: held, severity }) => ({
    alert,
    expr: KINDS.map(({ spec, of }) => {
      const limit = factor === 1 ? BUDGET : `clamp_max(${factor} * ${BUDGET}, ${BURNS_ANYWAY_RATIO})`;
      const least = `${judgedRate(spec, long)} * ${secondsOf(long)} >= ${LEAST_JUDGED[of]}`;
      return [
        `(\n  ${missedRatio(spec, long)} > on (class, objective) ${limit}`,
        `and ${missedRatio(spec, short)} > on (class, objective) ${limit}`,
        `and ${least}\n)`,
      ].join('\n  ');
    }).join('\nor\n'),
    for: held,
    labels: { severity },
    annotations: {
      summary: '{{ $labels.class }} misses {{ $labels.objective }} too often',
      description:
        `{{ $value | humanizePercentage }} of the last ${long} missed it, and so it goes on. At this rate the ` +
        `error budget of 30 days is used up in ${budgetLasts(factor)}. /api/summary of rubato says which part of ` +
        'the path takes the time.',
    },
  }));
}

function unknownAlert(): AlertingRule {
  const shareOf = (spec: MetricSpec): string =>
    `${recorded(BY, spec, 'unknown_ratio_rate1h')} > ${UNKNOWN_RATIO} and on (class, objective) ${BUDGET}`;
  return {
    alert: 'RubatoObjectiveNotJudged',
    expr: KINDS.map(({ spec }) => `(${shareOf(spec)})`).join('\nor\n'),
    for: '1h',
    labels: { severity: 'ticket' },
    annotations: {
      summary: '{{ $labels.objective }} of {{ $labels.class }} can hardly be judged',
      description:
        'Of {{ $value | humanizePercentage }} nobody can say whether they kept it, mostly because the engine states ' +
        'no token counts. `rubato doctor` says how to have them stated.',
    },
  };
}

function budgetLasts(factor: number): string {
  const days = 30 / factor;
  return days >= 5 ? `${Math.round(days)} days` : `${Math.round(days * 24)} hours`;
}

export function secondsOf(window: string): number {
  const unit = { m: 60, h: 3_600, d: 86_400 }[window.slice(-1)] ?? Number.NaN;
  return Number(window.slice(0, -1)) * unit;
}
