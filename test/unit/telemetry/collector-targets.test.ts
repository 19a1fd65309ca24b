// Goal: OTLP of others goes where our own exporters would send ours, by the variables of the
// OpenTelemetry specification. Method: environments as literals, files as a table.
import { expect, test } from 'vitest';
import { collectorAddresses } from '../../../src/telemetry/collector-targets.ts';

const FILES: Readonly<Record<string, string>> = { 'ca.pem': 'CA', 'own.pem': 'CERT', 'key.pem': 'KEY' };

function addresses(env: Readonly<Record<string, string>>) {
  return collectorAddresses(env, (path) => FILES[path]);
}

function urls(env: Readonly<Record<string, string>>) {
  const { traces, metrics, logs } = addresses(env);
  return [traces?.url, metrics?.url, logs?.url];
}

test('without an endpoint nothing goes anywhere', () => {
  expect(urls({})).toEqual([undefined, undefined, undefined]);
  expect(urls({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' })).toEqual([undefined, undefined, undefined]);
});

test('the general endpoint gets the path of the signal, a signal endpoint is taken as it is', () => {
  const traces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t:1/custom' };
  expect(urls({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', ...traces })).toEqual([
    'http://t:1/custom',
    'http://c:4318/v1/metrics',
    'http://c:4318/v1/logs',
  ]);
  expect(urls({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c/otlp/' })[2]).toBe('https://c/otlp/v1/logs');
  expect(urls(traces)).toEqual(['http://t:1/custom', undefined, undefined]);
});

test('a gRPC endpoint is an origin', () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4317/ignored', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' };
  expect(addresses(env).traces).toMatchObject({ protocol: 'grpc', url: 'http://c:4317' });
  expect(addresses(env).logs).toMatchObject({ protocol: 'http', url: 'http://c:4317/ignored/v1/logs' });
});

test('a signal that is switched off is not passed on', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c' };
  expect(urls({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' })[0]).toBeUndefined();
  expect(urls({ ...endpoint, OTEL_LOGS_EXPORTER: 'none' })[2]).toBeUndefined();
  expect(urls({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toEqual([undefined, undefined, undefined]);
});

test("headers are the general ones and the signal's own, decoded", () => {
  const { traces, logs } = addresses({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c',
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20abc=, x-a = 1,,broken,=none,x-percent=100%',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-a=2',
  });
  expect(logs?.headers).toEqual({ authorization: 'Basic abc=', 'x-a': '1', 'x-percent': '100%' });
  expect(traces?.headers).toEqual({ authorization: 'Basic abc=', 'x-a': '2', 'x-percent': '100%' });
});

test('time limit and certificates, where a file cannot be read without it', () => {
  const { traces, metrics } = addresses({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c',
    OTEL_EXPORTER_OTLP_TIMEOUT: '2500',
    OTEL_EXPORTER_OTLP_CERTIFICATE: 'ca.pem',
    OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: 'gone.pem',
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: 'own.pem',
    OTEL_EXPORTER_OTLP_CLIENT_KEY: 'key.pem',
  });
  expect([metrics?.timeoutMs, metrics?.tls]).toEqual([2_500, { ca: 'CA', cert: 'CERT', key: 'KEY' }]);
  expect(traces?.tls.ca).toBeUndefined();
  expect(addresses({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c' }).logs?.timeoutMs).toBe(10_000);
});
