// Goal: several upstreams by path prefix or host; each exchange goes where its rule says and carries
// the route's name.
// Method: two raw engines, one refused port and a configuration file.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configFile } from '../support/config-file.ts';
import { RawClient } from '../support/raw-client.ts';
import { RawEngine } from '../support/raw-engine.ts';
import { at, head } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';
import type { WireMessage } from '../support/wire-parser.ts';

let red: RawEngine;
let blue: RawEngine;
let sidecar: Sidecar;
let onlyRoutes: Sidecar;

beforeAll(async () => {
  [red, blue] = await Promise.all([RawEngine.start(), RawEngine.start()]);
  const gone = await RawEngine.start();
  const lines = [
    'routes:',
    `  - { name: by-path, prefix: /red/, upstream: "http://127.0.0.1:${red.port}" }`,
    `  - { name: by-host, host: red.example, upstream: "http://127.0.0.1:${red.port}" }`,
    `  - { name: nobody, prefix: /gone, upstream: "http://127.0.0.1:${gone.port}" }`,
  ];
  await gone.stop();
  const file = configFile(`${lines.join('\n')}\n`);
  sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${blue.port}`, args: ['--config', file] });
  onlyRoutes = await Sidecar.start({ args: ['--config', file] });
});
afterAll(async () => {
  for (const each of [sidecar, onlyRoutes, red, blue]) await each.stop();
});

async function ask(target: string, host = 'x', port = sidecar.listenPort): Promise<WireMessage> {
  const client = await RawClient.open(port);
  client.request(`GET ${target} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  const response = await client.response();
  client.close();
  return response;
}

describe('routes', () => {
  test.each([
    ['a path under the prefix', '/red/v1/models', 'x', 'red', 'by-path'],
    ['the host, whatever its case and port', '/v1/models', 'RED.example:80', 'red', 'by-host'],
    ['anything else', '/v1/models', 'x', 'blue', 'default'],
    ['a path that only looks like the prefix', '/redder', 'x', 'blue', 'default'],
    ['the prefix in a query', '/?p=/red/', 'x', 'blue', 'default'],
  ])('%s goes to its upstream, with its target unchanged', async (_, target, host, whose, route) => {
    const engine = whose === 'red' ? red : blue;
    const plan = engine.plan([at(0, head('200 OK', 'content-length: 3'), 'yes')]);
    expect((await ask(target, host)).body.toString()).toBe('yes');
    const { request } = await plan.exchange;
    expect(request.head?.startLine).toBe(`GET ${target} HTTP/1.1`);
    expect(request.values('host')).toEqual([host]);
    const path = target.split('?')[0];
    const { record } = await sidecar.record(target, (each) => each.request.path === path && each.route === route);
    expect(record.end.wire).toBe('complete');
  });

  test('an upstream that is down does not touch the others', async () => {
    const response = await ask('/gone/x');
    expect(response.status).toBe(502);
    expect(response.values('x-rubato-error')).toEqual(['RBT_UPSTREAM_CONNECT']);
    const { record } = await sidecar.record('/gone/x', (each) => each.request.path === '/gone/x');
    expect(record).toMatchObject({ route: 'nobody', end: { outcome: 'connect_error' } });
    red.plan([at(0, head('200 OK', 'content-length: 3'), 'yes')]);
    expect((await ask('/red/')).body.toString()).toBe('yes');
  });

  test('a request that no route takes is answered by rubato, in words', async () => {
    const response = await ask('/v1/models', 'x', onlyRoutes.listenPort);
    expect(response.status).toBeGreaterThanOrEqual(404);
    expect(response.values('x-rubato-error')).toHaveLength(1);
    expect(JSON.parse(response.body.toString())).toHaveProperty('error');
  });
});
