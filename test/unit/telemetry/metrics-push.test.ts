// Goal: metrics reach a collector over the wire as the scrape shows them, and a dead one is counted.
// Method: the real SDK with its JSON exporter; one flush at shutdown.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { METRICS } from '../../../src/measure/table.ts';
import { createMetricFeed } from '../../../src/telemetry/metric-feed.ts';
import { prometheusName } from '../../../src/telemetry/names.ts';
import { otelPlan } from '../../../src/telemetry/otel-environment.ts';
import { renderMetrics } from '../../support/metrics-text.ts';
import { createResource, startOtel } from '../../../src/telemetry/sdk.ts';
import { createMetricStore } from '../../../src/telemetry/store.ts';
import { OtlpCatcher, plainAttributes, type CaughtMetric } from '../../support/otlp-catcher.ts';
import { parsePrometheus, sumOf } from '../../support/prometheus.ts';
import { catchLog, reportOf, tell, usualStream } from './reports.ts';

let catcher: OtlpCatcher;
let environment: NodeJS.ProcessEnv;

beforeEach(async () => {
  environment = process.env;
  catcher = await OtlpCatcher.start();
  process.env = { ...environment, OTEL_EXPORTER_OTLP_ENDPOINT: catcher.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
});

afterEach(async () => {
  await catcher.stop();
  process.env = environment;
});

async function push(streamCount: number) {
  const plan = otelPlan(process.env);
  const store = createMetricStore({
    specs: METRICS,
    known: { class: ['default'] },
    startEpochMs: 1,
    exponential: plan.exponential,
  });
  const log = catchLog();
  const otel = await startOtel({ plan, resource: createResource('1'), store, log, version: '1' });
  const feed = createMetricFeed(store);
  for (let index = 0; index < streamCount; index += 1) tell(feed, reportOf(usualStream(50)));
  await otel.shutdown();
  return { otel, log, samples: parsePrometheus(renderMetrics(store.collect(), {}, 'text')) };
}

const pointsOf = (metric: CaughtMetric | undefined) =>
  (metric?.histogram ?? metric?.sum ?? metric?.gauge)?.dataPoints ?? [];

it('every histogram has the count, sum and buckets of the scrape, every counter its value', async () => {
  const { samples } = await push(7);
  expect(catcher.metrics.length).toBeGreaterThan(10);
  for (const metric of catcher.metrics) {
    for (const { attributes, ...point } of pointsOf(metric)) {
      const labels = plainAttributes(attributes) as Record<string, string>;
      const type = metric.histogram === undefined ? 'counter' : 'histogram';
      const name = prometheusName({ name: metric.name, unit: metric.unit ?? '', type });
      if (type === 'counter') {
        expect([name, Number(point.asInt ?? point.asDouble)]).toEqual([name, sumOf(samples, name, labels)]);
        continue;
      }
      expect(Number(point.count)).toBe(sumOf(samples, `${name}_count`, labels));
      expect(point.sum).toBe(sumOf(samples, `${name}_sum`, labels));
      const total = (point.bucketCounts ?? []).reduce<number>((sum, count) => sum + Number(count), 0);
      expect(total).toBe(sumOf(samples, `${name}_bucket`, { ...labels, le: '+Inf' }));
    }
  }
});

it('histograms are exponential when the environment asks for it', async () => {
  process.env['OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION'] = 'base2_exponential_bucket_histogram';
  await push(1);
  const gap = catcher.metrics.find(({ name }) => name === 'rubato.gap')?.exponentialHistogram?.dataPoints[0];
  expect([gap?.scale, Number(gap?.count)]).toEqual([3, 49]);
});

it('a collector that refuses is counted and told of once', async () => {
  catcher.mood = 400;
  const { otel, log } = await push(1);
  expect(otel.metricTally()).toMatchObject({ failedCount: 1 });
  expect(log.lines.filter(({ message }) => message.startsWith('Export of metrics'))).toHaveLength(1);
});

it('nothing is started and nothing pushed without an endpoint', async () => {
  delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const { otel } = await push(1);
  expect([otel.tracing, otel.spanStats(), catcher.bodyBytes]).toEqual([undefined, undefined, []]);
});
