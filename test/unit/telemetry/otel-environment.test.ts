// Goal: OTEL_… variables mean what the specification says, and what cannot work is said beforehand.
// Method: environments as plain objects.
import { describe, expect, it } from 'vitest';
import { checkOtelEnvironment, otelPlan, pushesTraces } from '../../../src/telemetry/otel-environment.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
const OFF = { otlp: undefined, console: false };

describe('the plan', () => {
  it('pushes nothing without an endpoint', () => {
    const plan = otelPlan({});
    expect([plan.traces, plan.metrics, pushesTraces(plan)]).toEqual([OFF, OFF, false]);
  });

  it('pushes both signals as protobuf with an endpoint', () => {
    const plan = otelPlan(ENDPOINT);
    const pushed = { otlp: 'http/protobuf', console: false };
    expect([plan.traces, plan.metrics, pushesTraces(plan)]).toEqual([pushed, pushed, true]);
  });

  it('lets a signal have its own endpoint and protocol', () => {
    const plan = otelPlan({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://a/v1/traces',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
    expect([plan.traces.otlp, plan.metrics.otlp]).toEqual(['grpc', undefined]);
    expect(otelPlan({ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }).metrics.otlp).toBe('http/json');
  });

  it('does as the exporter lists say', () => {
    const plan = otelPlan({ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'otlp, console', OTEL_METRICS_EXPORTER: 'none' });
    expect([plan.traces, plan.metrics]).toEqual([{ otlp: 'http/protobuf', console: true }, OFF]);
    expect(otelPlan({ ...ENDPOINT, OTEL_METRICS_EXPORTER: 'prometheus' }).metrics).toEqual(OFF);
  });

  it('takes an empty variable for an unset one, and does nothing when the SDK is disabled', () => {
    expect(otelPlan({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }).traces).toEqual(OFF);
    expect(otelPlan({ ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }).traces).toEqual(OFF);
  });

  it('keeps the time limit of a metric export within its interval', () => {
    const plan = otelPlan({ OTEL_METRIC_EXPORT_INTERVAL: '5000' });
    expect([plan.metricIntervalMs, plan.metricTimeoutMs]).toEqual([5_000, 5_000]);
  });

  it('switches OTLP histograms and the newest names on', () => {
    const plan = otelPlan({
      OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION: 'BASE2_EXPONENTIAL_BUCKET_HISTOGRAM',
      OTEL_SEMCONV_STABILITY_OPT_IN: 'http,gen_ai_latest_experimental',
    });
    expect([plan.exponential, plan.latestGenAiNames]).toEqual([true, true]);
  });
});

describe('faults', () => {
  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, /OTEL_EXPORTER_OTLP_ENDPOINT.*http or https/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'not a url' }, /no URL/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:secret@host' }, /OTEL_EXPORTER_OTLP_HEADERS/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'me:secret@host:4318' }, /OTEL_EXPORTER_OTLP_ENDPOINT.*http or https/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:secret@host:999999' }, /no URL/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'host:4318/?key=secret' }, /http or https/],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/xml' }, /http\/protobuf, http\/json, grpc/],
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, /OTEL_TRACES_EXPORTER is "zipkin"/],
    [{ OTEL_METRICS_EXPORTER: 'otlp' }, /there is no endpoint/],
    [{ OTEL_METRIC_EXPORT_INTERVAL: '1.5s' }, /whole number/],
    [{ OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'delta' }, /cumulative/],
    [{ OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd' }, /gzip, none/],
  ])('%o is one fault', (env, text) => {
    const faults = checkOtelEnvironment(env as unknown as Record<string, string>);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(text);
    expect(faults[0]).not.toContain('secret');
  });

  it('are all told at once', () => {
    expect(checkOtelEnvironment({ OTEL_EXPORTER_OTLP_PROTOCOL: 'x', OTEL_BSP_SCHEDULE_DELAY: 'x' })).toHaveLength(2);
  });

  it('are none in a usual environment, or in one that is switched off', () => {
    expect(
      checkOtelEnvironment({ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_TRACES_EXPORTER: 'otlp' }),
    ).toEqual([]);
    expect(checkOtelEnvironment({ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_PROTOCOL: 'x' })).toEqual([]);
  });
});
