// Goal: the engine gets a traceparent of ours exactly when somebody sees our spans, when its own spans
// come to us, or when it was asked for. Method: the decision for each pair of settings.
import { expect, test } from 'vitest';
import { takesPartInTraces } from '../../../src/app/outlets.ts';
import type { Propagation } from '../../../src/config/config.ts';
import { otelPlan } from '../../../src/telemetry/otel-environment.ts';

const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
const LISTEN = { host: '127.0.0.1', port: 4317 };

test.each<[Propagation, Record<string, string>, typeof LISTEN | undefined, boolean]>([
  ['auto', {}, undefined, false],
  ['auto', COLLECTOR, undefined, true],
  ['auto', {}, LISTEN, true],
  ['auto', { ...COLLECTOR, OTEL_TRACES_EXPORTER: 'none' }, undefined, false],
  ['auto', { ...COLLECTOR, OTEL_TRACES_EXPORTER: 'none' }, LISTEN, true],
  ['off', COLLECTOR, LISTEN, false],
  ['on', {}, undefined, true],
])('propagate %s, environment %j, listener %j: %s', (propagate, env, otlpListen, expected) => {
  const config = { propagate, otlpListen, edges: [], peer: undefined };
  expect(takesPartInTraces(config, otelPlan(env))).toBe(expected);
});

test('an edge or a peer is reason enough: both sides of a hop are found by the trace', () => {
  const place = { host: '127.0.0.1', port: 4000 };
  const upstream = { ...place, protocol: 'http:', origin: 'http://127.0.0.1:4000' } as const;
  const edges = [{ name: 'gateway', listen: place, upstream, hostHeader: undefined }];
  const config = { propagate: 'auto', otlpListen: undefined, edges: [], peer: undefined } as const;
  const takes = (changes: object): boolean => takesPartInTraces({ ...config, ...changes }, otelPlan({}));
  expect(takes({ edges })).toBe(true);
  expect(takes({ peer: { name: 'gateway', admin: upstream } })).toBe(true);
  expect(takes({ edges, propagate: 'off' })).toBe(false);
});
