// Goal: what a panel asks is made of declarations, and what a metric cannot answer is refused where it is asked.
// Method: exact expressions of one declaration of each type, and one wrong question of each kind.
import { describe, expect, test } from 'vitest';
import type { MetricSpec } from '../../../../src/base/metric-spec.ts';
import {
  buckets,
  gauges,
  increases,
  named,
  quantiles,
  rangeQuantiles,
  rates,
  shares,
  sums,
} from '../../../../src/telemetry/grafana/ask.ts';

const SHAPE = { unit: 's', help: '', labels: ['route', 'part'], classed: true } as const;
const HISTOGRAM: MetricSpec = { ...SHAPE, name: 'rubato.h', type: 'histogram', bounds: [1] };
const COUNTER: MetricSpec = {
  ...SHAPE,
  name: 'rubato.c',
  type: 'counter',
  unit: '{x}',
  labels: ['met'],
  classed: false,
};
const GAUGE: MetricSpec = { ...SHAPE, name: 'rubato.g', type: 'gauge', labels: ['gen_ai.token.type'], classed: false };

const OF_HISTOGRAM = 'job=~"$job",instance=~"$instance",class=~"$class",model=~"$model",route=~"$route"';
const OF_TARGET = 'job=~"$job",instance=~"$instance"';

describe('a question', () => {
  test('is filtered by the variables whose labels the metric has', () => {
    expect(quantiles(0.95, HISTOGRAM, ['part']).expr).toBe(
      `histogram_quantile(0.95, sum by (part, le) (rate(rubato_h_seconds_bucket{${OF_HISTOGRAM}}[$__rate_interval])))`,
    );
    expect(rates(COUNTER, []).expr).toBe(`sum by () (rate(rubato_c_total{${OF_TARGET}}[$__rate_interval]))`);
    expect(gauges('max', GAUGE, ['gen_ai.token.type']).expr).toBe(
      `max by (gen_ai_token_type) (rubato_g_seconds{${OF_TARGET}})`,
    );
  });

  test('narrows down by matchers of its own, in the place of a variable', () => {
    expect(increases(COUNTER, ['met'], { met: '=~true|false' }).expr).toBe(
      `sum by (met) (increase(rubato_c_total{${OF_TARGET},met=~"true|false"}[$__range]))`,
    );
    expect(sums(HISTOGRAM, [], { class: 'chat' }).expr).toBe(
      `sum by () (rate(rubato_h_seconds_sum{${OF_TARGET},model=~"$model",route=~"$route",class="chat"}[$__rate_interval]))`,
    );
  });

  test('of a share has no answer where the whole is 0', () => {
    const part = rates(COUNTER, ['met']);
    const whole = rates(COUNTER, []);
    expect(shares(part, part).expr).toBe(`${part.expr}\n/\n(${part.expr} > 0)`);
    expect(shares(part, whole, []).expr).toBe(`${part.expr}\n/ on () group_left ()\n(${whole.expr} > 0)`);
    expect(shares(increases(COUNTER, []), increases(COUNTER, [])).isOfRange).toBe(true);
  });

  test('of buckets brings exemplars, and nothing else does', () => {
    expect(buckets(HISTOGRAM)).toMatchObject({
      expr: `sum by (le) (increase(rubato_h_seconds_bucket{${OF_HISTOGRAM}}[$__rate_interval]))`,
      hasExemplars: true,
      isOfRange: false,
    });
    expect(rangeQuantiles(0.5, HISTOGRAM, [])).toMatchObject({ hasExemplars: true, isOfRange: true });
    expect(rates(HISTOGRAM, []).hasExemplars).toBe(false);
    expect(sums(HISTOGRAM, []).hasExemplars).toBe(false);
  });

  test.each([
    ['a rate of a gauge', () => rates(GAUGE, [])],
    ['an increase of a gauge', () => increases(GAUGE, [])],
    ['a value of now of a counter', () => gauges('sum', COUNTER, [])],
    ['a percentile of a counter', () => quantiles(0.5, COUNTER, [])],
    ['buckets of a gauge', () => buckets(GAUGE)],
    ['a sum of a counter', () => sums(COUNTER, [])],
    ['a label that the metric has not got', () => rates(COUNTER, ['class'])],
    ['a matcher that the metric has not got', () => rates(COUNTER, [], { class: 'chat' })],
    ['a metric that is none', () => named([COUNTER], 'rubato.d')],
  ])('is refused when it is for %s', (_, ask) => {
    expect(ask).toThrow(/^A panel (?:cannot ask|asks)/);
  });

  test('finds a metric by its name', () => {
    expect(named([COUNTER, GAUGE], 'rubato.g')).toBe(GAUGE);
  });
});
