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
  expect(takesPartInTraces({ propagate, otlpListen }, otelPlan(env))).toBe(expected);
});
