// Goal: the client sees the answer as the engine sent it: status line, fields, informational
// answers, body, trailers.
// Method: raw answers; what the raw client read is compared line by line, less the fields that
// belong to one connection.
import { describe, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { endToEnd, linesOf } from '../support/fields.ts';
import {
  actAt,
  at,
  c,
  chatRequest,
  D,
  DONE,
  END,
  HEAD,
  head,
  requestOf,
  type RequestParts,
} from '../support/script.ts';
import type { WireMessage } from '../support/wire-parser.ts';

const bench = useBench();

/** What the client reads when the engine answers these bytes. */
async function clientSees(answer: Buffer, request: RequestParts = {}, thenFin = false): Promise<WireMessage> {
  bench.engine.plan([at(0, answer), ...(thenFin ? [actAt(10, 'fin' as const)] : [])]);
  const client = await bench.client();
  client.request(requestOf(request));
  const response = await client.response();
  expect(response.complete).toBe(true);
  return response;
}

async function expectUnchanged(text: string, request: RequestParts = {}): Promise<WireMessage> {
  const bytes = Buffer.from(text, 'latin1');
  const response = await clientSees(bytes, request);
  expect(response.head?.startLine).toBe(text.split('\r\n')[0]);
  expect(endToEnd(response.head?.lines ?? [])).toEqual(endToEnd(linesOf(bytes)));
  return response;
}

describe('status lines', () => {
  const statuses = [
    200, 201, 202, 203, 206, 207, 226, 300, 301, 302, 303, 305, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 408,
    409, 410, 411, 412, 413, 415, 416, 417, 418, 421, 422, 424, 425, 426, 428, 429, 431, 451, 499, 500, 501, 502, 503,
    504, 505, 507, 511, 529, 599, 600, 799, 999,
  ];

  test('every status passes with a reason of its own', async () => {
    const client = await bench.client();
    for (const [index, status] of statuses.entries()) {
      bench.engine.plan([at(0, head(`${status} Reason No ${status}`, 'content-length: 2'), 'ok')]);
      client.request(chatRequest());
      const response = await client.response(index);
      expect(response.head?.startLine).toBe(`HTTP/1.1 ${status} Reason No ${status}`);
      expect(response.body.toString()).toBe('ok');
    }
  });

  test.each(['200 ', '200 OK then', '404 Not found; really', '200 \xc9t\xe9', '503 a\tb'])(
    'the status line "%s" passes',
    async (line) => {
      await expectUnchanged(head(line, 'content-length: 0'));
    },
  );
});

describe('fields', () => {
  test('order, case and repeats are kept, and nothing is added', async () => {
    await expectUnchanged(
      head(
        '200 OK',
        'X-B: 1',
        'Set-Cookie: a=1',
        'x-a: 2',
        'set-cookie: b=2; Path=/',
        'X-B: 3',
        'Content-Length: 0',
        'SERVER: up',
      ),
    );
  });

  test.each([
    ['a date of the engine', ['Date: Thu, 01 Jan 1970 00:00:00 GMT', 'content-length: 0']],
    [
      'rate limits and request ids',
      ['x-ratelimit-remaining-tokens: 5', 'x-request-id: req_1', 'retry-after: 0', 'content-length: 0'],
    ],
    [
      'several lines of one list',
      ['vary: a', 'Vary: b', 'www-authenticate: Basic', 'WWW-Authenticate: Bearer', 'content-length: 0'],
    ],
    ['bytes above ASCII and empty values', ['x-l: caf\xe9', 'x-e:', 'content-length: 0']],
    [
      'security fields',
      ['strict-transport-security: max-age=1', 'access-control-allow-origin: *', 'content-length: 0'],
    ],
  ])('%s pass', async (_, lines) => {
    await expectUnchanged(head('200 OK', ...lines));
  });

  test('L3 both Set-Cookie lines and both request lists pass', async () => {
    const { response, exchange } = await bench.run({
      lines: ['X-A: 1', 'X-A: 2', 'Accept: a', 'Accept: b'],
      script: [
        at(0, head('200 OK', 'Set-Cookie: a=1', 'Set-Cookie: b=2', 'X-Req: a', 'X-Req: b', 'content-length: 0')),
      ],
    });
    expect(exchange.request.values('x-a')).toEqual(['1', '2']);
    expect(exchange.request.values('accept')).toEqual(['a', 'b']);
    expect(response.values('set-cookie')).toEqual(['a=1', 'b=2']);
    expect(response.values('x-req')).toEqual(['a', 'b']);
  });

  test('a head of 40 KiB passes', async () => {
    await expectUnchanged(head('200 OK', `x-long: ${'v'.repeat(40 * 1024)}`, 'content-length: 0'));
  });
});

describe('bodies that are none', () => {
  test.each([
    ['HEAD', head('200 OK', 'content-type: text/event-stream', 'content-length: 1234')],
    ['HEAD of a chunked answer', head('200 OK', 'content-type: text/event-stream', 'transfer-encoding: chunked')],
    ['HEAD without any length', head('200 OK', 'x-a: 1')],
  ])('%s', async (_, answer) => {
    const response = await expectUnchanged(answer, { method: 'HEAD' });
    expect(response.bodyBytes).toBe(0);
  });

  test.each([
    ['304 with the length of what it stands for', head('304 Not Modified', 'etag: "x"', 'content-length: 1234')],
    ['304 without a length', head('304 Not Modified', 'etag: "x"')],
    ['204', head('204 No Content', 'x-a: 1')],
    ['200 of length 0', head('200 OK', 'content-length: 0')],
    ['M3 a preflight', head('204 No Content', 'access-control-allow-origin: *', 'access-control-allow-methods: POST')],
  ])('%s', async (_, answer) => {
    const response = await expectUnchanged(answer);
    expect(response.bodyBytes).toBe(0);
  });

  test('the connection serves the next request after each of them', async () => {
    const client = await bench.client();
    const answers = [
      head('304 Not Modified', 'content-length: 9'),
      head('204 No Content'),
      head('200 OK', 'content-length: 9'),
    ];
    for (const [index, answer] of answers.entries()) {
      bench.engine.plan([at(0, answer)]);
      client.request(requestOf({ method: index === 2 ? 'HEAD' : 'GET' }));
      expect((await client.response(index)).complete).toBe(true);
    }
    bench.engine.plan([at(0, head('200 OK', 'content-length: 3'), 'end')]);
    client.request(requestOf());
    expect((await client.response(3)).body.toString()).toBe('end');
  });
});

describe('informational answers', () => {
  test('103 and 102 pass in their order before the final head', async () => {
    const early = head('103 Early Hints', 'Link: </a>; rel=preload', 'link: </b>', 'x-h: 1');
    const response = await clientSees(
      Buffer.from(early + head('102 Processing') + head('200 OK', 'content-length: 2') + 'ok'),
    );
    expect(response.informational.map((each) => each.startLine)).toEqual([
      'HTTP/1.1 103 Early Hints',
      'HTTP/1.1 102 Processing',
    ]);
    expect(response.informational[0]?.lines).toEqual(['Link: </a>; rel=preload', 'link: </b>', 'x-h: 1']);
    expect(response.body.toString()).toBe('ok');
  });

  test('an early hint leaves at once and is no head and no first byte', async () => {
    const run = await bench.run({
      script: [at(0, head('103 Early Hints', 'link: </a>')), at(300, HEAD), at(350, c(D('a')), c(DONE), END)],
    });
    expect(run.response.informational[0]?.atNs).toBeLessThan(run.exchange.writes[1]?.atNs ?? 0);
    const { figures } = await bench.recordOf(run);
    expect(figures.headNs).toBeGreaterThanOrEqual(290e6);
  });

  test('a hint cut into single bytes passes', async () => {
    const bytes = Buffer.from(head('103 Early Hints', 'link: </a>') + head('200 OK', 'content-length: 0'));
    bench.engine.plan([...bytes].map((byte, index) => at(index, Buffer.from([byte]))));
    const client = await bench.client();
    client.request(requestOf());
    const response = await client.response();
    expect(response.informational).toHaveLength(1);
    expect(response.status).toBe(200);
  });

  test('an HTTP/1.0 client gets none', async () => {
    const answer = Buffer.from(head('103 Early Hints', 'link: </a>') + head('200 OK', 'content-length: 2') + 'ok');
    const response = await clientSees(answer, { version: '1.0' });
    expect(response.informational).toEqual([]);
    expect(response.body.toString()).toBe('ok');
  });

  test('more informational answers than any engine sends are a fault of the engine', async () => {
    const flood = head('102 Processing').repeat(50) + head('200 OK', 'content-length: 0');
    const response = await clientSees(Buffer.from(flood));
    expect(response.status).toBe(502);
    expect(response.values('x-rubato-error')).toEqual(['RBT_UPSTREAM_BAD_RESPONSE']);
  });
});

describe('framing', () => {
  test('L4 a trailer arrives, or is not announced', async () => {
    const run = await bench.run({
      lines: ['te: trailers'],
      script: [
        at(
          0,
          head('200 OK', 'content-type: text/event-stream', 'trailer: x-usage', 'transfer-encoding: chunked'),
          c(D('a')),
        ),
        at(50, '0\r\nX-Usage: 7\r\n\r\n'),
      ],
    });
    expect(run.response.complete).toBe(true);
    expect(run.response.body.toString()).toBe(D('a'));
    expect(run.response.trailers).toEqual(['X-Usage: 7']);
    expect(run.response.values('trailer')).toEqual(['x-usage']);
  });

  test('L4 an HTTP/1.0 client is promised no trailer', async () => {
    const text =
      head('200 OK', 'trailer: x-usage', 'transfer-encoding: chunked') + '2\r\nok\r\n0\r\nx-usage: 7\r\n\r\n';
    const response = await clientSees(Buffer.from(text), { version: '1.0' });
    expect(response.values('trailer')).toEqual([]);
    expect(response.body.toString()).toBe('ok');
  });

  test('L2 length and chunking both stated: chunking counts, the length goes', async () => {
    const top = head('200 OK', 'content-type: text/event-stream', 'content-length: 5', 'transfer-encoding: chunked');
    const run = await bench.run({ script: [at(0, top, c('data: a\n\n'), END)] });
    expect(run.response.body.toString()).toBe('data: a\n\n');
    expect(run.response.values('content-length')).toEqual([]);
    const { record } = await bench.recordOf(run);
    expect(record.response.framing).toBe('conflict');
    expect(record.doubts).toContain('framing_conflict');
  });

  test("H4 a close-delimited answer does not end the client's connection", async () => {
    bench.engine.plan([
      at(0, head('200 OK', 'content-type: text/event-stream', 'connection: close'), D('a'), DONE),
      actAt(20, 'fin'),
    ]);
    bench.engine.plan([at(0, head('200 OK', 'content-length: 2'), 'ok')]);
    const client = await bench.client();
    client.request(chatRequest());
    const first = await client.response(0);
    expect(first.body.toString()).toBe(D('a') + DONE);
    expect(first.values('connection').map((value) => value.toLowerCase())).not.toContain('close');
    client.request(requestOf());
    expect((await client.response(1)).body.toString()).toBe('ok');
  });

  test('an HTTP/1.0 engine is understood', async () => {
    const response = await clientSees(Buffer.from('HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\nold'), {}, true);
    expect(response.body.toString()).toBe('old');
    expect(response.head?.startLine).toBe('HTTP/1.1 200 OK');
  });

  test('M1 an HTTP/1.0 reader sees no chunk sizes and each event at once', async () => {
    const run = await bench.run({ version: '1.0', script: [at(0, HEAD, c(D('a'))), at(200, c(D('b'))), at(250, END)] });
    expect(run.response.framing).toBe('close');
    expect(run.response.body.toString()).toBe(D('a') + D('b'));
    expect(run.response.marks[0]?.atNs).toBeLessThan(run.exchange.writes[1]?.atNs ?? 0);
    await run.client.untilGone();
  });

  test('half a chunk leaves at once', async () => {
    const chunk = c(D('a'));
    const run = await bench.run({ script: [at(0, HEAD, chunk.subarray(0, 20)), at(200, chunk.subarray(20), END)] });
    expect(run.response.marks[0]?.atNs).toBeLessThan(run.exchange.writes[1]?.atNs ?? 0);
    expect(run.response.body.toString()).toBe(D('a'));
  });
});
