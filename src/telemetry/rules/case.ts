// A unit test of rules in few words, and what promtool wants of it: the alerts with all labels and texts.
import type { AlertingRule, ExpectedAlert, InputSeries, Rule, RuleTest } from './rule.ts';

/** An alert that fires, and how its value is written where its text has it. */
export interface Fires {
  readonly alert: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly says?: string;
}

export interface Case {
  readonly name: string;
  readonly interval?: string;
  readonly series: readonly InputSeries[];
  readonly at: string;
  readonly fires?: readonly Fires[];
  /** Alerts that do not. */
  readonly quiet?: readonly string[];
  readonly values?: RuleTest['promql_expr_test'];
}

/** A counter that grows by so much with each sample. */
export function grows(by: number, samples: number): string {
  return `0+${by}x${samples}`;
}

export function testOf(given: Case, rules: readonly Rule[]): RuleTest {
  const { name, interval = '1m', series, at, fires = [], quiet = [], values } = given;
  const expected: ExpectedAlert[] = [
    ...[...Map.groupBy(fires, ({ alert }) => alert)].map(([alert, all]) => ({
      alertname: alert,
      eval_time: at,
      exp_alerts: all.map((each) => expectedOf(each, alertNamed(rules, alert))),
    })),
    ...quiet.map((alert) => ({ alertname: alertNamed(rules, alert).alert, eval_time: at, exp_alerts: [] })),
  ];
  return {
    name,
    interval,
    input_series: series,
    ...(expected.length > 0 && { alert_rule_test: expected }),
    ...(values !== undefined && { promql_expr_test: values }),
  };
}

function alertNamed(rules: readonly Rule[], name: string): AlertingRule {
  const found = rules.find((rule) => 'alert' in rule && rule.alert === name);
  if (found === undefined || !('alert' in found)) throw new Error(`There is no alert ${name}.`);
  return found;
}

function expectedOf({ labels = {}, says = '' }: Fires, { labels: own, annotations }: AlertingRule) {
  const written = (template: string): string =>
    template
      .replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? '')
      .replaceAll(/\{\{ \$value[^}]*\}\}/g, says);
  return {
    exp_labels: { ...labels, ...own },
    exp_annotations: {
      summary: written(annotations.summary),
      description: written(annotations.description),
    },
  };
}
