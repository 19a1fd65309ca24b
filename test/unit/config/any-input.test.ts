// Goal: whatever stands in flags, environment and YAML, the loader neither throws nor stays silent: it gives a
// configuration that nobody can change, or says in sentences what is wrong, each with the place where it stands.
// Method: random values for random keys, from all three places, among good ones; random text as a file.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { envName, flagName, KEY_NAMES, type KeyName } from '../../../src/config/keys.ts';
import { loadConfig, type Loaded } from '../../../src/config/load.ts';
import type { FlagValue } from '../../../src/config/sources.ts';
import { checkOtelEnvironment } from '../../../src/telemetry/otel-environment.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from '../../support/fuzz.ts';

const FILE = 'rubato.yaml';
const UPSTREAM = 'http://127.0.0.1:8000';

interface Given {
  readonly flags: Partial<Record<KeyName, FlagValue>>;
  readonly env: Record<string, string>;
  readonly yaml: string | undefined;
}

function load({ flags, env, yaml }: Given): Loaded {
  const readFile = (path: string): string => {
    if (path === FILE && yaml !== undefined) return yaml;
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
  };
  const withFile = yaml === undefined ? flags : { ...flags, config: FILE };
  return loadConfig({
    flags: withFile,
    env,
    readFile,
    execArgv: [],
    platform: 'linux',
    checks: [checkOtelEnvironment],
  });
}

/** What people and accidents write: near misses of every kind of value, and anything. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('on', 'off', 'auto', 'true', '0', '-1', '1e999', 'NaN', '0x10', '1KiB', '99999999999GiB', '١٢'),
  fc.constantFrom(UPSTREAM, 'https://user:pass@host', 'http://[::1]:99999', 'ftp://x', '//x', 'http://', 'localhost'),
  fc.constantFrom('127.0.0.1:0', ':8080', '[::]:8080', '0.0.0.0', 'host:port', '::1:80', 'a,b,,c', ' x ', '\u0000'),
  fc.constantFrom('__proto__', 'constructor', 'toString', '${HOME}', '!!js/function', 'debug', 'all', 'kept'),
  fc.double().map(String),
);
const keyName = fc.constantFrom(...KEY_NAMES);
const flagValue: fc.Arbitrary<FlagValue> = fc.oneof(text, fc.array(text, { maxLength: 4 }), fc.constant(true as const));
const plainYaml = fc.oneof(text, fc.jsonValue({ maxDepth: 3 }), fc.integer(), fc.boolean());

const route = fc.record(
  { name: plainYaml, prefix: plainYaml, host: plainYaml, upstream: fc.oneof(fc.constant(UPSTREAM), plainYaml) },
  { requiredKeys: [] },
);
const rule = fc.dictionary(fc.constantFrom('header', 'path', 'model', 'body', 'key', 'other'), plainYaml, {
  maxKeys: 3,
});
const kind = fc.record(
  { name: plainYaml, stall_ms: plainYaml, match: fc.oneof(fc.array(rule, { maxLength: 3 }), plainYaml) },
  { requiredKeys: [] },
);
const yamlKey = fc.oneof(keyName, fc.constantFrom('routes', 'classes', 'upstreem', '__proto__', ''), fc.string());
const yamlText = fc.oneof(
  { weight: 3, arbitrary: fc.dictionary(yamlKey, plainYaml, { maxKeys: 6 }).map((value) => stringify(value)) },
  {
    weight: 3,
    arbitrary: fc
      .record({
        routes: fc.oneof(fc.array(route, { maxLength: 4 }), plainYaml),
        classes: fc.array(kind, { maxLength: 3 }),
      })
      .map((value) => stringify(value)),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'a: &a [*a]',
      'a: *b',
      '- 1',
      '{',
      'listen: [',
      '? x',
      '%YAML 9\n---',
      '\uFEFFlisten: 1',
      'a: 1\na: 2',
    ),
  },
);

const given: fc.Arbitrary<Given> = fc.record({
  flags: fc.dictionary(keyName, flagValue, { maxKeys: 4 }).map((flags) => ({ ...flags }) as Given['flags']),
  env: fc.dictionary(
    fc.oneof(keyName.map(envName), fc.constantFrom('RUBATO_LISTE', 'OTEL_BSP_SCHEDULE_DELAY', 'OTEL_TRACES_SAMPLER')),
    text,
    { maxKeys: 4 },
  ),
  yaml: fc.option(yamlText, { nil: undefined }),
});

function expectDecent(loaded: Loaded): void {
  if (!('faults' in loaded)) {
    expect(Object.isFrozen(loaded.config)).toBe(true);
    expect(loaded.config.routes.length).toBeGreaterThan(0);
    return;
  }
  expect(loaded.faults.length).toBeGreaterThan(0);
  for (const fault of loaded.faults) {
    // One line each, and short: they are listed one below the other.
    expect(fault).toMatch(/^[^\n\r]{5,600}$/);
    expect(fault).not.toMatch(/\[object|undefined is not|Cannot read|TypeError/);
  }
}

describe('any input', () => {
  test(
    'is loaded, or refused in sentences',
    () => {
      fc.assert(
        fc.property(given, (input) => expectDecent(load(input))),
        fuzz(3_000),
      );
    },
    FUZZ_TIMEOUT_MS,
  );

  test(
    'with an upstream and one more key is refused for that key or not at all',
    () => {
      fc.assert(
        fc.property(
          keyName.filter((name) => name !== 'upstream' && name !== 'config'),
          flagValue,
          (name, value) => {
            const loaded = load({ flags: { upstream: UPSTREAM, [name]: value }, env: {}, yaml: undefined });
            expectDecent(loaded);
            if ('faults' in loaded) expect(loaded.faults.join('\n')).toContain(flagName(name));
          },
        ),
        fuzz(3_000),
      );
    },
    FUZZ_TIMEOUT_MS,
  );

  test(
    'names every fault at once: what is wrong alone is wrong among others',
    () => {
      fc.assert(
        fc.property(
          fc.uniqueArray(fc.tuple(keyName, text), { minLength: 2, maxLength: 5, selector: ([name]) => name }),
          (pairs) => {
            const readers = (entries: typeof pairs): readonly string[] => {
              const loaded = load({
                flags: { upstream: UPSTREAM, ...Object.fromEntries(entries) },
                env: {},
                yaml: undefined,
              });
              return 'faults' in loaded ? loaded.faults : [];
            };
            const together = readers(pairs);
            for (const pair of pairs) {
              // A value that no reader takes; faults between keys may differ with the others.
              for (const fault of readers([pair])) {
                if (fault.startsWith(`${flagName(pair[0])}: `)) expect(together).toContain(fault);
              }
            }
          },
        ),
        fuzz(1_000),
      );
    },
    FUZZ_TIMEOUT_MS,
  );
});
