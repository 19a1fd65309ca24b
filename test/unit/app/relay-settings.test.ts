// Goal: relays are told of each route where it leads, which Host it sends, and how traces are sampled.
// Method: small configurations; sampler names and arguments of the OpenTelemetry specification and near misses.
import { describe, expect, test } from 'vitest';
import { relaySettings, samplerSettings } from '../../../src/app/relay-settings.ts';
import { NO_LIMITS } from '../../../src/relay/settings.ts';
import type { Config, HostHeader, RouteConfig, UpstreamAddress } from '../../../src/config/config.ts';

const ADMISSION = {
  maxStreamCount: 10,
  maxConnectionCount: 20,
  maxRssBytes: undefined,
  uploadRateMinBytes: undefined,
};
const TIMEOUTS = { ...NO_LIMITS, connectMs: 1, idleMs: 3 };

function address(
  protocol: 'http:' | 'https:',
  host: string,
  port: number,
  authority = `${host}:${port}`,
): UpstreamAddress {
  return { protocol, host, port, origin: `${protocol}//${authority}` };
}

function routeTo(upstream: UpstreamAddress, changes: Partial<RouteConfig> = {}): RouteConfig {
  const engine = { name: undefined, metrics: 'off', perfMetricsUrl: undefined };
  return { name: 'default', prefix: undefined, host: undefined, upstream, engine, ...changes };
}

function settingsOf(changes: Partial<Config>): ReturnType<typeof relaySettings> {
  const config = {
    hostHeader: 'auto',
    upstreamTls: { caPem: undefined, insecure: false },
    timeouts: TIMEOUTS,
    admission: ADMISSION,
    relayCount: 1,
    routes: [],
    edges: [],
    ...changes,
  } as Partial<Config> as Config;
  return relaySettings(config, undefined, ({ name }) => name.length);
}

test('routes keep name, order and conditions', () => {
  const upstream = address('http:', '127.0.0.1', 8000);
  const { routes, timeLimits, tracing } = settingsOf({
    routes: [routeTo(upstream, { name: 'a', prefix: '/a', host: 'front' }), routeTo(upstream)],
    upstreamTls: { caPem: 'PEM', insecure: true },
  });
  const target = { secure: false, hostname: '127.0.0.1', port: 8000, hostField: undefined, ca: 'PEM', insecure: true };
  expect(routes).toEqual([
    { id: 1, name: 'a', prefix: '/a', host: 'front', upstream: target },
    { id: 7, name: 'default', prefix: undefined, host: undefined, upstream: target },
  ]);
  expect([timeLimits, tracing]).toEqual([TIMEOUTS, undefined]);
});

test('each edge leads to its hop, whatever is asked for, under a name that no route can have', () => {
  const listen = { host: '127.0.0.1', port: 8081 };
  const gateway = address('https:', 'gateway', 4000);
  const { edges } = settingsOf({
    hostHeader: 'preserve',
    edges: [
      { name: 'ab', listen, upstream: gateway, hostHeader: undefined },
      { name: 'c', listen, upstream: gateway, hostHeader: 'upstream' },
    ],
  });
  const upstream = { secure: true, hostname: 'gateway', port: 4000, ca: undefined, insecure: false };
  expect(edges).toEqual([
    { id: 7, name: 'edge:ab', prefix: undefined, host: undefined, upstream: { ...upstream, hostField: undefined } },
    { id: 6, name: 'edge:c', prefix: undefined, host: undefined, upstream: { ...upstream, hostField: 'gateway:4000' } },
  ]);
});

test('the sampler is passed on as it is', () => {
  const sampler = samplerSettings({});
  const config = {
    routes: [],
    edges: [],
    timeouts: TIMEOUTS,
    admission: ADMISSION,
    relayCount: 1,
  } as unknown as Config;
  expect(relaySettings(config, sampler, () => 0).tracing).toBe(sampler);
});

describe('the Host that goes to the engine', () => {
  const plain = address('http:', 'engine', 8000);
  const secure = address('https:', 'api.test', 443);

  test.each<[HostHeader, UpstreamAddress, string | undefined]>([
    ['auto', plain, undefined],
    ['auto', secure, 'api.test'],
    ['auto', address('https:', 'api.test', 8443), 'api.test:8443'],
    ['preserve', plain, undefined],
    ['preserve', secure, undefined],
    ['upstream', plain, 'engine:8000'],
    ['upstream', secure, 'api.test'],
    ['upstream', address('http:', 'engine', 80), 'engine'],
    ['upstream', address('http:', '::1', 8000, '[::1]:8000'), '[::1]:8000'],
  ])('by "%s" to $origin', (hostHeader, upstream, hostField) => {
    const [route] = settingsOf({ hostHeader, routes: [routeTo(upstream)] }).routes;
    expect(route?.upstream).toMatchObject({
      secure: upstream.protocol === 'https:',
      hostname: upstream.host,
      port: upstream.port,
      hostField,
    });
  });
});

describe('the sampler', () => {
  test.each([
    ['always_on', 'always_on', false],
    ['always_off', 'always_off', false],
    ['traceidratio', 'traceidratio', false],
    ['parentbased_always_on', 'always_on', true],
    ['parentbased_always_off', 'always_off', true],
    ['parentbased_traceidratio', 'traceidratio', true],
    [' ParentBased_TraceIdRatio ', 'traceidratio', true],
  ] as const)('%s', (name, root, parentBased) => {
    expect(samplerSettings({ OTEL_TRACES_SAMPLER: name })).toEqual({ root, parentBased, ratio: 1 });
  });

  test.each([
    undefined,
    '',
    '  ',
    'jaeger_remote',
    'parentbased_',
    'parentbased_xray',
    'on',
    'always_on_',
    'xalways_off',
  ])('of the name %j is the specification’s default', (name) => {
    expect(samplerSettings({ OTEL_TRACES_SAMPLER: name })).toEqual({ root: 'always_on', parentBased: true, ratio: 1 });
  });

  test.each([
    ['0', 0],
    ['0.25', 0.25],
    [' 1e-3 ', 0.001],
    ['1', 1],
    ['', 1],
    ['  ', 1],
    ['-0.1', 1],
    ['1.1', 1],
    ['half', 1],
    ['NaN', 1],
    ['Infinity', 1],
    [undefined, 1],
  ])('with the argument %j has the ratio %s', (argument, ratio) => {
    expect(samplerSettings({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: argument }).ratio).toBe(
      ratio,
    );
  });
});

test('each relay gets its share of streams and connections, and never less than one', () => {
  const admission = { ...ADMISSION, maxRssBytes: 1_000, uploadRateMinBytes: 1 };
  expect(settingsOf({ admission, relayCount: 3 }).admission).toEqual({
    maxStreamCount: 4,
    maxConnectionCount: 7,
    maxRssBytes: 1_000,
    uploadRateMinBytes: 1,
  });
  expect(settingsOf({ admission: { ...ADMISSION, maxStreamCount: 1 }, relayCount: 64 }).admission.maxStreamCount).toBe(
    1,
  );
});
