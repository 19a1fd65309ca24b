// Goal: the loader prefers flag over environment over YAML over default, names every fault at once
// with the place it stands, and gives a configuration nobody can change.
// Method: the loader is called with literal flags, variables and an in-memory file system.
import { rootCertificates } from 'node:tls';
import { describe, expect, test } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import { envName, KEY_NAMES, keySpec } from '../../../src/config/keys.ts';
import { loadConfig, type LoadInput, type Loaded } from '../../../src/config/load.ts';

const UPSTREAM = 'http://127.0.0.1:8000';

function load(input: Partial<LoadInput> & { files?: Record<string, string> } = {}): Loaded {
  const { files = {}, ...rest } = input;
  const readFile = (path: string): string => {
    const text = files[path];
    if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    return text;
  };
  return loadConfig({ flags: {}, env: {}, readFile, execArgv: [], platform: 'linux', checks: [], ...rest });
}

function configOf(loaded: Loaded): Config {
  if ('faults' in loaded) throw new Error(loaded.faults.join('\n'));
  return loaded.config;
}

function faultsOf(loaded: Loaded): readonly string[] {
  return 'faults' in loaded ? loaded.faults : [];
}

function withYaml(text: string, input: Partial<LoadInput> = {}): Loaded {
  return load({ ...input, flags: { config: 'rubato.yaml', ...input.flags }, files: { 'rubato.yaml': text } });
}

describe('defaults', () => {
  test('an upstream is enough', () => {
    expect(configOf(load({ flags: { upstream: UPSTREAM } }))).toEqual({
      listen: { host: '127.0.0.1', port: 8080 },
      admin: { host: '127.0.0.1', port: 9464 },
      adminAllowHosts: [],
      routes: [
        {
          name: 'default',
          prefix: undefined,
          host: undefined,
          upstream: { protocol: 'http:', host: '127.0.0.1', port: 8000, origin: UPSTREAM },
          engine: { name: undefined, metrics: 'auto', perfMetricsUrl: undefined },
        },
      ],
      edges: [],
      peer: undefined,
      engineMetricsIntervalMs: 5_000,
      gpuMetricsUrl: undefined,
      hostHeader: 'auto',
      upstreamTls: { caPem: undefined, insecure: false },
      timeouts: {
        connectMs: undefined,
        headMs: undefined,
        idleMs: undefined,
        totalMs: undefined,
        clientStallMs: undefined,
        uploadStallMs: undefined,
      },
      admission: {
        maxStreamCount: 10_000,
        maxConnectionCount: 20_000,
        maxRssBytes: 'auto',
        uploadRateMinBytes: 1_024,
      },
      turns: undefined,
      listenTls: undefined,
      http2: false,
      relayCount: 1,
      drainDelayMs: 0,
      drainMs: 25_000,
      propagate: 'auto',
      otlpListen: undefined,
      evidenceWaitMs: 2_000,
      record: undefined,
      captureText: false,
      chunks: 'all',
      chunksAs: 'arrays',
      keepSlowMs: 2_000,
      genAiProvider: 'unknown',
      genAiClientMetrics: false,
      classHeader: 'x-traffic-class',
      classes: ['interactive', 'batch', 'default'].map((name) => ({ name, stallMs: 100, rules: [] })),
      models: [],
      promptBucketEdges: [256, 1024, 4096, 16384, 65536],
      outputBucketEdges: [64, 256, 1024, 4096],
      traceUrl: undefined,
      dashboardUrl: undefined,
      logLevel: 'info',
    });
  });

  test('the default of every key is one its own reader takes', () => {
    for (const name of KEY_NAMES) {
      const { fallback, read } = keySpec(name);
      if (fallback !== undefined) expect(read(fallback), name).toHaveProperty('value');
    }
  });

  test('the configuration is frozen all the way down', () => {
    const config = configOf(load({ flags: { upstream: UPSTREAM } }));
    expect(
      [config, config.routes, config.routes[0]?.upstream, config.classes[0]].every((part) => Object.isFrozen(part)),
    ).toBe(true);
  });
});

describe('URLs of one engine', () => {
  const routes = 'routes: [{ name: a, upstream: "http://a:1" }]\n';

  test('go with the key upstream', () => {
    const { routes: made } = configOf(load({ flags: { upstream: UPSTREAM, 'engine-metrics': 'http://m:1/metrics' } }));
    expect(made[0]?.engine.metrics).toBe('http://m:1/metrics');
  });

  test('are refused where only routes name upstreams', () => {
    const yaml = `${routes}engine-metrics: http://m:1/metrics\nengine-perf-metrics: http://m:1/perf_metrics\n`;
    const faults = faultsOf(withYaml(yaml));
    expect(faults).toHaveLength(2);
    expect(faults[0]).toContain('Give each route its own engine_metrics.');
    expect(faults[1]).toContain('Give each route its own engine_perf_metrics.');
    expect(faultsOf(withYaml(`${routes}engine-metrics: off\n`))).toEqual([]);
  });
});

describe('precedence', () => {
  const yaml = `upstream: ${UPSTREAM}\ndrain: 1\n`;

  test('YAML comes before the default', () => {
    expect(configOf(withYaml(yaml)).drainMs).toBe(1_000);
  });

  test('the environment comes before YAML', () => {
    expect(configOf(withYaml(yaml, { env: { RUBATO_DRAIN: '2' } })).drainMs).toBe(2_000);
  });

  test('a flag comes before the environment', () => {
    expect(configOf(withYaml(yaml, { env: { RUBATO_DRAIN: '2' }, flags: { drain: '3' } })).drainMs).toBe(3_000);
  });

  test('an empty variable counts as unset', () => {
    expect(configOf(withYaml(yaml, { env: { RUBATO_DRAIN: '' } })).drainMs).toBe(1_000);
  });

  test('a variable can turn off what YAML turned on', () => {
    const on = `upstream: ${UPSTREAM}\ntimeout-head: 5\nupstream-insecure: true\n`;
    expect(configOf(withYaml(on)).timeouts.headMs).toBe(5_000);
    const off = configOf(withYaml(on, { env: { RUBATO_TIMEOUT_HEAD: 'off', RUBATO_UPSTREAM_INSECURE: 'false' } }));
    expect([off.timeouts.headMs, off.upstreamTls.insecure]).toEqual([undefined, false]);
  });

  test('the file may be named by the environment', () => {
    const loaded = load({ env: { RUBATO_CONFIG: 'x.yaml' }, files: { 'x.yaml': `upstream: ${UPSTREAM}` } });
    expect(configOf(loaded).routes).toHaveLength(1);
  });

  test('every key can be set by flag, variable and YAML with the same name', () => {
    for (const name of KEY_NAMES.filter((each) => each !== 'config')) {
      const wrong = '\u0000 wrong';
      if ('value' in keySpec(name).read(wrong)) continue;
      const base = { upstream: UPSTREAM };
      expect(faultsOf(load({ flags: { ...base, [name]: wrong } }))[0], name).toMatch(`--${name}: `);
      expect(faultsOf(load({ flags: name === 'upstream' ? {} : base, env: { [envName(name)]: wrong } }))[0]).toMatch(
        envName(name),
      );
      expect(faultsOf(withYaml(`${name}: { a: 1 }`, { flags: name === 'upstream' ? {} : base }))[0]).toMatch(
        `line 1, ${name}: `,
      );
    }
  });
});

describe('faults', () => {
  test('nothing to forward to', () => {
    expect(faultsOf(load())).toEqual([
      'There is no upstream to forward to. Give one with --upstream http://127.0.0.1:8000, with RUBATO_UPSTREAM, or as routes in a YAML file named by --config.',
    ]);
  });

  test('all of them come at once, each with its place', () => {
    const yaml = 'listn: 127.0.0.1:1\ndrain: soon\nadmin: 127.0.0.1:70000\n';
    expect(faultsOf(withYaml(yaml, { flags: { upstream: 'engine:8000' }, env: { RUBATO_RELAYS: 'many' } }))).toEqual([
      'rubato.yaml, line 1: there is no key "listn". Did you mean "listen"?',
      '--upstream: "engine:8000" is not an http:// or https:// URL, such as http://127.0.0.1:8000.',
      'rubato.yaml, line 3, admin: port 70000 is out of range: it must be from 1 to 65535, or 0 for any free one.',
      'RUBATO_RELAYS: "many" is not a whole number from 1 to 64.',
      'rubato.yaml, line 2, drain: "soon" is not a number of seconds from 0 to 2147483, such as 25 or 0.5.',
    ]);
  });

  test('bad YAML is told with its line, and a missing upstream is not blamed on top', () => {
    const faults = faultsOf(withYaml('drain: 1\nlisten: [1\nadmin: 2\n'));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^rubato\.yaml, line [34], column \d+: this is not valid YAML: /);
  });

  test('an alias of what nobody named is a fault of the file, not of ours', () => {
    expect(faultsOf(withYaml('upstream: *nobody\n'))).toEqual([
      expect.stringMatching(/^rubato\.yaml: this is not valid YAML: .*nobody/),
    ]);
  });

  test('a key given twice in YAML is a fault', () => {
    expect(faultsOf(withYaml(`upstream: ${UPSTREAM}\nupstream: ${UPSTREAM}\n`))[0]).toContain('line 2');
  });

  test('a YAML file that is no map, and an empty one', () => {
    expect(faultsOf(withYaml('- a\n'))[0]).toContain('must hold keys and values');
    expect(faultsOf(withYaml('# nothing yet\n'))[0]).toContain('There is no upstream');
  });

  test('a file that is not there', () => {
    expect(faultsOf(load({ flags: { config: 'gone.yaml', upstream: UPSTREAM } }))).toEqual([
      '--config: cannot read gone.yaml: there is no such file. Check the path and try again.',
    ]);
  });

  test('a file that names another file', () => {
    expect(faultsOf(withYaml(`upstream: ${UPSTREAM}\nconfig: b.yaml\n`))[0]).toContain('cannot name another one');
  });

  test('a flag without its value', () => {
    expect(faultsOf(load({ flags: { upstream: true } }))).toEqual(['--upstream needs a value: --upstream URL.']);
  });

  test('two listeners on one address, unless the system chooses the port', () => {
    const same = { upstream: UPSTREAM, listen: '127.0.0.1:80', admin: '127.0.0.1:80' };
    expect(faultsOf(load({ flags: same }))[0]).toContain('need different ports');
    expect(faultsOf(load({ flags: { ...same, listen: '127.0.0.1:0', admin: '127.0.0.1:0' } }))).toEqual([]);
    expect(faultsOf(load({ flags: { upstream: UPSTREAM, admin: '[::1]:80', 'otlp-listen': '[::1]:80' } }))).toEqual([
      '--admin and --otlp-listen are both ::1:80; they need different ports.',
    ]);
  });

  test.each([
    ['http://127.0.0.1:4317', '127.0.0.1:4317', true],
    ['http://localhost:4317/v1', '0.0.0.0:4317', true],
    ['http://[::1]:4317', '127.0.0.1:4317', true],
    ['http://rubato:4317', 'rubato:4317', true],
    ['http://collector:4317', '0.0.0.0:4317', false],
    ['http://127.0.0.1:4318', '127.0.0.1:4317', false],
    ['no URL', '127.0.0.1:4317', false],
  ])('OTLP does not go out to where it came in: %s with %s', (endpoint, listener, leadsBack) => {
    const flags = { upstream: UPSTREAM, 'otlp-listen': listener };
    const faults = faultsOf(load({ flags, env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint } }));
    const sentence =
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT leads to --otlp-listen itself; it must name the collector behind rubato, or be unset.';
    expect(faults).toEqual(leadsBack ? [sentence] : []);
  });

  test('several relays where ports cannot be shared', () => {
    const flags = { upstream: UPSTREAM, relays: '2' };
    expect(faultsOf(load({ flags, platform: 'darwin' }))[0]).toContain('need Linux');
    expect(configOf(load({ flags })).relayCount).toBe(2);
  });

  test.each([
    { env: { NODE_OPTIONS: '--max-old-space-size=99 --insecure-http-parser' } },
    { execArgv: ['--insecure-http-parser'] },
  ])('the lenient HTTP parser is refused: %o', (input) => {
    expect(faultsOf(load({ flags: { upstream: UPSTREAM }, ...input }))[0]).toContain('--insecure-http-parser');
  });

  test('checks of others join the list', () => {
    const checks = [() => ['OTEL_X is wrong.'], () => [], () => ['OTEL_Y too.']];
    expect(faultsOf(load({ flags: { upstream: UPSTREAM, drain: 'x' }, checks }))).toHaveLength(3);
  });
});

describe('certificates', () => {
  const pem = rootCertificates[0] ?? '';

  test('are read from the file', () => {
    const loaded = load({ flags: { upstream: UPSTREAM, 'upstream-ca': 'ca.pem' }, files: { 'ca.pem': pem } });
    expect(configOf(loaded).upstreamTls.caPem).toBe(pem);
  });

  test('a file without one is a fault, and so is a contradiction', () => {
    const files = { 'ca.pem': 'hello' };
    expect(faultsOf(load({ flags: { upstream: UPSTREAM, 'upstream-ca': 'ca.pem' }, files }))[0]).toContain(
      'no PEM certificate',
    );
    const flags = { upstream: UPSTREAM, 'upstream-ca': 'ca.pem', 'upstream-insecure': true as const };
    expect(faultsOf(load({ flags, files: { 'ca.pem': pem } }))[0]).toContain('contradict each other');
  });
});
