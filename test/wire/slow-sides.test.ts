// Goal: limits are on the engine's time alone: neither a slow upload nor a slow reader is booked on it.
// Method: limits shorter than the pauses that the client makes.
import { expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { at, c, chatRequest, END, HEAD, head, requestOf } from '../support/script.ts';
import { sleep } from '../support/signal.ts';

const MIB = 1024 * 1024;
const bench = useBench({ args: ['--timeout-head', '0.4', '--timeout-idle', '0.4'] });

test('the limit for the head begins when the request is sent, not while the client still uploads', async () => {
  bench.engine.plan(async (exchange) => {
    await exchange.untilRequestEnd();
    await exchange.write(head('200 OK', 'content-length: 2'), 'ok');
  });
  const client = await bench.client();
  const request = chatRequest();
  client.request(request.subarray(0, -5));
  await sleep(700);
  await client.send(request.subarray(-5));
  expect((await client.response()).status).toBe(200);
});

test('the limit on silence does not run while the client takes no more', async () => {
  bench.engine.plan(async (exchange) => {
    await exchange.write(HEAD);
    for (let count = 0; count < 40; count += 1) await exchange.write(c(Buffer.alloc(MIB, 97)));
    await exchange.write(END);
  });
  const client = await bench.client();
  client.request(requestOf({ target: '/slow' }));
  await client.responseHead();
  client.pause();
  await sleep(1_200);
  client.resume();
  const response = await client.response(0, 15_000);
  expect([response.complete, response.bodyBytes]).toEqual([true, 40 * MIB]);
});

test('it runs again once the client reads', async () => {
  bench.engine.plan([at(0, HEAD, c('a')), at(3_000, END)]);
  const client = await bench.client();
  client.request(requestOf({ target: '/silent' }));
  const response = await client.response();
  expect([response.complete, response.body.toString()]).toEqual([false, 'a']);
});
