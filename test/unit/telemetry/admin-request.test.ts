// Goal: a head of the admin port is read in one way or refused, and whatever is sent is no fault of ours.
// Method: heads as bytes, cut at every place; a list of heads that other parsers read differently.
import { expect, test } from 'vitest';
import { readHead } from '../../../src/telemetry/admin-request.ts';

const HEAD = 'GET /api/streams?x=1 HTTP/1.1\r\nHost: localhost\r\nAccept: a\r\naccept: b\r\n\r\n';

test('a head is a request as soon as it is whole, wherever it was cut', () => {
  const bytes = Buffer.from(`${HEAD}GET /`);
  for (let end = 0; end < HEAD.length; end += 1) expect(readHead(bytes.subarray(0, end)).type).toBe('partial');
  expect(readHead(bytes)).toEqual({
    type: 'request',
    bytes: HEAD.length,
    request: {
      method: 'GET',
      target: '/api/streams?x=1',
      host: 'localhost',
      origin: undefined,
      accept: 'a, b',
      keepAlive: true,
    },
  });
});

test.each([
  ['HTTP/1.1', '', true],
  ['HTTP/1.1', 'connection: close\r\n', false],
  ['HTTP/1.1', 'connection: x, CLOSE\r\n', false],
  ['HTTP/1.0', '', false],
  ['HTTP/1.0', 'connection: Keep-Alive\r\n', true],
])('%s with %j keeps the connection: %s', (version, field, keepAlive) => {
  const reading = readHead(Buffer.from(`GET / ${version}\r\n${field}\r\n`));
  expect(reading).toMatchObject({ type: 'request', request: { keepAlive } });
});

test.each([
  ['no HTTP', 'nonsense\r\n\r\n', 400],
  ['a bare line feed', 'GET / HTTP/1.1\nhost: a\n\n', 400],
  ['a bare line feed at the start', '\nGET / HTTP/1.1\r\n\r\n', 400],
  ['an absolute target', 'GET http://localhost/metrics HTTP/1.1\r\n\r\n', 400],
  ['an asterisk', 'OPTIONS * HTTP/1.1\r\n\r\n', 400],
  ['two spaces', 'GET  / HTTP/1.1\r\n\r\n', 400],
  ['a control character in the target', 'GET /\u0007 HTTP/1.1\r\n\r\n', 400],
  ['NUL in a field', 'GET / HTTP/1.1\r\nx: a\u0000b\r\n\r\n', 400],
  ['a space before the colon', 'GET / HTTP/1.1\r\nhost : a\r\n\r\n', 400],
  ['a folded field', 'GET / HTTP/1.1\r\nx: a\r\n b\r\n\r\n', 400],
  ['two hosts', 'GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n', 400],
  ['two origins', 'GET / HTTP/1.1\r\norigin: a\r\nOrigin: a\r\n\r\n', 400],
  ['a version nobody speaks', 'GET / HTTP/2.0\r\n\r\n', 505],
  ['a body by length', 'POST / HTTP/1.1\r\ncontent-length: 5\r\n\r\nhello', 413],
  ['a body in chunks', 'GET / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n', 413],
  ['a length that is no number', 'GET / HTTP/1.1\r\ncontent-length: -1\r\n\r\n', 413],
  ['a head without end', `GET / HTTP/1.1\r\nx: ${'a'.repeat(16_384)}`, 431],
])('%s is refused', (_name, head, status) => {
  expect(readHead(Buffer.from(head, 'latin1'))).toMatchObject({ type: 'refused', status });
});

test('a head of nothing but spaces costs no time that grows with its square', () => {
  const head = Buffer.from(`GET / HTTP/1.1\r\nx:${' '.repeat(16_000)}\u0001\r\n\r\n`, 'latin1');
  for (let round = 0; round < 200; round += 1) expect(readHead(head).type).toBe('refused');
});

test('a length of 0 is no body', () => {
  expect(readHead(Buffer.from('GET / HTTP/1.1\r\ncontent-length: 0\r\n\r\n')).type).toBe('request');
});
