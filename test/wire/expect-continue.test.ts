// Goal: `Expect: 100-continue` works end to end: the engine decides, rubato invents nothing.
// Method: a raw client that waits for 100 before it sends its body, and a raw engine that does or
// does not say it.
import { describe, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { at, bytesOf, c, END, head, requestOf } from '../support/script.ts';
import { sleep } from '../support/signal.ts';

const bench = useBench();
const GO_ON = head('100 Continue');
const BODY = '{"stream":true}';

describe('K1', () => {
  const asking = (...lines: string[]): Buffer =>
    requestOf({ method: 'POST', target: '/v1/chat/completions', lines: ['content-type: application/json', ...lines] });

  test.each([
    ['a stated length', `content-length: ${BODY.length}`, bytesOf(BODY)],
    ['chunked', 'transfer-encoding: chunked', Buffer.concat([c(BODY), bytesOf(END)])],
  ])('K1 the engine says go on, the body follows, the answer arrives: %s', async (_, framing, body) => {
    const plan = bench.engine.plan(async (exchange) => {
      await sleep(50);
      await exchange.write(GO_ON);
      await exchange.untilRequestEnd();
      await exchange.write(head('200 OK', 'content-length: 4'), 'done');
    });
    const client = await bench.client();
    client.request(asking('Expect: 100-continue', framing));
    await client.signal.until('100', () => client.parser.messages[0]?.informational.length === 1);
    const { request, writes } = await plan.exchange;
    const message = client.parser.messages[0];
    expect(message?.informational[0]?.startLine).toBe('HTTP/1.1 100 Continue');
    // No 100 of our own: it came after the engine had written it.
    expect(message?.informational[0]?.atNs).toBeGreaterThan(writes[0]?.atNs ?? Infinity);
    expect(request.values('expect')).toEqual(['100-continue']);
    await client.send(body);
    const response = await client.response();
    expect(response.body.toString()).toBe('done');
    expect(response.informational).toHaveLength(1);
    expect(request.body.toString()).toBe(BODY);
  });

  test.each([417, 413, 401])('K1 a final %i instead of 100 arrives without any 100', async (status) => {
    bench.engine.plan([at(30, head(`${status} No`, 'content-length: 2'), 'no')]);
    const client = await bench.client();
    client.request(asking('expect: 100-continue', 'content-length: 1000000'));
    const response = await client.response();
    expect(response.status).toBe(status);
    expect(response.informational).toEqual([]);
    expect(response.body.toString()).toBe('no');
  });

  test('K1 a client that does not wait, as curl after a second, is served', async () => {
    const plan = bench.engine.plan(async (exchange) => {
      await exchange.untilRequestEnd();
      await exchange.write(head('200 OK', 'content-length: 4'), 'done');
    });
    const client = await bench.client();
    client.request(Buffer.concat([asking('Expect: 100-continue', `content-length: ${BODY.length}`), bytesOf(BODY)]));
    const response = await client.response();
    expect(response.body.toString()).toBe('done');
    expect((await plan.exchange).request.body.toString()).toBe(BODY);
  });

  test('K1 a large body after 100 arrives once and whole', async () => {
    const before = bench.engine.requestCount;
    const large = Buffer.alloc(1_572_864, '{"a":"渐"}');
    const plan = bench.engine.plan(async (exchange) => {
      await exchange.write(GO_ON);
      await exchange.untilRequestEnd();
      await exchange.write(head('200 OK', 'content-length: 4'), 'done');
    });
    const client = await bench.client();
    client.request(asking('Expect: 100-Continue', `content-length: ${large.length}`));
    await client.signal.until('100', () => client.parser.messages[0]?.informational.length === 1);
    await client.send(large);
    expect((await client.response()).status).toBe(200);
    expect((await plan.exchange).request.body.equals(large)).toBe(true);
    expect(bench.engine.requestCount).toBe(before + 1);
  });

  test('K1 a client that leaves while it waits for 100 is gone for the engine too', async () => {
    const plan = bench.engine.plan([]);
    const client = await bench.client();
    client.request(asking('Expect: 100-continue', 'content-length: 10'));
    const { connection } = await plan.exchange;
    client.rst();
    await connection.untilGone(1_000);
  });
});

test('an answer before the request is over arrives at once', async () => {
  bench.engine.plan([at(0, head('413 Too Large', 'content-length: 3', 'connection: close'), 'big')]);
  const client = await bench.client();
  client.request(requestOf({ method: 'POST', lines: ['content-length: 1000000'] }));
  await client.send(Buffer.alloc(1_000));
  const response = await client.response();
  expect(response.status).toBe(413);
  expect(response.body.toString()).toBe('big');
});
