// Goal: routes and classes come out as plain configuration in the order in which they are tried, and
// each mistake is one sentence with its place. Method: literal values as a YAML parser gives them.
import { describe, expect, test } from 'vitest';
import type { EngineConfig } from '../../../src/config/config.ts';
import { floorDefaults } from '../../../src/config/floor-place.ts';
import { checkClasses, checkRoutes } from '../../../src/config/structured.ts';
import { readUpstream } from '../../../src/config/values.ts';

const KEY_SHA256 = 'ab'.repeat(32);
const DEFAULTS = { stallMs: 100, promptBucketEdges: [256, 1_024] };

function upstream(text: string) {
  const read = readUpstream(text);
  if ('fault' in read) throw new Error(read.fault);
  return read.value;
}

const UNKNOWN_ENGINE: EngineConfig = { name: undefined, metrics: 'auto', perfMetricsUrl: undefined };

function routes(raw: unknown, upstreamText?: string, engine = UNKNOWN_ENGINE) {
  return checkRoutes(raw, {
    upstream: upstreamText === undefined ? undefined : upstream(upstreamText),
    engine,
    floor: floorDefaults(undefined, {}).value,
  });
}

describe('routes', () => {
  test('keep their order, and the upstream key comes last as default', () => {
    const raw = [
      { name: 'chat', prefix: '/v1/chat', upstream: 'http://a:1' },
      { name: 'eu', host: 'EU.example.com', upstream: 'https://b' },
    ];
    expect(routes(raw, 'http://c:3')).toEqual({
      value: [
        { name: 'chat', prefix: '/v1/chat', host: undefined, upstream: upstream('http://a:1'), engine: UNKNOWN_ENGINE },
        {
          name: 'eu',
          prefix: undefined,
          host: 'eu.example.com',
          upstream: upstream('https://b'),
          engine: UNKNOWN_ENGINE,
        },
        {
          name: 'default',
          prefix: undefined,
          host: undefined,
          upstream: upstream('http://c:3'),
          engine: UNKNOWN_ENGINE,
        },
      ],
      faults: [],
    });
  });

  test('mistakes are told one by one', () => {
    const raw = [
      { name: 'a' },
      { name: 'b c', upstream: 'ftp://x' },
      { name: 'd', prefx: '/d', upstream: 'http://d' },
      5,
    ];
    expect(routes(raw).faults).toEqual([
      'routes[0].upstream: it is missing.',
      'routes[1].name: expected a name of letters, digits, ".", "_" and "-", at most 64 long.',
      'routes[1].upstream: "ftp://x" is not an http:// or https:// URL, such as http://127.0.0.1:8000.',
      'routes[2].prefx: there is no such key. Did you mean "prefix"?',
      'routes[3]: expected keys and values, not "5".',
    ]);
    expect(routes('x').faults).toEqual(['routes: expected a list of routes.']);
  });

  test('names must differ, also from that of the upstream key', () => {
    const raw = ['a', 'a', 'default'].map((name) => ({ name, upstream: 'http://x' }));
    expect(routes(raw, 'http://y').faults).toEqual([
      'routes: the name "a" is used more than once; names must differ.',
      'routes: the name "default" is used more than once; names must differ.',
    ]);
  });

  test('say what engine is behind them, and fall back to the single keys but for their URLs', () => {
    const raw = [
      { name: 'a', upstream: 'http://a:1', engine: 'sglang', engine_metrics: 'http://a:9/metrics#x' },
      { name: 'b', upstream: 'http://b:1', engine_perf_metrics: 'http://b:1/perf_metrics' },
    ];
    const single: EngineConfig = { name: 'vllm', metrics: 'http://c:2/m', perfMetricsUrl: 'http://c:2/p' };
    expect(routes(raw, 'http://c:3', single).value.map(({ engine }) => engine)).toEqual([
      { name: 'sglang', metrics: 'http://a:9/metrics', perfMetricsUrl: undefined },
      { name: 'vllm', metrics: 'auto', perfMetricsUrl: 'http://b:1/perf_metrics' },
      single,
    ]);
    const off = { ...single, metrics: 'off' };
    expect(routes(raw, 'http://c:3', off).value.map(({ engine }) => engine.metrics)).toEqual([
      'http://a:9/metrics',
      'off',
      'off',
    ]);
    expect(routes([{ name: 'a', upstream: 'http://a:1', engine_metrics: 'later' }]).faults).toEqual([
      'routes[0].engine_metrics: "later" is neither auto, off, nor an http:// or https:// URL.',
    ]);
  });

  test('a name that labels fold into is refused', () => {
    expect(routes([{ name: 'other', upstream: 'http://x' }]).faults[0]).toContain('take another name');
  });
});

describe('classes', () => {
  test('configured ones come first in their order, default last', () => {
    const { value, faults } = checkClasses([{ name: 'agents', stall_ms: 250 }, { name: 'batch' }], DEFAULTS);
    expect(faults).toEqual([]);
    expect(value).toEqual([
      { name: 'agents', stallMs: 250, rules: [] },
      { name: 'batch', stallMs: 100, rules: [] },
      { name: 'interactive', stallMs: 100, rules: [] },
      { name: 'default', stallMs: 100, rules: [] },
    ]);
  });

  test('default keeps its place when it is configured', () => {
    const { value } = checkClasses([{ name: 'default', stall_ms: 5 }, { name: 'x' }], DEFAULTS);
    expect(value.map(({ name, stallMs }) => `${name} ${stallMs}`)).toEqual([
      'x 100',
      'interactive 100',
      'batch 100',
      'default 5',
    ]);
  });

  test('rules of every kind are read', () => {
    const match = [
      { header: { name: 'X-Team', equals: 'search' } },
      { header: { name: 'user-agent', prefix: 'curl/' }, path: '/v1/' },
      { model: 'small' },
      { api_key_sha256: KEY_SHA256.toUpperCase() },
      { body: { field: 'priority', equals: 0 } },
    ];
    expect(checkClasses([{ name: 'a', match }], DEFAULTS).value[0]?.rules).toEqual([
      { header: { name: 'x-team', equals: 'search' } },
      { header: { name: 'user-agent', prefix: 'curl/' }, path: '/v1/' },
      { model: 'small' },
      { apiKeySha256: KEY_SHA256 },
      { body: { field: 'priority', equals: 0 } },
    ]);
  });

  test('mistakes are told one by one', () => {
    const match = [
      {},
      { header: { name: 'x' } },
      { hedder: 1 },
      { path: 'v1' },
      { api_key_sha256: 'sk-123' },
      { body: { field: 'a' } },
    ];
    const raw = [
      { name: 'a', match, stall_ms: 0 },
      { name: 'default', match: [{ model: 'x' }] },
    ];
    expect(checkClasses(raw, DEFAULTS).faults).toEqual([
      'classes[0].stall_ms: expected at least 1 ms.',
      'classes[0].match[0]: expected at least one of header, path, model, api_key_sha256, body.',
      'classes[0].match[1].header: expected either "equals" or "prefix".',
      'classes[0].match[2].hedder: there is no such key. Did you mean "header"?',
      'classes[0].match[3].path: expected a path that starts with "/".',
      'classes[0].match[4].api_key_sha256: expected the 64 hex digits of a SHA-256.',
      'classes[0].match[5].body.equals: it is missing.',
      'classes[1]: "default" takes what no rule matches, so it can have no rules.',
    ]);
  });

  test('at most 32, the built-in ones included', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `c${index}` }));
    expect(checkClasses(many(29), DEFAULTS).faults).toEqual([]);
    expect(checkClasses(many(30), DEFAULTS).faults[0]).toContain('33 classes');
  });
});
