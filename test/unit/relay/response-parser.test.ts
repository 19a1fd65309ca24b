// Goal: heads, bodies and ends of HTTP/1.1 responses as RFC 9112 says, whatever pieces they come in.
// Method: vectors with the callbacks they must lead to; each is also cut at every place.
import { describe, expect, test } from 'vitest';
import type { Framing } from '../../../src/base/outcome.ts';
import { parseHead } from '../../../src/relay/response-head.ts';
import { ResponseParser } from '../../../src/relay/response-parser.ts';
import { bytesOf, cutsOf, parse, uncut, type ParseOptions } from './parse-log.ts';

interface Vector extends ParseOptions {
  readonly name: string;
  readonly text: string;
  readonly framing: Framing;
  readonly status?: number;
  readonly body?: string;
  readonly trailers?: readonly string[];
  readonly informational?: readonly number[];
  /** The answer is over by its framing alone. */
  readonly complete?: boolean;
}

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

const VECTORS: readonly Vector[] = [
  { name: 'a length', text: 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello', framing: 'length', body: 'hello' },
  { name: 'a length of 0', text: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', framing: 'length' },
  {
    name: 'a length with zeros before it',
    text: 'HTTP/1.1 200 OK\r\ncontent-length: 0002\r\n\r\nab',
    framing: 'length',
    body: 'ab',
  },
  {
    name: 'a length stated twice alike',
    text: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nContent-Length: 2\r\n\r\nab',
    framing: 'length',
    body: 'ab',
  },
  { name: 'no chunks but the last', text: `${CHUNKED}0\r\n\r\n`, framing: 'chunked' },
  {
    name: 'chunks',
    text: `${CHUNKED}5\r\nhello\r\nA\r\n, chunked!\r\n0\r\n\r\n`,
    framing: 'chunked',
    body: 'hello, chunked!',
  },
  {
    name: 'chunks that hold line ends',
    text: `${CHUNKED}4\r\n\r\n\r\n\r\n2\r\n0\r\r\n0\r\n\r\n`,
    framing: 'chunked',
    body: '\r\n\r\n0\r',
  },
  {
    name: 'a size with zeros before it',
    text: `${CHUNKED}0000000000003\r\nabc\r\n000\r\n\r\n`,
    framing: 'chunked',
    body: 'abc',
  },
  {
    name: 'chunks with extensions',
    text: `${CHUNKED}3;a=b;c="d;e"\r\nabc\r\n0;last\r\n\r\n`,
    framing: 'chunked',
    body: 'abc',
  },
  { name: 'space before an extension', text: `${CHUNKED}3 \t; a\r\nabc\r\n0\r\n\r\n`, framing: 'chunked', body: 'abc' },
  {
    name: 'trailers',
    text: `${CHUNKED}1\r\na\r\n0\r\nX-Sum: 1\r\nx-sum:\r\nServer-Timing:  a;dur=1 \t\r\n\r\n`,
    framing: 'chunked',
    body: 'a',
    trailers: ['X-Sum', '1', 'x-sum', '', 'Server-Timing', 'a;dur=1'],
  },
  {
    name: 'both framings, where chunking wins',
    text: 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
    framing: 'conflict',
    body: 'a',
  },
  {
    name: 'the coding identity',
    text: 'HTTP/1.1 200 OK\r\ntransfer-encoding: identity\r\ncontent-length: 1\r\n\r\na',
    framing: 'length',
    body: 'a',
  },
  {
    name: 'no framing, ended by the connection',
    text: 'HTTP/1.1 200 OK\r\n\r\nall\r\n\r\nof it',
    framing: 'close_delimited',
    body: 'all\r\n\r\nof it',
    eof: true,
  },
  {
    name: 'no framing and no body',
    text: 'HTTP/1.0 200 OK\r\nserver: x\r\n\r\n',
    framing: 'close_delimited',
    eof: true,
  },
  {
    name: 'HTTP/1.0 with a length',
    text: 'HTTP/1.0 404 Not Found\r\ncontent-length: 1\r\n\r\nx',
    framing: 'length',
    status: 404,
    body: 'x',
  },
  {
    name: 'HEAD with a length',
    text: 'HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n',
    framing: 'none',
    method: 'HEAD',
  },
  { name: 'HEAD with chunking', text: CHUNKED, framing: 'none', method: 'HEAD' },
  { name: '204', text: 'HTTP/1.1 204 No Content\r\n\r\n', framing: 'none', status: 204 },
  {
    name: '204 with a length',
    text: 'HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n',
    framing: 'none',
    status: 204,
  },
  {
    name: '304 with a length',
    text: 'HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\netag: "a"\r\n\r\n',
    framing: 'none',
    status: 304,
  },
  {
    name: '205 with a length of 0',
    text: 'HTTP/1.1 205 Reset\r\ncontent-length: 0\r\n\r\n',
    framing: 'length',
    status: 205,
  },
  { name: 'the largest status', text: 'HTTP/1.1 999 \r\ncontent-length: 0\r\n\r\n', framing: 'length', status: 999 },
  {
    name: 'informational answers before the final one',
    text:
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 199\r\n\r\n' +
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx',
    framing: 'length',
    body: 'x',
    informational: [100, 103, 199],
  },
  {
    name: 'informational answers to HEAD with a length that means nothing',
    text: 'HTTP/1.1 102 Processing\r\ncontent-length: 7\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
    framing: 'none',
    informational: [102],
    method: 'HEAD',
  },
  {
    name: 'an upgrade that was asked for',
    text: 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n\x81\x05hello\r\n\r\nHTTP/1.1',
    framing: 'upgrade',
    status: 101,
    body: '\x81\x05hello\r\n\r\nHTTP/1.1',
    upgradeAsked: true,
    complete: false,
    eof: true,
  },
];

const optionsOf = ({ method, upgradeAsked, eof }: Vector): ParseOptions => ({
  ...(method === undefined ? {} : { method }),
  ...(upgradeAsked === undefined ? {} : { upgradeAsked }),
  ...(eof === undefined ? {} : { eof }),
});

describe.each(VECTORS)('$name', (vector) => {
  const whole = parse([bytesOf(vector.text)], optionsOf(vector));

  test('is read whole', () => {
    expect(whole.fault).toBeUndefined();
    expect(whole.heads.map(({ status, framing }) => ({ status, framing }))).toEqual([
      { status: vector.status ?? 200, framing: vector.framing },
    ]);
    expect(whole.body).toBe(vector.body ?? '');
    expect(whole.informational.map(({ status }) => status)).toEqual(vector.informational ?? []);
    expect([whole.completeCount, whole.trailers, whole.surplusBytes]).toEqual(
      vector.complete === false ? [0, undefined, undefined] : [1, vector.trailers ?? [], 0],
    );
    if (vector.eof === true) expect(whole.properEnd).toBe(true);
  });

  test('says the same however it is cut', () => {
    for (const pieces of cutsOf(bytesOf(vector.text))) {
      expect(uncut(parse(pieces, optionsOf(vector)))).toEqual(uncut(whole));
    }
  });

  test('is not over before its last byte', () => {
    if (vector.framing === 'close_delimited' || vector.framing === 'upgrade') return;
    for (let at = 0; at < vector.text.length; at += 1) {
      const cut = parse([bytesOf(vector.text.slice(0, at))], { ...optionsOf(vector), eof: true });
      expect([cut.completeCount, cut.properEnd, cut.fault]).toEqual([0, false, undefined]);
    }
  });
});

describe('a head', () => {
  test('keeps reason, names, case, order and repetitions; only blanks around values go', () => {
    const lines = [
      'HTTP/1.1 207 Multi  Status \xfc',
      'X-b: 1',
      'x-B:',
      'Set-Cookie: \t a; b \t',
      "!#$%&'*+-.^_`|~9: :::",
      'x: a\tb\xa0\x80',
    ];
    const { reason, fields, minorVersion, status } = parseHead(lines.join('\r\n'), false);
    expect([status, minorVersion, reason]).toEqual([207, 1, 'Multi  Status \xfc']);
    expect(fields).toEqual([
      'X-b',
      '1',
      'x-B',
      '',
      'Set-Cookie',
      'a; b',
      "!#$%&'*+-.^_`|~9",
      ':::',
      'x',
      'a\tb\xa0\x80',
    ]);
  });

  test.each([
    ['HTTP/1.1 200 OK', 'OK'],
    ['HTTP/1.1 200 ', ''],
    ['HTTP/1.1 200', ''],
    ['HTTP/1.1 200  two', ' two'],
    ['HTTP/1.1 200 a\tb', 'a\tb'],
  ])('"%s" has the reason "%s"', (line, reason) => {
    expect(parseHead(line, false).reason).toBe(reason);
  });

  test('states its length only where the length frames the body', () => {
    const lengthOf = (status: number) => parseHead(`HTTP/1.1 ${status} x\r\ncontent-length: 5`, false).lengthBytes;
    expect([200, 204, 304].map(lengthOf)).toEqual([5, 0, 0]);
    expect(parseHead('HTTP/1.1 200 x\r\ncontent-length: 999999999999999', false).lengthBytes).toBe(999_999_999_999_999);
  });
});

describe('bytes behind an answer', () => {
  test.each([
    ['a length', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nabXYZ', 'ab'],
    ['a length of 0', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\nXYZ', ''],
    ['chunks', `${CHUNKED}1\r\na\r\n0\r\n\r\nXYZ`, 'a'],
    ['a 204', 'HTTP/1.1 204 x\r\n\r\nXYZ', ''],
  ])('with %s are counted and are no body', (_, text, body) => {
    const log = parse([bytesOf(text), bytesOf('more')]);
    expect([log.body, log.surplusBytes, log.completeCount, log.fault]).toEqual([body, 3, 1, undefined]);
  });
});

test('a slice is told to be followed only when body of the same push surely follows', () => {
  const text = `${CHUNKED}1\r\na\r\n1\r\nb\r\n3\r\nc`;
  expect(parse([bytesOf(text), bytesOf('de\r\n0\r\n\r\n')]).slices).toEqual([
    { text: 'a', more: true },
    { text: 'b', more: true },
    { text: 'c', more: false },
    { text: 'de', more: true },
  ]);
  expect(parse([bytesOf(`${CHUNKED}1\r\na\r\n`), bytesOf('1\r\nb')]).slices).toEqual([
    { text: 'a', more: false },
    { text: 'b', more: false },
  ]);
});

test('one parser reads answer after answer, nothing of the last one left', () => {
  const log: string[] = [];
  const parser = new ResponseParser({
    onInformational: () => undefined,
    onHead: ({ framing }) => log.push(framing),
    onBody: (slice) => log.push(slice.toString()),
    onComplete: (trailers) => log.push(`end ${trailers.join('=')}`),
  });
  parser.expect('GET', false);
  parser.push(bytesOf(`${CHUNKED}1\r\na\r\n0\r\nx: 1\r\n\r\n`));
  parser.expect('HEAD', false);
  parser.push(bytesOf('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n'));
  parser.expect('GET', false);
  parser.push(bytesOf('HTTP/1.1 200 O'));
  parser.expect('GET', false);
  parser.push(bytesOf(`${CHUNKED}0\r\n\r\n`));
  expect(log).toEqual(['chunked', 'a', 'end x=1', 'none', 'end ', 'chunked', 'end ']);
});
