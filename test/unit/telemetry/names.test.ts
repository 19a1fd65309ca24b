// Goal: one Prometheus name a metric, whichever way it came.
// Method: names as the translation `UnderscoreEscapingWithSuffixes` makes them, written out.
import { expect, it } from 'vitest';
import type { MetricSpec } from '../../../src/base/metric-spec.ts';
import { createGenAiFeed } from '../../../src/telemetry/gen-ai-feed.ts';
import { OWN_METRICS } from '../../../src/telemetry/metric-table.ts';
import { knownMethod, prometheusLabel, prometheusName, routeOf } from '../../../src/telemetry/names.ts';

const name = (otlp: string, unit: string, type: MetricSpec['type']): string =>
  prometheusName({ name: otlp, unit, type });

it.each([
  ['rubato.ttft', 's', 'histogram', 'rubato_ttft_seconds'],
  ['rubato.ttft.part', 's', 'histogram', 'rubato_ttft_part_seconds'],
  ['rubato.exchanges', '{exchange}', 'counter', 'rubato_exchanges_total'],
  ['rubato.self.cpu', 's', 'counter', 'rubato_self_cpu_seconds_total'],
  ['rubato.total.bytes', 'By', 'counter', 'rubato_bytes_total'],
  ['rubato.active', '{exchange}', 'gauge', 'rubato_active'],
  ['rubato.share', '1', 'gauge', 'rubato_share_ratio'],
  ['rubato.gpu.power', 'W', 'gauge', 'rubato_gpu_power_watts'],
  ['rubato.one', '1', 'counter', 'rubato_one_total'],
  ['gen_ai.server.time_to_first_token', 's', 'histogram', 'gen_ai_server_time_to_first_token_seconds'],
  ['gen_ai.client.token.usage', '{token}', 'histogram', 'gen_ai_client_token_usage'],
] as const)('%s in %s as a %s is %s', (otlp, unit, type, expected) => {
  expect(name(otlp, unit, type)).toBe(expected);
});

it('no two metrics share a Prometheus name', () => {
  const genAi = createGenAiFeed({ provider: 'x', clientMetrics: 'v1.41' });
  const names = [...OWN_METRICS, ...genAi.specs].map(prometheusName);
  expect(new Set(names).size).toBe(names.length);
});

it('no metric has a unit by the second, of which translators would make a suffix that its name lacks', () => {
  const genAi = createGenAiFeed({ provider: 'x', clientMetrics: 'v1.41' });
  expect([...OWN_METRICS, ...genAi.specs].filter(({ unit }) => unit.includes('/'))).toEqual([]);
});

it('labels keep letters and digits and begin with no digit', () => {
  expect([prometheusLabel('gen_ai.operation.name'), prometheusLabel('error.type'), prometheusLabel('2x')]).toEqual([
    'gen_ai_operation_name',
    'error_type',
    'key_2x',
  ]);
});

it('a known path behind a prefix is its route, and any other path is none', () => {
  expect(routeOf('/team-a/v1/chat/completions')).toEqual({ route: '/v1/chat/completions', operation: 'chat' });
  expect(routeOf('/v1/completions')?.operation).toBe('text_completion');
  expect(routeOf('/secret/customer/17')).toBeUndefined();
});

it('a method that the conventions do not know is _OTHER', () => {
  expect([knownMethod('POST'), knownMethod('PROPFIND')]).toEqual(['POST', '_OTHER']);
});
