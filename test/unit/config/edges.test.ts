// Goal: an edge is a listener, a hop behind it and a name, however it was written; what cannot work is told
// before anything listens.
// Method: the loader with literal flags, variables and YAML; faults compared as whole sentences where they teach.
import { describe, expect, test } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import { loadConfig, type Loaded, type LoadInput } from '../../../src/config/load.ts';

const UPSTREAM = 'http://127.0.0.1:8000';
const GATEWAY = 'http://127.0.0.1:4000';

function load({ flags, env = {}, yaml }: Pick<LoadInput, 'flags'> & { env?: LoadInput['env']; yaml?: string }): Loaded {
  return loadConfig({
    flags: { upstream: UPSTREAM, ...(yaml === undefined ? {} : { config: 'rubato.yaml' }), ...flags },
    env,
    execArgv: [],
    platform: 'linux',
    readFile: () => yaml ?? '',
    checks: [],
  });
}

function configOf(loaded: Loaded): Config {
  if ('faults' in loaded) throw new Error(loaded.faults.join('\n'));
  return loaded.config;
}

const faultsOf = (loaded: Loaded): readonly string[] => ('faults' in loaded ? loaded.faults : []);

const edge = (name: string, port: number, gatewayPort = 4000) => ({
  name,
  listen: { host: '127.0.0.1', port },
  upstream: {
    protocol: 'http:',
    host: '127.0.0.1',
    port: gatewayPort,
    origin: `http://127.0.0.1:${gatewayPort}`,
  },
  hostHeader: undefined,
});

describe('an edge', () => {
  test('is named by its hop unless it has a name of its own', () => {
    const flags = { edge: [`127.0.0.1:8081=${GATEWAY}`, 'cdn@[::1]:0=https://cdn.example'] };
    expect(configOf(load({ flags })).edges).toEqual([
      edge('127.0.0.1:4000', 8081),
      {
        name: 'cdn',
        listen: { host: '::1', port: 0 },
        upstream: { protocol: 'https:', host: 'cdn.example', port: 443, origin: 'https://cdn.example' },
        hostHeader: undefined,
      },
    ]);
  });

  test('comes from a variable with commas, and from the file in two forms that add up', () => {
    const two = [edge('a', 8081), edge('b', 8082)];
    const env = { RUBATO_EDGE: `a@127.0.0.1:8081=${GATEWAY}, b@127.0.0.1:8082=${GATEWAY}` };
    expect(configOf(load({ flags: {}, env })).edges).toEqual(two);
    const yaml = [
      `edge: a@127.0.0.1:8081=${GATEWAY}`,
      'edges:',
      `  - { name: b, listen: "127.0.0.1:8082", upstream: "${GATEWAY}" }`,
      `  - { listen: "127.0.0.1:8083", upstream: "http://127.0.0.1:4001", host_header: upstream }`,
    ].join('\n');
    expect(configOf(load({ flags: {}, yaml })).edges).toEqual([
      ...two,
      { ...edge('127.0.0.1:4001', 8083, 4001), hostHeader: 'upstream' },
    ]);
  });

  test.each([
    ['gateway', 'is not [NAME@]HOST:PORT=URL'],
    ['127.0.0.1:8081', 'is not [NAME@]HOST:PORT=URL'],
    [`8081=${GATEWAY}`, 'is not HOST:PORT'],
    [`127.0.0.1:8081=${GATEWAY}/v1`, 'has a path or query'],
    ['127.0.0.1:8081=127.0.0.1:4000', 'is not an http:// or https:// URL'],
    [`a b@127.0.0.1:8081=${GATEWAY}`, 'is not a name'],
    [`@127.0.0.1:8081=${GATEWAY}`, 'is not a name'],
    [`other@127.0.0.1:8081=${GATEWAY}`, 'is the label of what has none'],
    ['127.0.0.1:8081=http://user:secret@127.0.0.1:4000', 'holds a user name or password'],
  ])('is refused as %s', (text, fault) => {
    const [told = '', ...more] = faultsOf(load({ flags: { edge: [text] } }));
    expect(more).toEqual([]);
    expect(told).toMatch(/^--edge: /);
    expect(told).toContain(fault);
    expect(told).not.toContain('secret');
  });
});

test('addresses that clash are told with the keys that hold them', () => {
  const flags = { edge: [`a@127.0.0.1:8080=${GATEWAY}`, `b@127.0.0.1:9464=${GATEWAY}`, `c@127.0.0.1:8080=${GATEWAY}`] };
  expect(faultsOf(load({ flags }))).toEqual([
    '--listen and --edge a are both 127.0.0.1:8080; they need different ports.',
    '--admin and --edge b are both 127.0.0.1:9464; they need different ports.',
    '--listen and --edge c are both 127.0.0.1:8080; they need different ports.',
  ]);
});

test('any free port clashes with none', () => {
  const flags = { listen: '127.0.0.1:0', edge: [`a@127.0.0.1:0=${GATEWAY}`, `b@127.0.0.1:0=${GATEWAY}`] };
  expect(faultsOf(load({ flags }))).toEqual([]);
});

test('two edges before one hop need names', () => {
  const flags = { edge: [`127.0.0.1:8081=${GATEWAY}`, `127.0.0.1:8082=${GATEWAY}`] };
  expect(faultsOf(load({ flags }))).toEqual([
    '--edge, --peer: the hop "127.0.0.1:4000" is there more than once. Give each a name of its own: NAME@HOST:PORT=URL.',
  ]);
});

test('an edge that leads to itself is told', () => {
  const flags = { edge: ['loop@0.0.0.0:8081=http://localhost:8081'] };
  expect(faultsOf(load({ flags }))).toEqual([
    '--edge loop: it would forward to itself; its URL must be that of the gateway.',
  ]);
});

test('there are at most eight, wherever they were written', () => {
  const of = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `e${index}@127.0.0.1:${8100 + index}=${GATEWAY}`);
  const yaml = `edges: [{ name: last, listen: "127.0.0.1:8200", upstream: "${GATEWAY}" }]`;
  expect(configOf(load({ flags: { edge: of(7) }, yaml })).edges).toHaveLength(8);
  expect(faultsOf(load({ flags: { edge: of(8) }, yaml }))).toEqual(['--edge: 9 edges are more than the 8 allowed.']);
});

test('a fault within the list of the file says where', () => {
  const yaml = `edges:\n  - { name: a, listen: "127.0.0.1:8081", upstrem: "${GATEWAY}" }`;
  expect(faultsOf(load({ flags: {}, yaml }))).toEqual([
    'rubato.yaml: edges[0].upstream: it is missing.',
    'rubato.yaml: edges[0].upstrem: there is no such key. Did you mean "upstream"?',
  ]);
});

describe('a peer', () => {
  test('is an admin port, named by where it is or by hand', () => {
    const peerOf = (peer: string) => configOf(load({ flags: { peer } })).peer;
    const admin = { protocol: 'http:', host: '10.0.0.2', port: 9464, origin: 'http://10.0.0.2:9464' };
    expect(peerOf('http://10.0.0.2:9464/')).toEqual({ name: '10.0.0.2:9464', admin });
    expect(peerOf('gateway@http://10.0.0.2:9464')).toEqual({ name: 'gateway', admin });
    expect(configOf(load({ flags: {}, yaml: 'peer: gateway@http://10.0.0.2:9464' })).peer).toEqual({
      name: 'gateway',
      admin,
    });
  });

  test.each([
    ['10.0.0.2:9464', 'is not [NAME@]URL'],
    ['http://10.0.0.2:9464/api', 'has a path'],
    ['http://user:secret@10.0.0.2:9464', 'holds a user name or password'],
    ['ftp://10.0.0.2', 'is not an http:// or https:// URL'],
  ])('is refused as %s', (peer, fault) => {
    const [told = ''] = faultsOf(load({ flags: { peer } }));
    expect(told).toMatch(/^--peer: /);
    expect(told).toContain(fault);
    expect(told).not.toContain('secret');
  });

  test('cannot have the name of an edge', () => {
    const flags = { edge: [`a@127.0.0.1:8081=${GATEWAY}`], peer: 'a@http://10.0.0.2:9464' };
    expect(faultsOf(load({ flags }))[0]).toContain('the hop "a" is there more than once');
  });
});
