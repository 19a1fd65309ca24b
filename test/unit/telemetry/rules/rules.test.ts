// Goal: rules know every configured objective, average nothing, and each alert has a case that fires and one that
// does not. Method: the groups as plain data, taken apart; what they ask for is held against the tables together with
// the panels of dashboards (../grafana/queries.test.ts), and promtool judges them in test/real.
import { describe, expect, test } from 'vitest';
import type { Objective } from '../../../../src/record/objective.ts';
import type { ClassSpec } from '../../../../src/record/traffic-class.ts';
import { ruleFile, ruleTestFile } from '../../../../src/telemetry/rules/files.ts';
import { BUDGET, BURNS, budgetOf, secondsOf } from '../../../../src/telemetry/rules/objectives.ts';
import { quantile, recorded, select } from '../../../../src/telemetry/rules/promql.ts';
import type { AlertingRule, RecordingRule, RuleTest } from '../../../../src/telemetry/rules/rule.ts';
import { ruleGroups } from '../../../../src/telemetry/rules/table.ts';

function objective(name: string, target: number, kind: Objective['kind'] = 'ttft'): Objective {
  return { name, kind, target, limitNs: 1e9 };
}

const CLASSES: readonly ClassSpec[] = [
  { name: 'chat', stallMs: 100, rules: [], objectives: [objective('ttft', 0.95), objective('e2e', 0.999, 'e2e')] },
  { name: 'batch', stallMs: 100, rules: [], objectives: [objective('gap_pooled_p95', 0.6, 'gap_pooled')] },
  { name: 'default', stallMs: 100, rules: [] },
];

const RULES = ruleGroups(CLASSES).flatMap(({ rules }) => rules);
const ALERTS = RULES.filter((rule): rule is AlertingRule => 'alert' in rule);
const RECORDS = RULES.filter((rule): rule is RecordingRule => 'record' in rule);

describe('rules', () => {
  test('average no percentile, and record none of a mean', () => {
    for (const { expr } of RULES) expect(expr).not.toMatch(/\bavg|_sum\b/);
    for (const { record, expr } of RECORDS) {
      expect(/:p\d\d_/.test(record)).toBe(expr.startsWith('histogram_quantile('));
    }
  });

  test('hold a budget of every objective, without dust of binary fractions', () => {
    const budgets = RECORDS.filter(({ record }) => record === BUDGET);
    expect(budgets.map(({ expr, labels }) => [labels?.['class'], labels?.['objective'], expr])).toEqual([
      ['chat', 'ttft', 'vector(0.05)'],
      ['chat', 'e2e', 'vector(0.001)'],
      ['batch', 'gap_pooled_p95', 'vector(0.4)'],
    ]);
    expect(budgetOf(0.9999)).toBe(0.0001);
  });

  test('have names of their own', () => {
    const names = [
      ...ALERTS.map(({ alert }) => alert),
      ...RECORDS.map(({ record, labels }) => `${record} ${JSON.stringify(labels)}`),
    ];
    expect(new Set(names).size).toBe(names.length);
    for (const { record } of RECORDS) expect(record).toMatch(/^[a-z_]+:rubato_[a-z_]+:[a-z0-9_]+$/);
  });

  test('of a configuration without objectives are all but the budgets', () => {
    const without = ruleGroups([]).flatMap(({ rules }) => rules);
    expect(RULES.length - without.length).toBe(3);
  });
});

describe('alerts', () => {
  test('on budgets use up 2, 5 and 10 % of 30 days in their long window', () => {
    const used = BURNS.map(({ factor, long }) => (factor * secondsOf(long)) / secondsOf('30d'));
    expect(used.map((share) => Number(share.toFixed(6)))).toEqual([0.02, 0.05, 0.1]);
    for (const { long, short } of BURNS) expect(secondsOf(long)).toBe(12 * secondsOf(short));
  });

  test('each say how grave they are, what happened and what to do', () => {
    for (const { alert, labels, annotations } of ALERTS) {
      expect(alert).toMatch(/^Rubato[A-Z]/);
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(10);
      expect(annotations.description).toMatch(/\.$/);
    }
  });

  test('each have a case that fires and one that does not', () => {
    const { tests } = ruleTestFile(CLASSES, 'rules.yml') as { tests: readonly RuleTest[] };
    const cases = tests.flatMap(({ alert_rule_test: expected = [] }) => expected);
    const [loud, still] = [true, false].map(
      (fires) => new Set(cases.filter((each) => each.exp_alerts.length > 0 === fires).map((each) => each.alertname)),
    );
    for (const { alert } of ALERTS) {
      expect(loud).toContain(alert);
      expect(still).toContain(alert);
    }
  });
});

describe('files', () => {
  test('for Kubernetes hold the same groups in a PrometheusRule', () => {
    const { groups } = ruleFile(CLASSES, 'prometheus') as { groups: unknown };
    expect(ruleFile(CLASSES, 'kubernetes')).toEqual({
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: { name: 'rubato', labels: { 'app.kubernetes.io/name': 'rubato' } },
      spec: { groups },
    });
  });

  test('of tests name the rules, and every group in its order', () => {
    const file = ruleTestFile(CLASSES, 'rules.yml') as Record<string, unknown>;
    expect(file['rule_files']).toEqual(['rules.yml']);
    expect(file['group_eval_order']).toEqual(ruleGroups(CLASSES).map(({ name }) => name));
  });
});

test('expressions are made of declarations', () => {
  const spec = { name: 'rubato.a.b', type: 'counter', unit: '1', help: '', labels: [], classed: false } as const;
  expect(select(spec)).toBe('rubato_a_b_total');
  expect(select(spec, { met: '=~true|false', thread: '!=main', class: 'a"b' })).toBe(
    'rubato_a_b_total{met=~"true|false",thread!="main",class="a\\"b"}',
  );
  expect(recorded(['class'], spec, 'rate5m')).toBe('class:rubato_a_b:rate5m');
  expect(quantile(0.5, ['class'], { ...spec, type: 'histogram', unit: 's' }, '5m')).toBe(
    'histogram_quantile(0.5, sum by (class, le) (rate(rubato_a_b_seconds_bucket[5m])))',
  );
});
