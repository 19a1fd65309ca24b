// Unit tests of the alerts on objectives, made from the same configuration: each objective burns and does not; one
// of them also recovers, has little traffic, cannot be judged, and burns slowly.
import { SLO_EXCHANGES, SLO_GAPS } from '../../judge/slo/metrics.ts';
import type { ClassSpec } from '../../record/traffic-class.ts';
import { type Case, grows } from './case.ts';
import { budgetOf, BURNS, BURNS_ANYWAY_RATIO } from './objectives.ts';
import { select } from './promql.ts';
import type { InputSeries } from './rule.ts';

/** Exchanges, or gaps, a sample: so many that half of the smallest budget is still some. */
const EACH = 1_000_000;
const [FAST, MIDDLE, SLOW] = ['RubatoBudgetBurnsFast', 'RubatoBudgetBurns', 'RubatoBudgetBurnsSlowly'] as const;
const NOT_JUDGED = 'RubatoObjectiveNotJudged';

interface Subject {
  readonly class: string;
  readonly objective: string;
  readonly budget: number;
  readonly isPooled: boolean;
}

export function objectiveCases(classes: readonly ClassSpec[]): readonly Case[] {
  const subjects = classes.flatMap(({ name, objectives = [] }) =>
    objectives.map(({ name: objective, target, kind }): Subject => ({
      class: name,
      objective,
      budget: budgetOf(target),
      isPooled: kind === 'gap_pooled',
    })),
  );
  const [first] = subjects;
  if (first === undefined) return [];
  return [
    ...subjects.flatMap((each) => [burnsFast(each), staysWithin(each)]),
    recovers(first),
    hasLittleTraffic(first),
    burnsSlowly(first),
    isNotJudged(first),
  ];
}

function labelsOf({ class: name, objective }: Subject) {
  return { class: name, objective };
}

function about({ class: name, objective }: Subject): string {
  return `${name} ${objective}`;
}

function series(subject: Subject, met: string, values: string): InputSeries {
  const labels = { class: subject.class, model: 'm', objective: subject.objective, met };
  return { series: select(subject.isPooled ? SLO_GAPS : SLO_EXCHANGES, labels), values };
}

/** So many of each sample miss it, for so many samples. */
function missing(subject: Subject, missed: number, samples: number): InputSeries[] {
  return [
    series(subject, 'false', grows(missed, samples)),
    series(subject, 'true', grows(EACH - missed, samples)),
    series(subject, 'unknown', `0x${samples}`),
  ];
}

/** As Prometheus writes a share: four digits, no zeros behind. */
function percent(missed: number): string {
  return `${Number(((missed / EACH) * 100).toPrecision(4))}%`;
}

/** Half as much again as the fast alert takes, as far as there is so much. */
function burningCount({ budget }: Subject): number {
  const limit = Math.min(BURNS_ANYWAY_RATIO, (BURNS[0]?.factor ?? 1) * budget);
  return Math.ceil(EACH * Math.min((1 + BURNS_ANYWAY_RATIO) / 2, 1.5 * limit));
}

function burnsFast(subject: Subject): Case {
  const missed = burningCount(subject);
  const labels = labelsOf(subject);
  return {
    name: `${about(subject)}: the budget burns fast`,
    series: missing(subject, missed, 90),
    at: '80m',
    fires: [FAST, MIDDLE].map((alert) => ({ alert, labels, says: percent(missed) })),
    quiet: [NOT_JUDGED],
  };
}

function staysWithin(subject: Subject): Case {
  return {
    name: `${about(subject)}: half of the budget is used`,
    series: missing(subject, Math.floor((EACH * subject.budget) / 2), 90),
    at: '80m',
    quiet: [FAST, MIDDLE, SLOW, NOT_JUDGED],
  };
}

function recovers(subject: Subject): Case {
  const missed = burningCount(subject);
  return {
    name: `${about(subject)}: what burnt for an hour is over`,
    series: [
      series(subject, 'false', `${grows(missed, 60)} ${missed * 60}+0x20`),
      series(subject, 'true', grows(EACH - missed, 80)),
    ],
    at: '75m',
    quiet: [FAST],
  };
}

function hasLittleTraffic(subject: Subject): Case {
  return {
    name: `${about(subject)}: one of two missed it in an hour`,
    series: [series(subject, 'false', '0x30 1x60'), series(subject, 'true', '0x20 1x70')],
    at: '80m',
    quiet: [FAST, MIDDLE, SLOW],
  };
}

function burnsSlowly(subject: Subject): Case {
  const missed = Math.ceil(EACH * Math.min(1, 1.5 * subject.budget));
  return {
    name: `${about(subject)}: for half a day half as much again as the budget has`,
    interval: '5m',
    series: missing(subject, missed, 12 * 14),
    at: '12h',
    fires: [{ alert: SLOW, labels: labelsOf(subject), says: percent(missed) }],
    quiet: 1.5 * subject.budget > BURNS_ANYWAY_RATIO ? [] : [FAST, MIDDLE],
  };
}

function isNotJudged(subject: Subject): Case {
  return {
    name: `${about(subject)}: three of four cannot be judged`,
    series: [
      series(subject, 'false', '0x130'),
      series(subject, 'true', grows(EACH / 4, 130)),
      series(subject, 'unknown', grows((EACH / 4) * 3, 130)),
    ],
    at: '2h',
    fires: [{ alert: NOT_JUDGED, labels: labelsOf(subject), says: '75%' }],
    quiet: [FAST, MIDDLE, SLOW],
  };
}
