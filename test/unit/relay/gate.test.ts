// Goal: heads that two parsers could read in two ways are refused; what is merely unusual passes.
// Method: each rule with a head that breaks it and the nearest one that does not.
import { describe, expect, test } from 'vitest';
import { refusal, type RequestLine } from '../../../src/relay/gate.ts';

function verdict(changes: Partial<RequestLine>): string {
  const refused = refusal({
    method: 'POST',
    target: '/v1/chat/completions',
    majorVersion: 1,
    minorVersion: 1,
    fields: ['Host', 'engine.test:8000'],
    ...changes,
  });
  return refused === undefined ? 'passes' : `${refused.status} ${refused.detail}`;
}

/** A request with these fields beside its Host. */
function withFields(...fields: string[]): string {
  return verdict({ fields: ['Host', 'a', ...fields] });
}

function refuses(what: string, word: RegExp): void {
  expect(what).not.toBe('passes');
  expect(what).toMatch(word);
}

test('a usual request passes', () => {
  expect(verdict({})).toBe('passes');
});

describe('the version', () => {
  test.each([
    [1, 0],
    [1, 1],
  ])('%i.%i passes', (majorVersion, minorVersion) => {
    expect(verdict({ majorVersion, minorVersion })).toBe('passes');
  });

  test.each([
    [0, 9],
    [2, 0],
  ])('%i.%i is refused', (majorVersion, minorVersion) => {
    refuses(verdict({ majorVersion, minorVersion }), /version/);
  });
});

describe('the target', () => {
  test.each([
    '/',
    '//x',
    '/./a',
    '/a/../b',
    '/%2e%2e/',
    '/a%zz',
    '/a?b=c?d',
    '/~!$&\'()*+,;=:@[]{}|^`"<>',
    '/\xe4\xff',
  ])('%s passes as it is', (target) => {
    expect(verdict({ target })).toBe('passes');
  });

  test.each(['/a b', '/a\t', '/a\r\n', '/\0', '/a#b', '/a\\b', '/\x7f', '/\x1f'])('%j is refused', (target) => {
    refuses(verdict({ target }), /target holds/);
  });

  test('"*" is for OPTIONS alone', () => {
    expect(verdict({ method: 'OPTIONS', target: '*' })).toBe('passes');
    refuses(verdict({ method: 'GET', target: '*' }), /OPTIONS/);
  });

  test.each(['', 'a', 'engine.test:80', '*/', 'ftp://engine.test:8000/', 'http:/engine.test:8000/', 'https//x'])(
    '%j is neither path nor URL',
    (target) => {
      refuses(verdict({ target }), /neither/);
    },
  );
});

describe('an absolute target', () => {
  test.each([
    'http://engine.test:8000/v1',
    'https://engine.test:8000/v1',
    'HTTP://ENGINE.test:8000',
    'http://engine.test:8000?x=http://other',
    'http://engine.test:8000//other/',
  ])('that names the host of Host passes: %s', (target) => {
    expect(verdict({ target })).toBe('passes');
  });

  test.each([
    'http://other.test:8000/v1',
    'http://engine.test/v1',
    'http://engine.test:8000@other.test/',
    'http://user@engine.test:8000/',
    'http://engine.test:8000.other.test/',
    'http:///v1',
  ])('that names another one is refused: %s', (target) => {
    refuses(verdict({ target }), /different hosts/);
  });

  test('needs no Host in HTTP/1.0', () => {
    expect(verdict({ target: 'http://engine.test/', minorVersion: 0, fields: [] })).toBe('passes');
  });
});

describe('Host', () => {
  test('is needed once in HTTP/1.1, and at most once in HTTP/1.0', () => {
    refuses(verdict({ fields: ['Hosts', 'a', 'x-host', 'b'] }), /no Host/);
    expect(verdict({ fields: [], minorVersion: 0 })).toBe('passes');
    refuses(verdict({ fields: ['Host', 'a', 'HOST', 'a'] }), /more than one/);
    refuses(verdict({ fields: ['Host', 'a', 'host', 'a'], minorVersion: 0 }), /more than one/);
  });

  test.each(['', 'a', 'a:', 'a:1', 'a:65535', '127.0.0.1:80', '[::1]', '[::ffff:1.2.3.4]:8080', 'a_b-c.%41~', 'A.B'])(
    '%j passes',
    (host) => {
      expect(verdict({ fields: ['Host', host] })).toBe('passes');
    },
  );

  test.each([
    'a b',
    'a/b',
    'a:b',
    'a:123456',
    'a:1:2',
    '::1',
    '[::1',
    '[::1]x',
    '[]',
    '[g::1]',
    'user@a',
    'a#',
    'a?',
    'a\\b',
    'a, b',
    'ä',
  ])('%j is no host and port', (host) => {
    // A comma is a sub-delimiter that a registered name may hold, a space is not.
    refuses(verdict({ fields: ['Host', host] }), /not a host/);
  });
});

describe('the framing', () => {
  test.each(['chunked', 'Chunked', 'CHUNKED'])('"%s" alone passes', (coding) => {
    expect(withFields('Transfer-Encoding', coding)).toBe('passes');
  });

  test.each(['', 'gzip', 'gzip, chunked', 'chunked, chunked', 'chunked;a=b', 'xchunked', 'identity', 'chunked,'])(
    '"%s" is refused',
    (coding) => {
      refuses(withFields('transfer-encoding', coding), /Only one Transfer-Encoding/);
    },
  );

  test('two fields are refused, also when they say the same', () => {
    refuses(withFields('transfer-encoding', 'chunked', 'Transfer-Encoding', 'chunked'), /Only one/);
  });

  test('a length beside chunks is refused, a length alone passes', () => {
    refuses(withFields('content-length', '5', 'transfer-encoding', 'chunked'), /both stated/);
    refuses(withFields('Transfer-Encoding', 'chunked', 'Content-Length', '0'), /both stated/);
    expect(withFields('content-length', '5')).toBe('passes');
    expect(withFields('x-content-length', '5', 'transfer-encoding', 'chunked')).toBe('passes');
  });

  test('chunks do not exist in HTTP/1.0', () => {
    refuses(verdict({ minorVersion: 0, fields: ['transfer-encoding', 'chunked'] }), /HTTP\/1\.0/);
  });
});

describe('the number', () => {
  test('of fields is bounded', () => {
    const fields = Array.from({ length: 1_999 }, (_, index) => [`x-${index}`, 'v']).flat();
    expect(withFields(...fields)).toBe('passes');
    refuses(withFields(...fields, 'x', 'v'), /^431 .*too many header fields/);
  });

  test('of nominations is bounded, over all Connection fields', () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}`).join(',');
    expect(withFields('connection', names(32))).toBe('passes');
    refuses(withFields('connection', names(33)), /Connection/);
    refuses(withFields('connection', names(20), 'Connection', names(13)), /Connection/);
    expect(withFields('connection', ','.repeat(100))).toBe('passes');
  });
});
