// Goal: a part that cannot change in a running process keeps its value and is named by its keys; all
// others are those that were read.
// Method: pairs of configurations as the loader gives them.
import { expect, test } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import type { KeyName } from '../../../src/config/keys.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { reloaded } from '../../../src/config/reload-scope.ts';

function load(flags: Partial<Record<KeyName, string>> = {}): Config {
  const loaded = loadConfig({
    flags: { upstream: 'http://127.0.0.1:1', ...flags },
    env: {},
    execArgv: [],
    platform: 'linux',
    readFile: () => '',
    checks: [],
  });
  if ('faults' in loaded) throw new Error(loaded.faults.join('\n'));
  return loaded.config;
}

test('nothing changed: nothing is kept, nothing is different', () => {
  expect(reloaded(load(), load())).toEqual({ config: load(), kept: [] });
});

test.each<[KeyName, string, keyof Config, KeyName[]]>([
  ['listen', '127.0.0.1:1234', 'listen', ['listen']],
  ['admin', '127.0.0.1:1234', 'admin', ['admin']],
  ['edge', 'a@127.0.0.1:1234=http://127.0.0.1:4000', 'edges', ['edge']],
  ['peer', 'http://127.0.0.1:9465', 'peer', ['peer']],
  ['relays', '2', 'relayCount', ['relays']],
  ['otlp-listen', '127.0.0.1:4317', 'otlpListen', ['otlp-listen']],
  ['record', '/tmp/records.jsonl', 'record', ['record', 'record-max-bytes']],
])('%s keeps its old value', (key, value, part, kept) => {
  const current = load();
  const result = reloaded(current, load({ [key]: value, 'stall-ms': '321' }));
  expect(result.kept).toEqual(kept);
  expect(result.config[part]).toEqual(current[part]);
  // What else was changed is taken all the same.
  expect(result.config.classes.map(({ stallMs }) => stallMs)).toEqual([321, 321, 321]);
});

test.each<[KeyName, string]>([
  ['upstream', 'http://127.0.0.1:2'],
  ['host-header', 'upstream'],
  ['timeout-idle', '3'],
  ['drain', '4'],
  ['drain-delay', '1'],
  ['class-header', 'x-kind'],
  ['models', 'a'],
  ['prompt-buckets', '10,20'],
  ['output-buckets', '10,20'],
  ['propagate', 'on'],
  ['chunks', 'off'],
  ['engine', 'vllm'],
  ['engine-metrics', 'off'],
  ['engine-metrics-interval', '9'],
  ['gpu-metrics', 'http://127.0.0.1:3/metrics'],
  ['trace-url', 'http://127.0.0.1:4/trace/{traceId}'],
  ['dashboard-url', 'http://127.0.0.1:4/d'],
  ['log-level', 'debug'],
])('%s is taken', (key, value) => {
  const next = load({ [key]: value });
  const { config, kept } = reloaded(load(), next);
  expect([config, kept]).toEqual([next, []]);
  expect(config).not.toEqual(load());
});
