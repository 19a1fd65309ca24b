// Goal: a client that speaks HTTP/2 gets of every promise what one of HTTP/1.1 gets, on the same port, and the engine
// sees the same request (T12 beyond HTTP/1.1).
// Method: Node's HTTP/2 client and raw clients of HTTP/1.1 before one sidecar with --http2, and a raw engine behind it.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { H2Client, PREFACE, PROTOCOL_ERROR } from '../support/h2-client.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD } from '../support/raw-engine.ts';
import { at, c, D, DONE, END, HEAD, head, requestOf } from '../support/script.ts';
import { Signal } from '../support/signal.ts';
import type { WireMessage } from '../support/wire-parser.ts';

const JSON_POST = { ':method': 'POST', ':path': '/v1/chat/completions', 'content-type': 'application/json' };

const bench = useBench({ args: ['--http2'] });
let client: H2Client;

beforeAll(() => {
  client = new H2Client(`http://127.0.0.1:${bench.sidecar.listenPort}`);
});
afterEach(() => expect(bench.sidecar.noise).toEqual([]));
afterAll(() => client.stop());

const headOf = ({ head: found }: WireMessage): string[] => [found?.startLine ?? '', ...(found?.lines ?? [])];

describe('a request', () => {
  test('with a body of stated length reaches the engine as it is in HTTP/1.1', async () => {
    const plan = bench.engine.plan([at(0, head('200 OK', 'content-length: 2', 'x-engine: A', 'x-engine: b'), 'ok')]);
    const sent = { ...JSON_POST, 'content-length': '2', 'x-two': ['1', '2'], cookie: ['a=1', 'b=2'], te: 'trailers' };
    const answer = await client.ask(sent, '{}').closed();
    const { request } = await plan.exchange;
    expect(headOf(request)).toEqual([
      'POST /v1/chat/completions HTTP/1.1',
      `host: 127.0.0.1:${bench.sidecar.listenPort}`,
      'content-type: application/json',
      'content-length: 2',
      'x-two: 1',
      'x-two: 2',
      'cookie: a=1; b=2',
    ]);
    expect(request.body.toString()).toBe('{}');
    expect([answer.status, answer.body, answer.isWhole]).toEqual([200, 'ok', true]);
    expect(answer.fields).toEqual(['content-length', '2', 'x-engine', 'A', 'x-engine', 'b']);
  });

  test('without a length goes on in chunks, with its trailers behind it', async () => {
    const plan = bench.engine.plan(async (exchange) => {
      await exchange.untilRequestEnd();
      await exchange.write(head('200 OK', 'content-length: 0'));
    });
    const answer = client.open(JSON_POST);
    answer.stream.on('wantTrailers', () => undefined);
    answer.stream.write('abc');
    const { connection, request } = await plan.exchange;
    await connection.signal.until('the first piece', () => connection.receivedBytes > 0 && request.body.length === 3);
    answer.stream.end('de');
    await answer.closed();
    expect(request.body.toString()).toBe('abcde');
    expect(headOf(request)).toContain('transfer-encoding: chunked');
  });

  test.each(['GET', 'HEAD', 'DELETE'])('%s without a body has none at the engine', async (method) => {
    const plan = bench.engine.plan([at(0, head('200 OK', 'content-length: 5'), method === 'HEAD' ? '' : 'hello')]);
    const answer = await client.ask({ ':method': method, ':path': '/x?y=1' }).closed();
    const { request } = await plan.exchange;
    expect(headOf(request)).toEqual([`${method} /x?y=1 HTTP/1.1`, `host: 127.0.0.1:${bench.sidecar.listenPort}`]);
    expect(request.framing).toBe('none');
    expect([answer.status, answer.field('content-length'), answer.body, answer.isWhole]).toEqual([
      200,
      '5',
      method === 'HEAD' ? '' : 'hello',
      true,
    ]);
  });
});

describe('an answer', () => {
  test('comes piece by piece, each before the engine has written the next', async () => {
    const seen = new Signal();
    let seenCount = -2;
    const pieces = [D('a'), D('b'), D('c'), DONE];
    bench.engine.plan(async (exchange) => {
      await exchange.write(HEAD);
      for (const [index, piece] of pieces.entries()) {
        await seen.until(`piece ${index}`, () => seenCount === index - 1);
        await exchange.write(c(piece));
      }
      await seen.until('the last piece', () => seenCount === pieces.length - 1);
      await exchange.write(END);
    });
    const answer = client.ask({ ...JSON_POST, ':path': '/v1/chat/completions/piecewise' }, '{}');
    await answer.head();
    let bytes = 0;
    for (const [index, piece] of pieces.entries()) {
      seenCount = index - 1;
      seen.notify();
      bytes += piece.length;
      await answer.bytes(bytes);
    }
    seenCount = pieces.length - 1;
    seen.notify();
    await answer.closed();
    expect([answer.body, answer.isWhole, answer.resetCode]).toEqual([pieces.join(''), true, 0]);
    const { record } = await bench.sidecar.record('it', ({ request }) => request.path.endsWith('/piecewise'));
    expect(record.end.outcome).toBe('ok');
    expect(record.request.httpVersion).toBe('2');
    expect(record.chunks.receivedAtNs.length).toBe(4);
    expect(record.chunks.queuedBytes).toEqual([0, 0, 0, 0]);
    expect(record.blockedNs).toEqual([]);
  });

  test('has its informational answers before it and its trailers behind it', async () => {
    const hints = head('103 Early Hints', 'link: </a>');
    const trailers = 'x-sum: 7\r\n\r\n';
    bench.engine.plan([
      at(0, hints, head('200 OK', 'transfer-encoding: chunked', 'trailer: x-sum'), c('ok'), '0\r\n', trailers),
    ]);
    const answer = await client.ask({ ':method': 'GET' }).closed();
    expect(answer.informational).toEqual([103]);
    expect([answer.status, answer.body, answer.trailers]).toEqual([200, 'ok', ['x-sum', '7']]);
  });

  test('may repeat fields that Node expects once, in head and trailers', async () => {
    const top = head('200 OK', 'etag: 1', 'etag: 2', 'transfer-encoding: chunked');
    bench.engine.plan([at(0, top, c('ok'), '0\r\netag: 3\r\netag: 4\r\n\r\n')]);
    const answer = await client.ask({ ':method': 'GET' }).closed();
    expect([answer.fields, answer.body]).toEqual([['etag', '1', 'etag', '2'], 'ok']);
    expect(answer.trailers).toEqual(['etag', '3', 'etag', '4']);
  });

  test('to a request that waits for leave is the engine’s leave and then its answer', async () => {
    bench.engine.plan(async (exchange) => {
      await exchange.write(head('100 Continue'));
      await exchange.untilRequestEnd();
      await exchange.write(head('200 OK', 'content-length: 3'), exchange.request.body);
    });
    const answer = client.open({ ':method': 'POST', expect: '100-continue' });
    answer.stream.on('continue', () => answer.stream.end('abc'));
    await answer.closed();
    expect([answer.informational, answer.status, answer.body]).toEqual([[100], 200, 'abc']);
  });

  test.each([
    ['204', head('204 No Content')],
    ['304', head('304 Not Modified', 'etag: "x"')],
    ['of no bytes', head('200 OK', 'content-length: 0')],
    ['that ends with its connection', head('200 OK', 'connection: close', 'keep-alive: x', 'upgrade: y')],
  ])('%s ends well', async (_what, text) => {
    bench.engine.plan(async (exchange) => {
      await exchange.write(text);
      if (text.includes('close')) exchange.fin();
    });
    const answer = await client.ask({ ':method': 'GET' }).closed();
    expect([answer.isWhole, answer.resetCode, answer.body]).toEqual([true, 0, '']);
    expect(answer.fields.filter((_name, index) => index % 2 === 0)).not.toContain('connection');
  });

  test('of 8 MiB is not altered, down and up', async () => {
    const large = Buffer.alloc(8 * 1024 * 1024, '0123456789abcdef-');
    const plan = bench.engine.plan(async (exchange) => {
      await exchange.untilRequestEnd(20_000);
      await exchange.write(head('200 OK', 'content-type: application/x', 'transfer-encoding: chunked'), c(large), END);
    });
    const answer = await client.ask({ ':method': 'POST', 'content-type': 'application/x' }, large).closed(20_000);
    const { request } = await plan.exchange;
    expect(request.body.equals(large)).toBe(true);
    expect(answer.body === large.toString('latin1')).toBe(true);
  });

  test('that breaks off is reset, with every byte before it', async () => {
    bench.engine.plan(async (exchange) => {
      await exchange.write(HEAD, c(D('a')));
      exchange.rst();
    });
    const answer = await client.ask(JSON_POST, '{}').closed();
    expect([answer.body, answer.resetCode]).toEqual([D('a'), 2]);
  });

  test('of a head that HTTP/2 cannot carry is a fault of the engine', async () => {
    bench.engine.plan([at(0, head('777 Odd', 'content-length: 2'), 'ok')]);
    const answer = await client.ask({ ':method': 'GET', ':path': '/odd' }).closed();
    expect(answer.resetCode).toBe(2);
    const { record } = await bench.sidecar.record('it', ({ request }) => request.path === '/odd');
    expect(record.end.outcome).toBe('upstream_aborted');
  });

  test('there is none of: rubato’s own says so', async () => {
    bench.engine.plan(async (exchange) => {
      await exchange.untilRequestEnd();
      exchange.rst();
    });
    const answer = await client.ask(JSON_POST, '{}').closed();
    expect([answer.status, answer.field('x-rubato-error'), answer.isWhole]).toEqual([
      502,
      expect.stringMatching(/^RBT_UPSTREAM_/),
      true,
    ]);
  });

  test('that comes before the request is whole is given whole, and the rest of the request not asked for', async () => {
    bench.engine.plan([at(0, head('413 Payload Too Large', 'content-length: 2'), 'no')]);
    const answer = client.open({ ':method': 'POST' });
    answer.stream.write('abc');
    await answer.closed();
    expect([answer.status, answer.body, answer.resetCode]).toEqual([413, 'no', 0]);
  });
});

describe('one connection', () => {
  test('carries a hundred streams at once, each with its own answer', async () => {
    const plans = Array.from({ length: 100 }, (_each, index) =>
      bench.engine.plan([at(0, HEAD), at(200, c(D(`answer ${index}`)), c(DONE), END)]),
    );
    const answers = plans.map(({ id }) => client.ask({ ...JSON_POST, [PLAN_FIELD]: id }, '{}'));
    await Promise.all(answers.map((answer) => answer.closed()));
    expect(answers.map(({ body }) => body)).toEqual(plans.map((_plan, index) => D(`answer ${index}`) + DONE));
  });

  test('of HTTP/1.1 on the same port is served as ever, however its bytes come', async () => {
    for (const split of [1, 3, 10]) {
      bench.engine.plan([at(0, head('200 OK', 'content-length: 2'), 'ok')]);
      const plain = await RawClient.open(bench.sidecar.listenPort);
      const text = requestOf();
      plain.request(text.slice(0, split));
      await new Promise((resolve) => setTimeout(resolve, 20));
      plain.send(text.slice(split));
      expect((await plain.response()).body.toString()).toBe('ok');
      bench.engine.plan([at(0, head('200 OK', 'content-length: 3'), 'two')]);
      plain.request(text);
      expect((await plain.response(1)).body.toString()).toBe('two');
      plain.close();
    }
  });

  test('that begins like HTTP/2 and is not gets a 400', async () => {
    const plain = await RawClient.open(bench.sidecar.listenPort);
    plain.request(PREFACE.replace('SM', 'XX'));
    expect((await plain.response()).status).toBe(400);
    plain.close();
  });
});

test('malformed requests are reset, and their connection lives on', async () => {
  const bad: Record<string, string | string[]>[] = [
    { ':method': 'GET', ':path': 'no-slash' },
    { ':method': 'GET', ':authority': 'one.example', host: 'other.example' },
    { ':method': 'GET', ':path': '/a b' },
  ];
  for (const headers of bad) {
    const answer = await client.ask(headers).closed();
    expect([answer.status, answer.resetCode]).toEqual([undefined, PROTOCOL_ERROR]);
  }
  expect(client.isClosed).toBe(false);
});
