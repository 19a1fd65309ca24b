// Goal: the engine sees the request as the client sent it: line, fields, body, at once.
// Method: raw request bytes; what the raw engine read is compared line by line, less the fields
// that belong to one connection. What no parser can read safely is refused and touches nothing.
import { describe, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { endToEnd, linesOf } from '../support/fields.ts';
import type { EngineExchange } from '../support/raw-engine.ts';
import { bytesOf, c, chatRequest, END, head, requestOf } from '../support/script.ts';
import { sleep } from '../support/signal.ts';

const bench = useBench();

/** Sends the bytes through the sidecar and returns what the engine read. */
async function engineSees(bytes: Buffer): Promise<EngineExchange> {
  const plan = bench.engine.plan(async (exchange) => {
    await exchange.untilRequestEnd();
    await exchange.write(head('200 OK', 'content-length: 0'));
  });
  const client = await bench.client();
  client.request(bytes);
  const response = await client.response();
  expect(response.head?.startLine).toBe('HTTP/1.1 200 OK');
  return plan.exchange;
}

async function expectUnchanged(bytes: Buffer): Promise<EngineExchange> {
  const exchange = await engineSees(bytes);
  const sentLine = bytes.toString('latin1').split('\r\n')[0];
  expect(exchange.request.head?.startLine).toBe(sentLine?.replace(/HTTP\/1\.0$/, 'HTTP/1.1'));
  expect(endToEnd(exchange.request.head?.lines ?? [])).toEqual(endToEnd(linesOf(bytes)));
  return exchange;
}

describe('targets', () => {
  test.each([
    '/a/../b',
    '/./a',
    '/%2e%2e/',
    '/%2E%2e%2Fetc',
    '//x',
    '//x//y//',
    '/a%zz',
    '/a%',
    '/a?b=c?d&e=%26&&',
    '/?',
    '/a;b=c;d',
    '/a/',
    '/:x/*/{y}/(z)',
    '/[v]|^`',
    "/~!$&'()*+,=:@",
    `/${'long'.repeat(2_000)}`,
    '/v1/models/org%2Fname',
  ])('the target %s passes as it is', async (target) => {
    await expectUnchanged(requestOf({ target }));
    await expectUnchanged(requestOf({ target, method: 'POST', lines: ['content-type: application/json'], body: '{}' }));
  });

  test('the absolute form passes as it is', async () => {
    await expectUnchanged(requestOf({ target: 'http://engine.test/v1/models?x=1' }));
  });

  test('OPTIONS * passes as it is', async () => {
    await expectUnchanged(requestOf({ method: 'OPTIONS', target: '*' }));
  });
});

describe('methods and bodies', () => {
  test.each([
    'GET',
    'POST',
    'PUT',
    'DELETE',
    'PATCH',
    'OPTIONS',
    'PROPFIND',
    'PURGE',
    'SEARCH',
    'M-SEARCH',
    'LOCK',
    'QUERY',
  ])('%s passes with and without a body', async (method) => {
    await expectUnchanged(requestOf({ method, target: '/x' }));
    const { request } = await expectUnchanged(requestOf({ method, target: '/x', body: 'the body' }));
    expect(request.body.toString()).toBe('the body');
  });

  test('HEAD passes', async () => {
    await expectUnchanged(requestOf({ method: 'HEAD', target: '/v1/models' }));
  });

  test('a GET with a chunked body passes', async () => {
    const { request } = await expectUnchanged(
      Buffer.concat([requestOf({ lines: ['transfer-encoding: chunked'] }), c('one '), c('two'), bytesOf(END)]),
    );
    expect(request.body.toString()).toBe('one two');
    expect(request.framing).toBe('chunked');
  });

  test.each([
    'application/json;charset=UTF-8',
    'APPLICATION/JSON',
    'application/x-ndjson',
    'multipart/form-data; boundary=----x',
    'text/plain',
    'application/octet-stream',
    'application/vnd.api+json; profile="a;b"',
    'x',
    'x/y/z;;',
    '*/*',
    '',
  ])('a body of media type "%s" passes', async (type) => {
    const body = Buffer.from([0, 255, 123, 125, 10]);
    const { request } = await expectUnchanged(requestOf({ method: 'POST', lines: [`Content-Type: ${type}`], body }));
    expect(request.body.equals(body)).toBe(true);
  });

  test('a stated length of 0 passes, and no length is added where none was', async () => {
    const stated = await expectUnchanged(requestOf({ method: 'POST', lines: ['Content-Length: 0'] }));
    expect(stated.request.values('content-length')).toEqual(['0']);
    const unstated = await expectUnchanged(requestOf({ method: 'POST' }));
    expect(unstated.request.values('content-length')).toEqual([]);
    expect(unstated.request.framing).toBe('none');
  });

  test('trailers of a chunked request pass', async () => {
    const top = requestOf({ method: 'POST', lines: ['trailer: x-sum', 'transfer-encoding: chunked'] });
    const { request } = await expectUnchanged(Buffer.concat([top, c('ab'), bytesOf('0\r\nX-Sum: 7\r\n\r\n')]));
    expect(request.trailers).toEqual(['X-Sum: 7']);
  });
});

describe('fields', () => {
  test('order, case and repeats of fields are kept, and nothing is added', async () => {
    const lines = [
      'X-B: 1',
      'x-a: 2',
      'X-B: 3',
      'Accept: a',
      'ACCEPT: b',
      'Cookie: a=1',
      'cookie: b=2',
      'X-Empty:',
      'User-Agent: t/1 (x; y)',
    ];
    const { request } = await expectUnchanged(requestOf({ lines }));
    expect(request.head?.lines.map((line) => line.split(':')[0]?.toLowerCase())).not.toContain('x-forwarded-for');
  });

  test.each([
    ['Host in its own case and place', 'GET / HTTP/1.1\r\nX-First: 1\r\nHOST: Engine.Test:8443\r\n\r\n'],
    ['quoted strings and commas', 'GET / HTTP/1.1\r\nHost: x\r\nX-Q: "a, b";c="\\""\r\n\r\n'],
    ['bytes above ASCII in a value', 'GET / HTTP/1.1\r\nHost: x\r\nX-L: caf\xe9\xff\r\n\r\n'],
    ['a tab in a value', 'GET / HTTP/1.1\r\nHost: x\r\nX-T: a\tb\r\n\r\n'],
    ['odd but legal names', "GET / HTTP/1.1\r\nHost: x\r\nX_y: 1\r\n!#$%&'*+-.^_`|~: 2\r\n\r\n"],
    ['secrets', 'GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk-1\r\nProxy-Authorization: Basic x\r\n\r\n'],
    [
      'forwarding fields of others',
      'GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 1.2.3.4\r\nVia: 1.1 a\r\nForwarded: for=x\r\n\r\n',
    ],
    ['conditions and ranges', 'GET / HTTP/1.1\r\nHost: x\r\nIf-None-Match: "a"\r\nRange: bytes=0-1\r\n\r\n'],
  ])('%s pass', async (_, text) => {
    await expectUnchanged(Buffer.from(text, 'latin1'));
  });

  test('a value of 30 KiB and 200 fields pass', async () => {
    const many = Array.from({ length: 200 }, (_, index) => `X-${index}: ${index}`);
    await expectUnchanged(requestOf({ lines: [`X-Long: ${'v'.repeat(30 * 1024)}`, ...many] }));
  });

  test('an HTTP/1.0 request without Host passes, and is answered without chunks', async () => {
    const { request } = await engineSees(Buffer.from('GET /x HTTP/1.0\r\nX-A: 1\r\n\r\n'));
    expect(request.framing).toBe('none');
    // It goes on as HTTP/1.1, which must name a host.
    expect(endToEnd(request.head?.lines ?? [])).toEqual([`Host: 127.0.0.1:${bench.engine.port}`, 'X-A: 1']);
  });
});

describe('at once', () => {
  test('K4 a chunked request body is streamed, not collected', async () => {
    const plan = bench.engine.plan(async (exchange) => {
      await exchange.untilRequestEnd();
      await exchange.write(head('200 OK', 'content-length: 0'));
    });
    const client = await bench.client();
    client.request(
      requestOf({ method: 'POST', lines: ['content-type: application/json', 'transfer-encoding: chunked'] }),
    );
    await client.send(c('{"stre'));
    // Nothing more is sent until the engine has this much.
    const { request, connection } = await plan.exchange;
    await connection.signal.until('the first half upstream', () => request.bodyBytes === 6, 2_000);
    await client.send(Buffer.concat([c('am":true}'), bytesOf(END)]));
    await client.response();
    expect(request.body.toString()).toBe('{"stream":true}');
  });

  test('K4 a body of stated length is streamed byte by byte', async () => {
    const plan = bench.engine.plan(async (exchange) => {
      await exchange.untilRequestEnd();
      await exchange.write(head('200 OK', 'content-length: 0'));
    });
    const client = await bench.client();
    client.request(requestOf({ method: 'POST', lines: ['content-length: 5'] }));
    const { request, connection } = await plan.exchange;
    for (const [index, char] of [...'hello'].entries()) {
      await client.send(char);
      await connection.signal.until(`byte ${index}`, () => request.bodyBytes === index + 1, 2_000);
    }
    await client.response();
  });

  test('requests that were pipelined are answered in their order', async () => {
    const answers = ['first', 'second', 'third'];
    for (const [index, text] of answers.entries()) {
      bench.engine.plan(async (exchange) => {
        await sleep(60 - index * 30);
        await exchange.write(head('200 OK', `content-length: ${text.length}`), text);
      });
    }
    const client = await bench.client();
    for (const target of ['/1', '/2', '/3']) client.request(requestOf({ target }));
    for (const [index, text] of answers.entries()) expect((await client.response(index)).body.toString()).toBe(text);
  });
});

describe('refused, and the engine sees nothing', () => {
  test.each([
    ['a method that no parser knows', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['lower case methods', 'get / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['bytes above ASCII in a target, which no target may hold', 'GET /caf\xe9 HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['no HTTP at all', 'hello there\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    [
      'length and chunking',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a chunking that is none', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n', 400],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', 400],
    ['no host', 'GET / HTTP/1.1\r\nX: y\r\n\r\n', 400],
    ['a space in a name', 'GET / HTTP/1.1\r\nHost: x\r\nX y: 1\r\n\r\n', 400],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 405],
    ['TRACE', 'TRACE / HTTP/1.1\r\nHost: x\r\n\r\n', 405],
  ])('%s', async (_, text, status) => {
    const before = bench.engine.requestCount;
    const client = await bench.client();
    client.request(Buffer.from(text, 'latin1'));
    const response = await client.response();
    expect(response.status).toBe(status);
    expect(response.values('x-rubato-error')).toHaveLength(1);
    expect(JSON.parse(response.body.toString())).toHaveProperty('error');
    expect(bench.engine.requestCount).toBe(before);
  });

  test('after a refusal others are served', async () => {
    await expectUnchanged(chatRequest());
  });
});
