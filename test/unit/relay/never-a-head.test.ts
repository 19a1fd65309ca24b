// Goal: what will never be a response head is a fault at once, not a wait without end, however its bytes are cut.
// Method: beginnings of heads and of other things, without an end, cut at every place; the caps of a head.
import { describe, expect, test } from 'vitest';
import { FIELDS_MAX_COUNT, HEAD_MAX_BYTES } from '../../../src/base/limits.ts';
import { bytesOf, cutsOf, parse } from './parse-log.ts';

function faultOf(text: string): string | undefined {
  const bytes = bytesOf(text);
  const { fault } = parse([bytes]);
  for (const pieces of cutsOf(bytes)) expect(parse(pieces).fault).toBe(fault);
  return fault;
}

describe('what will never be a head', () => {
  // All of these once waited for an end that never came.
  test.each([
    '\n',
    'x',
    'HTTQ',
    'http/1.1',
    '\r\nHTTP/1.1 200 OK\r\n',
    'HTTP/2',
    'ICY 200',
    '\x15\x03\x01\x00\x02',
    '220 ',
  ])('%j is a fault with its first wrong byte', (text) => {
    expect(faultOf(text)).toBe('not an HTTP response');
  });

  test.each(['H', 'HTTP', 'HTTP/1.', 'HTTP/1.1 200 OK\r\nx: y\r\n', 'HTTP/1.1 200 OK\r\nx: y\r\n\r'])(
    '%j can still become one',
    (text) => {
      expect(faultOf(text)).toBeUndefined();
    },
  );

  test.each([
    'HTTP/1.1 200 OK\n',
    'HTTP/1.1 200 OK\r\nx: y\n',
    'HTTP/1.1 200 OK\ncontent-length: 0\n\n',
    'HTTP/1.1 200 OK\r\n\n',
  ])('%j is a fault with its bare line feed', (text) => {
    expect(faultOf(text)).toBe('bare line feed in response head');
  });
});

test('fields beyond the cap are refused, fields up to it are not', () => {
  const headOf = (count: number) => `HTTP/1.1 204 No\r\n${'a:b\r\n'.repeat(count)}\r\n`;
  expect(parse([bytesOf(headOf(FIELDS_MAX_COUNT))]).fault).toBeUndefined();
  expect(parse([bytesOf(headOf(FIELDS_MAX_COUNT + 1))]).fault).toBe('too many response fields');
});

test('the longest head that comes byte by byte costs no more than its bytes', () => {
  const bytes = bytesOf(`HTTP/1.1 204 No\r\nx: ${'v'.repeat(HEAD_MAX_BYTES - 20)}\r\n\r\n`);
  const startedAtMs = performance.now();
  expect(parse(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))).completeCount).toBe(1);
  // Copied anew with each byte it were 2 GiB of copies.
  expect(performance.now() - startedAtMs).toBeLessThan(500);
});

test('a second head in the same bytes, and one behind a body, is read as the first was', () => {
  const text =
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
  for (const pieces of [[bytesOf(text)], ...cutsOf(bytesOf(text))]) {
    const log = parse(pieces);
    expect([log.informational.map(({ status }) => status), log.heads[0]?.status, log.body]).toEqual([
      [100, 103],
      200,
      'ok',
    ]);
  }
});
