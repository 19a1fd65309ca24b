// Goal: no panel and no rule asks for what rubato has not got, or in a way that says nothing. Method: every expression
// is read by the grammar of Prometheus's editor, and its names, labels and functions are held against the tables.
import { describe, expect, test } from 'vitest';
import type { Objective } from '../../../../src/record/objective.ts';
import type { ClassSpec } from '../../../../src/record/traffic-class.ts';
import { ruleGroups } from '../../../../src/telemetry/rules/table.ts';
import { ALL_METRICS, sampleKinds } from '../../../support/metric-samples.ts';
import { panelQueries } from '../../../support/panel-queries.ts';
import { readPromql, type Selector } from '../../../support/promql.ts';

function objective(name: string, kind: Objective['kind']): Objective {
  return { name, kind, target: 0.95, limitNs: 1e9 };
}

const CLASSES: readonly ClassSpec[] = [
  {
    name: 'chat',
    stallMs: 100,
    rules: [],
    objectives: [objective('ttft', 'ttft'), objective('gap_pooled_p95', 'gap_pooled'), objective('valid', 'valid')],
  },
];

const RULES = ruleGroups(CLASSES).flatMap(({ name, rules }) =>
  rules.map((rule) => ({ where: `${name}: ${'alert' in rule ? rule.alert : rule.record}`, ...rule })),
);
const RECORDS = new Set(RULES.flatMap((rule) => ('record' in rule ? [rule.record] : [])));
const PANELS = panelQueries({}, CLASSES).map(({ dashboard, panel, legend, expr }) => ({
  where: `${dashboard}, ${panel}, ${legend}`,
  expr,
}));
const QUERIES = [...RULES, ...PANELS].map(({ where, expr }) => ({ where, expr, query: readPromql(expr) }));
const KINDS = sampleKinds();

/** Labels of a recorded series stand before its metric: `class_objective:…`. Rules may give it more. */
function labelsOf({ metric }: Selector): ReadonlySet<string> {
  const kind = KINDS.get(metric);
  if (kind !== undefined) return kind.labels;
  const [labels = ''] = metric.split(':');
  return new Set(
    labels
      .replaceAll('prompt_bucket', 'prompt-bucket')
      .split('_')
      .map((label) => label.replace('-', '_')),
  );
}

describe('every expression of a panel and of a rule', () => {
  test('is PromQL', () => {
    for (const { where, query } of QUERIES) expect(query.faults, where).toEqual([]);
    expect(QUERIES.length).toBeGreaterThan(250);
  });

  test('asks for metrics that rubato has, or that a rule records', () => {
    for (const { where, query } of QUERIES) {
      for (const { metric } of query.selectors)
        expect(KINDS.has(metric) || RECORDS.has(metric), `${where}: ${metric}`).toBe(true);
    }
  });

  test('matches and groups by labels that the metric has', () => {
    for (const { where, query } of QUERIES) {
      for (const selector of query.selectors) {
        for (const label of selector.labels)
          expect(labelsOf(selector), `${where}: ${selector.metric}`).toContain(label);
      }
      for (const { labels, of } of query.groupings) {
        const has = of.map(labelsOf);
        expect(
          labels.filter((label) => has.some((known) => !known.has(label))),
          where,
        ).toEqual([]);
      }
    }
  });

  test('takes the rate of counters, and of nothing else', () => {
    for (const { where, query } of QUERIES) {
      for (const { metric, over } of query.selectors) {
        const kind = KINDS.get(metric);
        if (kind === undefined || query.functions.includes('absent')) continue;
        const isRate = over === 'rate' || over === 'increase';
        expect(isRate, `${where}: ${metric}`).toBe(kind.isCounter);
      }
    }
  });

  test('averages nothing', () => {
    for (const { where, query } of QUERIES) {
      expect(
        query.functions.filter((name) => name.startsWith('avg') || name === 'quantile'),
        where,
      ).toEqual([]);
    }
  });

  test('takes a percentile of buckets that are summed, never of percentiles', () => {
    for (const { where, expr, query } of QUERIES) {
      const count = query.functions.filter((name) => name === 'histogram_quantile').length;
      const summed = [...expr.matchAll(/histogram_quantile\(0\.\d+, sum by \((?:\w+, )*le\) \((?:rate|increase)\(/g)];
      expect(summed.length, where).toBe(count);
    }
  });
});

describe('the panels', () => {
  test('show every metric that rubato has', () => {
    const shown = new Set(
      PANELS.flatMap(({ expr }) => readPromql(expr).selectors.map(({ metric }) => KINDS.get(metric)?.spec)),
    );
    expect(ALL_METRICS.filter((spec) => !shown.has(spec)).map(({ name }) => name)).toEqual([]);
  });

  test('narrow every metric down to the job and the instance that are chosen', () => {
    for (const { where, expr } of PANELS) {
      for (const { metric, labels } of readPromql(expr).selectors) {
        if (!RECORDS.has(metric))
          expect(labels, `${where}: ${metric}`).toEqual(expect.arrayContaining(['job', 'instance']));
      }
    }
  });

  test('leave no variable of Grafana in what is asked for in a test', () => {
    for (const { where, expr } of PANELS) expect(expr, where).not.toContain('$');
  });

  test('show no mean that does not stand beside percentiles of the same', () => {
    const byPanel = Map.groupBy(panelQueries(), ({ dashboard, panel }) => `${dashboard}, ${panel}`);
    for (const [panel, queries] of byPanel) {
      const isMean = queries.some(({ expr }) => expr.includes('_sum{') || expr.includes('window_mean'));
      if (isMean)
        expect(
          queries.some(({ expr }) => expr.startsWith('histogram_quantile(')),
          panel,
        ).toBe(true);
    }
  });
});

describe('the reader of PromQL', () => {
  test('finds what is wrong', () => {
    expect(readPromql('sum by (class) (rate(a_total[5m])').faults).not.toEqual([]);
    expect(readPromql('rate(a_total[$__rate_interval])').faults).not.toEqual([]);
    expect(readPromql('sum by (class) (rate(a_total[5m]))').faults).toEqual([]);
  });

  test('tells what is asked for, of which labels, by which function', () => {
    const bucket = { text: 'a_bucket{b=~"c",d!="e"}', metric: 'a_bucket', labels: ['b', 'd'], over: 'rate' };
    const f = { text: 'f', metric: 'f', labels: [] };
    expect(
      readPromql('sum by (x, le) (rate(a_bucket{b=~"c",d!="e"}[5m])) / on (x) group_left () max by (x) (f)'),
    ).toEqual({
      faults: [],
      functions: ['sum', 'rate', 'max'],
      selectors: [bucket, f],
      groupings: [
        { labels: ['x', 'le'], of: [bucket] },
        { labels: ['x'], of: [f] },
      ],
    });
  });
});
