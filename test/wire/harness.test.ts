// Goal: the raw engine and the raw client tell the truth, for every other wire test rests on them.
// Method: connect them directly, with no sidecar between, and compare what one wrote with what the
// other noted.
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Run } from '../support/bench.ts';
import { lateDeliveries } from '../support/exact.ts';
import { parsePrometheus, sumOf } from '../support/prometheus.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, RawEngine } from '../support/raw-engine.ts';
import { actAt, at, c, chatRequest, D, DONE, END, HEAD, head, requestOf } from '../support/script.ts';
import { MessageParser } from '../support/wire-parser.ts';

let engine: RawEngine;
const clients: RawClient[] = [];

beforeAll(async () => {
  engine = await RawEngine.start();
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
  expect(engine.faults.splice(0)).toEqual([]);
});
afterAll(() => engine.stop());

async function open(): Promise<RawClient> {
  const client = await RawClient.open(engine.port);
  clients.push(client);
  return client;
}

test('a script reaches the client with its body de-chunked and its head as written', async () => {
  const { exchange } = engine.plan([at(0, HEAD), at(40, c(D('a'))), at(80, c(DONE), END)]);
  const client = await open();
  client.request(chatRequest());
  const response = await client.response();
  expect(response.head?.startLine).toBe('HTTP/1.1 200 OK');
  expect(response.head?.lines).toEqual(['content-type: text/event-stream', 'transfer-encoding: chunked']);
  expect(response.body.toString()).toBe(D('a') + DONE);
  expect(response.framing).toBe('chunked');
  expect(response.sha256).toBe((await exchange).answer?.sha256);
});

test('no read is noted before its write, and no write before its time', async () => {
  const { exchange } = engine.plan([at(0, HEAD), at(50, c('x')), at(100, c('y'), END)]);
  const client = await open();
  client.request(chatRequest());
  const response = await client.response();
  const { writes, headAtNs } = await exchange;
  expect(response.head?.atNs).toBeGreaterThanOrEqual(writes[0]?.atNs ?? Infinity);
  response.marks.forEach((mark, index) =>
    expect(mark.atNs).toBeGreaterThanOrEqual(writes[index + 1]?.atNs ?? Infinity),
  );
  expect((writes[1]?.atNs ?? 0) - headAtNs).toBeGreaterThanOrEqual(48e6);
});

test('the engine sees the request byte for byte, however it is cut', async () => {
  const { exchange } = engine.plan(async (it) => {
    await it.untilRequestEnd();
    await it.write(head('204 No Content'));
  });
  const client = await open();
  const bytes = requestOf({ method: 'POST', target: '/a/../b', lines: ['X-A: 1', 'x-a: 2'], body: 'hello' });
  client.request(bytes.subarray(0, 7));
  for (const byte of bytes.subarray(7)) await client.send(Buffer.from([byte]));
  expect((await client.response()).status).toBe(204);
  const { request, connection } = await exchange;
  expect(Buffer.concat(connection.reads.map((read) => read.bytes)).equals(bytes)).toBe(true);
  expect(request.head?.lines).toEqual(['host: engine.test', 'X-A: 1', 'x-a: 2', 'content-length: 5']);
});

test('several requests on one connection keep their order, and a named plan finds its request', async () => {
  const named = engine.plan([at(0, head('200 OK', 'content-length: 1'), 'n')]);
  const unnamed = engine.plan([at(0, head('200 OK', 'content-length: 1'), 'u')]);
  const client = await open();
  client.request(requestOf({ lines: [`${PLAN_FIELD}: ${named.id}`] }));
  expect((await client.response(0)).body.toString()).toBe('n');
  client.request(requestOf());
  expect((await client.response(1)).body.toString()).toBe('u');
  expect((await named.exchange).connection).toBe((await unnamed.exchange).connection);
});

test.each(['fin', 'rst'] as const)('a cut by %s of the engine leaves the response incomplete', async (act) => {
  engine.plan([at(0, HEAD, c(D('a'))), actAt(50, act)]);
  const client = await open();
  client.request(chatRequest());
  const response = await client.response();
  expect(response.complete).toBe(false);
  expect(response.body.toString()).toBe(D('a'));
  await client.untilGone();
});

test.each(['fin', 'rst'] as const)('a %s of the client is noted by the engine', async (act) => {
  const { exchange } = engine.plan([at(0, HEAD)]);
  const client = await open();
  client.request(chatRequest());
  await client.responseHead();
  client[act]();
  const { connection } = await exchange;
  await connection.untilGone();
  if (act === 'fin') expect(connection.finAtNs).toBeDefined();
  else expect(connection.finAtNs).toBeUndefined();
});

test('a body is complete by length, by close, and at once when there is none', async () => {
  engine.plan([at(0, head('200 OK', 'content-length: 5'), 'hello')]);
  engine.plan([at(0, head('200 OK', 'content-length: 5'))]);
  engine.plan([at(0, head('200 OK'), 'until the end'), actAt(20, 'fin')]);
  const client = await open();
  client.request(requestOf());
  expect((await client.response(0)).body.toString()).toBe('hello');
  client.request(requestOf({ method: 'HEAD' }));
  expect(await client.response(1)).toMatchObject({ complete: true, framing: 'none', bodyBytes: 0 });
  client.request(requestOf());
  expect(await client.response(2)).toMatchObject({ complete: true, framing: 'close', bodyBytes: 13 });
});

test('informational heads, trailers and what follows an upgrade are told apart', () => {
  const parser = new MessageParser({ kind: 'response' });
  const early = head('103 Early Hints', 'link: </x>') + head('200 OK', 'transfer-encoding: chunked');
  const whole = `${early}2;ext=1\r\nab\r\n0\r\nX-T: 1\r\n\r\n${head('101 Switching Protocols', 'upgrade: websocket')}raw`;
  for (const byte of Buffer.from(whole)) parser.feed(Buffer.from([byte]), 1);
  const [first, second] = parser.messages;
  expect(first?.informational.map(({ startLine }) => startLine)).toEqual(['HTTP/1.1 103 Early Hints']);
  expect(first?.body.toString()).toBe('ab');
  expect(first?.trailers).toEqual(['X-T: 1']);
  expect(second?.framing).toBe('upgrade');
  expect(second?.body.toString()).toBe('raw');
});

test('bytes that are not chunked coding are called a fault, not read as something else', () => {
  const parser = new MessageParser({ kind: 'response' });
  parser.feed(Buffer.from(`${head('200 OK', 'transfer-encoding: chunked')}zz\r\n`), 1);
  expect(parser.fault).toContain('chunk size');
});

test('a hop that holds bytes back is told from a direct line', async () => {
  const hop = createServer((near) => {
    const far = connect(engine.port, '127.0.0.1');
    near.pipe(far);
    far.on('data', (bytes: Buffer) => setTimeout(() => near.write(bytes), 150));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.on('error', () => near.destroy());
  });
  await new Promise<void>((resolve) => hop.listen(0, '127.0.0.1', resolve));
  const runs = await Promise.all([engine.port, (hop.address() as AddressInfo).port].map((port) => runOn(port)));
  const [direct, held] = runs as [Run, Run];
  expect(lateDeliveries(direct, direct)).toEqual([]);
  expect(lateDeliveries(direct, held)).toHaveLength(3);
  for (const client of clients.splice(0)) client.close();
  await new Promise((resolve) => hop.close(resolve));
});

async function runOn(port: number): Promise<Run> {
  const plan = engine.plan([at(0, HEAD), at(60, c(D('a'))), at(120, c(DONE), END)]);
  const client = await RawClient.open(port);
  clients.push(client);
  client.request(chatRequest({ lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  const response = await client.response();
  return { client, response, exchange: await plan.exchange, model: 'm' };
}

test('samples of the Prometheus text are found by name and labels', () => {
  const samples = parsePrometheus('# HELP a x\na_total{k="v",w="a\\"b,c"} 2\na_total{k="z"} 3 1700000000\n');
  expect(samples[0]?.labels).toEqual({ k: 'v', w: 'a"b,c' });
  expect(sumOf(samples, 'a_total')).toBe(5);
  expect(sumOf(samples, 'a_total', { k: 'z' })).toBe(3);
  expect(sumOf(samples, 'b_total')).toBeUndefined();
});
