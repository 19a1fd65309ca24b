// Goal: the text of a scrape is exactly what the two formats prescribe.
// Method: whole documents compared, from a store with few series.
import { describe, expect, it } from 'vitest';
import type { MetricSpec } from '../../../src/base/metric-spec.ts';
import { negotiateFormat } from '../../../src/telemetry/prometheus.ts';
import { renderMetrics } from '../../support/metrics-text.ts';
import { createMetricStore, type MetricStore } from '../../../src/telemetry/store.ts';

const WAIT: MetricSpec = {
  name: 'rubato.wait',
  type: 'histogram',
  unit: 's',
  help: 'A "wait"\nwith \\.',
  labels: [],
  classed: false,
  bounds: [0.00001, 1],
};
const ENDS: MetricSpec = {
  name: 'rubato.ends',
  type: 'counter',
  unit: '{end}',
  help: 'Ends.',
  labels: ['reason', 'error.type'],
  classed: false,
};

function filled(): MetricStore {
  const store = createMetricStore({ specs: [WAIT, ENDS], known: {}, startEpochMs: 1 });
  store.histogram(WAIT, {}).record(500_000_000);
  store.histogram(WAIT, {}).record(10_000, { traceId: 'abc', spanId: 'def' });
  store.counter(ENDS, { reason: 'b"\\\n', 'error.type': '500' }).add(2);
  store.counter(ENDS, { reason: 'a' }).add(1);
  return store;
}

const families = () =>
  filled()
    .collect()
    .filter(({ spec }) => spec === WAIT || spec === ENDS);

describe('classic text', () => {
  it('has metadata once a metric, escaped labels, and series in a fixed order', () => {
    expect(renderMetrics(families(), { 'service.name': 'rubato', a: 'x"y' }, 'text')).toBe(
      [
        '# HELP target_info Attributes of this process.',
        '# TYPE target_info gauge',
        'target_info{a="x\\"y",service_name="rubato"} 1',
        '# HELP rubato_wait_seconds A "wait"\\nwith \\\\.',
        '# TYPE rubato_wait_seconds histogram',
        'rubato_wait_seconds_bucket{le="1e-05"} 1',
        'rubato_wait_seconds_bucket{le="1"} 2',
        'rubato_wait_seconds_bucket{le="+Inf"} 2',
        'rubato_wait_seconds_sum 0.50001',
        'rubato_wait_seconds_count 2',
        '# HELP rubato_ends_total Ends.',
        '# TYPE rubato_ends_total counter',
        'rubato_ends_total{reason="a"} 1',
        'rubato_ends_total{reason="b\\"\\\\\\n",error_type="500"} 2',
        '',
      ].join('\n'),
    );
  });
});

describe('OpenMetrics', () => {
  const text = renderMetrics(families(), {}, 'openmetrics').replace(/ \d+\.\d{3}$/m, ' TIME');

  it('names units, bounds with a point, counters without their suffix, and ends with its mark', () => {
    expect(text.split('\n')).toEqual([
      '# HELP target Attributes of this process.',
      '# TYPE target info',
      'target_info 1',
      '# HELP rubato_wait_seconds A \\"wait\\"\\nwith \\\\.',
      '# TYPE rubato_wait_seconds histogram',
      '# UNIT rubato_wait_seconds seconds',
      'rubato_wait_seconds_bucket{le="1e-05"} 1 # {trace_id="abc",span_id="def"} 0.00001 TIME',
      'rubato_wait_seconds_bucket{le="1.0"} 2',
      'rubato_wait_seconds_bucket{le="+Inf"} 2',
      'rubato_wait_seconds_sum 0.50001',
      'rubato_wait_seconds_count 2',
      '# HELP rubato_ends Ends.',
      '# TYPE rubato_ends counter',
      'rubato_ends_total{reason="a"} 1',
      'rubato_ends_total{reason="b\\"\\\\\\n",error_type="500"} 2',
      '# EOF',
      '',
    ]);
  });
});

describe('bounds', () => {
  // As strconv.FormatFloat(bound, 'g', -1, 64) of Go writes them.
  const BOUNDS = [0, 0.000025, 0.0001, 0.25, 1, 262_144, 999_999, 1_000_000, 1_048_576, 67_108_864];
  it.each([
    ['text', '0 2.5e-05 0.0001 0.25 1 262144 999999 1e+06 1.048576e+06 6.7108864e+07 +Inf'],
    ['openmetrics', '0.0 2.5e-05 0.0001 0.25 1.0 262144.0 999999.0 1e+06 1.048576e+06 6.7108864e+07 +Inf'],
  ] as const)(
    'are written in %s as Go writes them, so that a series is one by whichever way it came',
    (format, told) => {
      const sizes: MetricSpec = { ...WAIT, name: 'rubato.sizes', unit: '{token}', perUnit: 1e6, bounds: BOUNDS };
      const store = createMetricStore({ specs: [sizes], known: {}, startEpochMs: 1 });
      store.histogram(sizes, {}).record(1);
      const text = renderMetrics(store.collect(), {}, format);
      expect([...text.matchAll(/le="([^"]+)"/g)].map(([, bound]) => bound).join(' ')).toBe(told);
    },
  );
});

describe('negotiation', () => {
  it.each([
    [undefined, 'text'],
    ['*/*', 'text'],
    ['text/plain', 'text'],
    ['application/openmetrics-text; version=1.0.0', 'openmetrics'],
    ['application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1', 'openmetrics'],
    ['application/openmetrics-text;q=0.2, text/plain;q=0.9', 'text'],
    ['application/openmetrics-text;q=0', 'text'],
    ['text/html,application/xhtml+xml', 'text'],
  ] as const)('%s gets %s', (accept, format) => {
    expect(negotiateFormat(accept)).toBe(format);
  });
});
