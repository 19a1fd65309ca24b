// Goal: trailers pass both ways, but none that frames, routes or belongs to one connection.
// Method: raw chunked messages whose trailers hold both kinds.
import { expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { at, c, END, HEAD, head } from '../support/script.ts';

const TRAILERS = [
  'x-checksum: 1',
  'Content-Length: 5',
  'Transfer-Encoding: chunked',
  'Connection: x-a',
  'host: other',
  'X-Usage: 7',
];
const LAST = `0\r\n${TRAILERS.join('\r\n')}\r\n\r\n`;
// Node's parser refuses framing fields in the trailers of a request by itself.
const LAST_OF_REQUEST = LAST.replace(/(?:Content-Length|Transfer-Encoding): \S+\r\n/g, '');
const bench = useBench();

test('of a request', async () => {
  const plan = bench.engine.plan(async (exchange) => {
    await exchange.untilRequestEnd();
    await exchange.write(head('200 OK', 'content-length: 0'));
  });
  const client = await bench.client();
  client.request(`POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n${LAST_OF_REQUEST}`);
  expect((await client.response()).status).toBe(200);
  expect((await plan.exchange).request.trailers).toEqual(['x-checksum: 1', 'X-Usage: 7']);
});

test('of an answer', async () => {
  bench.engine.plan([at(0, HEAD, c('hello'), LAST)]);
  const client = await bench.client();
  client.request('GET / HTTP/1.1\r\nhost: x\r\nte: trailers\r\n\r\n');
  const response = await client.response();
  expect(response.body.toString()).toBe('hello');
  expect(response.trailers).toEqual(['x-checksum: 1', 'X-Usage: 7']);
});

test('of an answer whose trailers all stop here', async () => {
  bench.engine.plan([at(0, HEAD, c('hello'), '0\r\nContent-Length: 5\r\n\r\n')]);
  const client = await bench.client();
  client.request('GET / HTTP/1.1\r\nhost: x\r\nte: trailers\r\n\r\n');
  const response = await client.response();
  expect([response.complete, response.trailers]).toEqual([true, []]);
  expect(client.tail.endsWith(END)).toBe(true);
});
