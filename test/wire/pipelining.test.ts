// Goal: what a client sends behind a request that is still being answered never gets into that answer,
// never ends a relay, and never fills memory.
// Method: several requests, or things that are none, in one write on one raw connection.
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { at, c, D, DONE, END, HEAD, head, requestOf } from '../support/script.ts';
import { sleep } from '../support/signal.ts';

const MIB = 1024 * 1024;
const OK = `${head('200 OK', 'content-length: 2')}ok`;
const WEBSOCKET = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: x', 'Sec-WebSocket-Version: 13'];
const CONNECT = 'CONNECT x:80 HTTP/1.1\r\nhost: x:80\r\n\r\n';
const bench = useBench();

async function expectAlive(): Promise<void> {
  bench.engine.plan([at(0, OK)]);
  const client = await bench.client();
  client.request(requestOf());
  expect((await client.response()).status).toBe(200);
  expect(bench.sidecar.logs.filter(({ level }) => level === 'error')).toEqual([]);
}

describe('behind a request that is still being answered', () => {
  test('a WebSocket handshake is served as a plain request, in its turn', async () => {
    bench.engine.plan([at(100, OK)]);
    const second = bench.engine.plan([at(0, head('426 Upgrade Required', 'content-length: 2'), 'no')]);
    const client = await bench.client();
    client.request(Buffer.concat([requestOf({ target: '/a' }), requestOf({ target: '/ws', lines: WEBSOCKET })]));
    client.parser.bodyless.push(false);
    expect((await client.response(1)).status).toBe(426);
    expect((await client.response(0)).body.toString()).toBe('ok');
    expect((await second.exchange).request.values('upgrade')).toEqual([]);
    await expectAlive();
  });

  test.each([
    ['CONNECT', CONNECT],
    ['garbage', 'GARBAGE\r\n\r\n'],
  ])('%s gets no answer into the middle of another', async (_, bytes) => {
    bench.engine.plan([at(0, HEAD, c(D('a'))), at(2_000, c(DONE), END)]);
    const client = await bench.client();
    client.request(requestOf());
    await client.bodyBytes(D('a').length);
    await client.send(bytes);
    await client.untilGone();
    expect(client.parser.messages[0]?.body.toString()).toBe(D('a'));
    expect(client.tail).not.toContain('rubato');
    await expectAlive();
  });

  test('garbage gets no answer into the second of two answers', async () => {
    bench.engine.plan([at(0, OK)]);
    bench.engine.plan([at(0, HEAD, c(D('a'))), at(2_000, c(DONE), END)]);
    const client = await bench.client();
    client.request(Buffer.concat([requestOf(), requestOf()]));
    client.parser.bodyless.push(false);
    await client.bodyBytes(D('a').length, 1);
    await client.send('GARBAGE\r\n\r\n');
    await client.untilGone();
    expect(client.tail).not.toContain('rubato');
  });

  test('a flood of requests is cut off before it fills memory', async () => {
    bench.engine.plan([at(60_000, OK)]);
    const before = bench.sidecar.rssBytes();
    const socket = connect({ host: '127.0.0.1', port: bench.sidecar.listenPort });
    const gone = new Promise((resolve) => {
      socket.on('error', resolve);
      socket.on('close', resolve);
    });
    socket.write(Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(300_000)));
    await gone;
    expect(bench.sidecar.rssBytes() - before).toBeLessThan(128 * MIB);
  });

  test('a hundred requests in one write are a hundred answers', async () => {
    for (let count = 0; count < 100; count += 1) bench.engine.plan([at(0, OK)]);
    const client = await bench.client();
    client.request(Buffer.concat(Array.from({ length: 100 }, () => requestOf())));
    for (let count = 1; count < 100; count += 1) client.parser.bodyless.push(false);
    await client.response(99);
    expect(client.parser.messages.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 200));
  });
});

test('a client that resets after CONNECT ends nothing but its connection', async () => {
  for (const pauseMs of [0, 5, 30]) {
    const client = await bench.client();
    client.request(CONNECT);
    await sleep(pauseMs);
    client.rst();
    await client.untilGone();
  }
  await sleep(50);
  await expectAlive();
});

test('a handshake that brings a body is a plain request with its body', async () => {
  const plan = bench.engine.plan(async (exchange) => {
    await exchange.untilRequestEnd(2_000);
    await exchange.write(OK);
  });
  const client = await bench.client();
  client.request(requestOf({ method: 'POST', lines: WEBSOCKET, body: 'hello' }));
  expect((await client.response()).status).toBe(200);
  const { request } = await plan.exchange;
  expect(request.body.toString()).toBe('hello');
  expect(request.values('upgrade')).toEqual([]);
});
