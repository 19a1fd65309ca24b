// The files that rules come in: for Prometheus itself, for its operator in Kubernetes, and their unit tests for
// promtool. As plain data that is yet to be written.
import type { ClassSpec } from '../../record/traffic-class.ts';
import { testOf } from './case.ts';
import { FIXED_CASES } from './fixed-cases.ts';
import { objectiveCases } from './objective-cases.ts';
import { ruleGroups } from './table.ts';

export const RULE_FORMATS = ['prometheus', 'kubernetes'] as const;
export type RuleFormat = (typeof RULE_FORMATS)[number];

export function ruleFile(classes: readonly ClassSpec[], format: RuleFormat): object {
  const groups = ruleGroups(classes);
  if (format === 'prometheus') return { groups };
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'rubato', labels: { 'app.kubernetes.io/name': 'rubato' } },
    spec: { groups },
  };
}

/** `ruleFileName`: where the rules are, beside the tests. promtool reads the form of Prometheus only. */
export function ruleTestFile(classes: readonly ClassSpec[], ruleFileName: string): object {
  const groups = ruleGroups(classes);
  const rules = groups.flatMap((group) => group.rules);
  return {
    rule_files: [ruleFileName],
    evaluation_interval: '5m',
    // Groups build on each other, and promtool evaluates them in no order of its own.
    group_eval_order: groups.map(({ name }) => name),
    tests: [...objectiveCases(classes), ...FIXED_CASES].map((each) => testOf(each, rules)),
  };
}
