// Goal: a request of HTTP/1.0 without Host goes on as a valid HTTP/1.1 request, which must name one.
// Method: raw request heads; the engine's view of them.
import { expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { at, head } from '../support/script.ts';

const bench = useBench();

test.each([
  ['without Host the upstream is named', '', () => [`127.0.0.1:${bench.engine.port}`]],
  ['a Host of the client stays', 'host: own.test\r\n', () => ['own.test']],
])('%s', async (_, line, hosts) => {
  const plan = bench.engine.plan([at(0, head('200 OK', 'content-length: 2'), 'ok')]);
  const client = await bench.client();
  client.request(`GET /x HTTP/1.0\r\n${line}\r\n`);
  expect((await client.response()).body.toString()).toBe('ok');
  expect((await plan.exchange).request.values('host')).toEqual(hosts());
});
