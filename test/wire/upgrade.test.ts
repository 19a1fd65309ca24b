// Goal: a WebSocket passes as a pair of raw byte streams; other upgrades are not passed on.
// Method: raw handshake and raw frames both ways; the bytes after 101 are compared with what the
// other side sent.
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { actAt, at, head, requestOf } from '../support/script.ts';
import { fieldName } from '../support/wire-parser.ts';

const bench = useBench();
const SWITCH = head(
  '101 Switching Protocols',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=',
);
const HANDSHAKE = [
  'Connection: keep-alive, Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Protocol: realtime, openai-insecure-api-key.x',
];

describe('M2', () => {
  test('M2 a WebSocket is switched and echoes bytes both ways', async () => {
    const plan = bench.engine.plan(async (exchange) => {
      await exchange.write(SWITCH, 'hello first');
      exchange.connection.socket.on('data', (bytes: Buffer) => void exchange.write(bytes));
    });
    const client = await bench.client();
    client.request(requestOf({ target: '/v1/realtime?model=m', lines: HANDSHAKE }));
    const response = await client.responseHead();
    expect(response.status).toBe(101);
    expect(response.values('sec-websocket-accept')).toEqual(['s3pPLMBiTxaQ9kYGzzhZRbK+xOo=']);
    expect(response.values('upgrade')).toEqual(['websocket']);
    const { request } = await plan.exchange;
    expect(request.head?.startLine).toBe('GET /v1/realtime?model=m HTTP/1.1');
    expect(request.values('upgrade')).toEqual(['websocket']);
    expect(request.head?.lines.filter((line) => fieldName(line).startsWith('sec-'))).toEqual(HANDSHAKE.slice(2));
    let expected = Buffer.from('hello first');
    for (const bytes of [Buffer.from('a'), randomBytes(70_000), Buffer.from([0]), randomBytes(3)]) {
      await client.send(bytes);
      expected = Buffer.concat([expected, bytes]);
      await client.bodyBytes(expected.length);
    }
    expect(response.body.equals(expected)).toBe(true);
  });

  test('M2 bytes that come in the same segment as the handshake are not lost', async () => {
    const plan = bench.engine.plan([at(30, SWITCH)]);
    const client = await bench.client();
    client.request(Buffer.concat([requestOf({ target: '/ws', lines: HANDSHAKE }), Buffer.from('eager')]));
    await client.responseHead();
    const { request, connection } = await plan.exchange;
    await connection.signal.until('the eager bytes', () => request.bodyBytes === 5);
    expect(request.body.toString()).toBe('eager');
  });

  test.each(['client', 'engine'] as const)('M2 an end by the %s ends the other side', async (who) => {
    const plan = bench.engine.plan(
      who === 'engine' ? [at(0, SWITCH), at(40, 'bye'), actAt(60, 'fin')] : [at(0, SWITCH)],
    );
    const client = await bench.client();
    client.request(requestOf({ target: '/ws', lines: HANDSHAKE }));
    await client.responseHead();
    if (who === 'client') client.rst();
    await (await plan.exchange).connection.untilGone(2_000);
    await client.untilGone(2_000);
    if (who === 'engine') expect((await client.response()).body.toString()).toBe('bye');
  });

  test('M2 an engine that refuses to switch is heard', async () => {
    bench.engine.plan([at(0, head('426 Upgrade Required', 'content-length: 2'), 'no')]);
    const client = await bench.client();
    client.request(requestOf({ target: '/ws', lines: HANDSHAKE }));
    const response = await client.response();
    expect(response.status).toBe(426);
    expect(response.body.toString()).toBe('no');
  });

  test('M2 a WebSocket enters no TTFT figure', async () => {
    const path = '/tunnel/v1/chat/completions';
    bench.engine.plan([at(0, SWITCH), at(20, 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'), actAt(40, 'fin')]);
    const client = await bench.client();
    client.request(requestOf({ target: path, lines: HANDSHAKE }));
    await client.untilGone();
    const { record, figures } = await bench.sidecar.record('the tunnel', ({ request }) => request.path === path);
    expect(record.response.framing).toBe('upgrade');
    expect(figures.ttftNs).toBeUndefined();
  });
});

describe('other upgrades', () => {
  test.each([
    ['h2c', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__']],
    ["a protocol of one's own", ['Connection: upgrade', 'Upgrade: foo/1']],
    ['upgrade without its connection field', ['Upgrade: websocket']],
  ])('%s is served as a plain request', async (_, lines) => {
    const plan = bench.engine.plan([at(0, head('200 OK', 'content-length: 5'), 'plain')]);
    const client = await bench.client();
    client.request(requestOf({ lines }));
    const response = await client.response();
    expect(response.body.toString()).toBe('plain');
    const { request } = await plan.exchange;
    expect(request.values('upgrade')).toEqual([]);
    expect(request.values('http2-settings')).toEqual([]);
  });

  test('a 101 that nobody asked for is a fault of the engine', async () => {
    bench.engine.plan([at(0, SWITCH)]);
    const client = await bench.client();
    client.request(requestOf());
    const response = await client.response();
    expect(response.status).toBe(502);
    expect(response.values('x-rubato-error')).toEqual(['RBT_UPSTREAM_BAD_RESPONSE']);
  });
});
