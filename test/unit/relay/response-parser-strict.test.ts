// Goal: what is no HTTP/1.1 response, or could be read in two ways, is refused, and every part has its cap.
// Method: one fault a case, beside the nearest head or body that passes; each is also cut at every place.
import { describe, expect, test } from 'vitest';
import { CHUNK_LINE_MAX_BYTES, HEAD_MAX_BYTES } from '../../../src/base/limits.ts';
import { ResponseParser } from '../../../src/relay/response-parser.ts';
import { bytesOf, cutsOf, parse, uncut, type ParseLog, type ParseOptions } from './parse-log.ts';

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

/** The fault of these bytes; fails when it depends on where they are cut whether there is one. */
function faultOf(text: string, options: ParseOptions = {}): string | undefined {
  const bytes = bytesOf(text);
  const whole = parse([bytes], options);
  for (const pieces of cutsOf(bytes)) expect(verdictOf(parse(pieces, options))).toEqual(verdictOf(whole));
  return whole.fault;
}

/** Which of two faults of the same bytes is met first may depend on the cut. */
const verdictOf = (log: ParseLog) => ({ ...uncut(log), fault: log.fault !== undefined });
const headFault = (...lines: string[]) => faultOf(`${['HTTP/1.1 200 OK', ...lines].join('\r\n')}\r\n\r\n`);
const bodyFault = (body: string) => faultOf(CHUNKED + body);

describe('a status line', () => {
  test.each([
    'HTTP/1.1 099 Low',
    'HTTP/1.1 000 ',
    'HTTP/1.1 20 OK',
    'HTTP/1.1 2000 OK',
    'HTTP/1.1 20x OK',
    'HTTP/1.1 -20 OK',
    'HTTP/1.1  200 OK',
    'HTTP/1.1\t200 OK',
    'HTTP/1.1 200OK',
    'HTTP/1.1 200\tOK',
    'HTTP/1.1',
    'HTTP/1.1 ',
    'HTTP/1.2 200 OK',
    'HTTP/0.9 200 OK',
    'HTTP/2.0 200 OK',
    'HTTP/2 200',
    'HTTP/1.10 200 OK',
    'HTTP/01.1 200 OK',
    'HTTP/11 200 OK',
    ' HTTP/1.1 200 OK',
    'HTTP/1.1 200 O\0K',
    'HTTP/1.1 200 O\rK',
    'HTTP/1.1 200 O\nK',
    'HTTP/1.1 200 O\x7fK',
  ])('%j is refused', (line) => {
    expect(faultOf(`${line}\r\ncontent-length: 0\r\n\r\n`)).toMatch(
      /bad status line|status below 100|control character in reason|not an HTTP response|bare line feed/,
    );
  });

  test.each([
    '<html>hello</html>',
    'http/1.1 200 OK\r\n\r\n',
    '\r\nHTTP/1.1 200 OK\r\n\r\n',
    'HTTP ',
    '\x16\x03\x01\x02\x00',
  ])('%j is no response', (text) => {
    expect(parse([bytesOf(text)]).fault).toMatch(/not an HTTP response|bad status line/);
  });

  test('what may still become one waits', () => {
    for (const text of ['H', 'HTTP', 'HTTP/', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\n\r']) {
      const log = parse([bytesOf(text)], { eof: true });
      expect([log.fault, log.heads, log.properEnd]).toEqual([undefined, [], false]);
    }
  });
});

describe('a field line', () => {
  test.each([
    ['no colon', 'server x'],
    ['no name', ': x'],
    ['a space before the colon', 'server : x'],
    ['a tab before the colon', 'server\t: x'],
    ['a folded line', 'server: x\r\n y'],
    ['a folded line with a tab', 'server: x\r\n\ty: z'],
    ['a folded line first', ' server: x'],
    ['a name with a space', 'ser ver: x'],
    ['a name with a bracket', 'server(: x'],
    ['a name with a byte above ASCII', 'serv\xe9r: x'],
    ['a name with NUL', 'ser\0ver: x'],
    ['a value with NUL', 'server: a\0b'],
    ['a value with a bell', 'server: a\x07'],
    ['a value with DEL', 'server: a\x7f'],
    ['a value with a bare CR', 'server: a\rb'],
    ['a value with a bare CR before the line end', 'server: a\r'],
    ['a value with a bare LF', 'server: a\nb: c'],
    ['a bare LF that ends the line', 'server: a\nx: b'],
    ['a line feed that ends the head', 'server: a\n\nx: b'],
  ])('with %s is refused', (_, line) => {
    expect(headFault('date: x', line)).toMatch(/field|control character|bare line feed/);
  });

  test.each(['server:x', 'server:\t x\t', 'server:', 'server: a\tb', 'server: \xff\x80', 'server: a:b'])(
    '%j passes',
    (line) => {
      expect(headFault(line)).toBeUndefined();
    },
  );
});

describe('a length', () => {
  test.each(['', '-1', '+5', '5 5', '5,5', '5, 5', '0x5', '5.0', '1e3', 'five', '5;', '\xb5', '1234567890123456'])(
    'of "%s" is refused',
    (value) => {
      expect(headFault(`content-length: ${value}`)).toBe('bad content length');
    },
  );

  test('stated twice must be the same', () => {
    expect(headFault('content-length: 5', 'Content-Length: 6')).toBe('two different content lengths');
    expect(headFault('content-length: 5', 'Content-Length: 05')).toBe('two different content lengths');
    expect(headFault('content-length: 0', 'Content-Length: 0')).toBeUndefined();
  });

  test('is looked at also where it frames nothing', () => {
    expect(faultOf('HTTP/1.1 204 x\r\ncontent-length: x\r\n\r\n')).toBe('bad content length');
    expect(faultOf('HTTP/1.1 200 x\r\ncontent-length: -1\r\n\r\n', { method: 'HEAD' })).toBe('bad content length');
    expect(faultOf('HTTP/1.1 100 x\r\ncontent-length: 1,1\r\n\r\n')).toBe('bad content length');
  });
});

describe('a transfer coding', () => {
  test.each(['gzip', 'gzip, chunked', 'chunked, gzip', 'chunked, chunked', 'chunked;q=1', 'xchunked', '', 'chunked,'])(
    '"%s" is refused',
    (value) => {
      expect(headFault(`transfer-encoding: ${value}`)).toBe('unsupported transfer encoding');
    },
  );

  test('stated in two fields is refused', () => {
    expect(headFault('transfer-encoding: chunked', 'transfer-encoding: chunked')).toBe('two transfer encodings');
    expect(headFault('transfer-encoding: identity', 'Transfer-Encoding: chunked')).toBe('two transfer encodings');
  });

  test('in HTTP/1.0 is refused', () => {
    expect(faultOf('HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')).toBe('unsupported transfer encoding');
  });
});

describe('an upgrade', () => {
  test('that nobody asked for is refused, also by HEAD', () => {
    expect(faultOf('HTTP/1.1 101 x\r\nupgrade: websocket\r\n\r\n')).toBe('101 that nobody asked for');
    expect(faultOf('HTTP/1.1 101 x\r\n\r\n', { method: 'HEAD' })).toBe('101 that nobody asked for');
  });

  test('that was asked for may be declined', () => {
    expect(faultOf('HTTP/1.1 400 x\r\ncontent-length: 0\r\n\r\n', { upgradeAsked: true })).toBeUndefined();
  });
});

describe('a chunk', () => {
  test.each([
    ['', 'bad chunk size'],
    ['-1', 'bad chunk size'],
    ['+5', 'bad chunk size'],
    ['0x5', 'bad chunk size'],
    ['g', 'bad chunk size'],
    [' 5', 'bad chunk size'],
    ['5 5', 'bad chunk size'],
    ['5\x0b', 'bad chunk size'],
    ['ffffffffffffff', 'bad chunk size'],
    ['00000000000005', 'bad chunk size'],
    ['5;a\rb', 'bad chunk size'],
    ['5;a\0b', 'bad chunk size'],
    ['5;a\x7f', 'bad chunk size'],
    ['5 a', 'bad chunk size'],
    ['fffffffffffffffff', 'bad chunk size'],
  ])('of size "%s" is refused', (size, fault) => {
    expect(bodyFault(`${size}\r\nhello\r\n0\r\n\r\n`)).toBe(fault);
  });

  test('of the largest size that is understood waits for its bytes', () => {
    const log = parse([bytesOf(`${CHUNKED}fffffffffffff\r\nhello`)], { eof: true });
    expect([log.fault, log.body, log.properEnd]).toEqual([undefined, 'hello', false]);
  });

  test.each([
    ['longer than stated', '3\r\nabcd\r\n0\r\n\r\n', 'chunk longer than stated'],
    ['longer by a CR', '3\r\nabc\r\r\n0\r\n\r\n', 'chunk longer than stated'],
    ['without a line end of its own', '3\r\nabc0\r\n\r\n', 'chunk longer than stated'],
    ['with a bare LF behind its size', '3\nabc\r\n0\r\n\r\n', 'bare line feed in chunked body'],
    ['with a bare LF behind its bytes', '3\r\nabc\n0\r\n\r\n', 'bare line feed in chunked body'],
    ['with a bare LF at the end of all', '3\r\nabc\r\n0\r\n\n', 'bare line feed in chunked body'],
    ['with a bare LF in a trailer', '0\r\nx: y\nz: a\r\n\r\n', 'bare line feed in chunked body'],
    ['with a trailer without colon', '0\r\nxy\r\n\r\n', 'field without name'],
    ['with a folded trailer', '0\r\nx: y\r\n z\r\n\r\n', 'field without name'],
    ['with a control in a trailer', '0\r\nx: a\x01\r\n\r\n', 'control character in field value'],
  ])('%s is refused', (_, body, fault) => {
    expect(bodyFault(body)).toBe(fault);
  });
});

describe('the cap', () => {
  /** A whole head of exactly so many bytes before its blank line. */
  const headOf = (byteCount: number) => {
    const start = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\nx: ';
    return `${start}${'v'.repeat(byteCount - start.length)}\r\n\r\n`;
  };
  /** The place of each cut that could matter: around the blank line. */
  const atEnd = (text: string) =>
    [1, 2, 3, 4, 5].map((fromEnd) => [bytesOf(text.slice(0, -fromEnd)), bytesOf(text.slice(-fromEnd))]);

  test('of a head counts to the byte, wherever it is cut', () => {
    for (const pieces of [[bytesOf(headOf(HEAD_MAX_BYTES))], ...atEnd(headOf(HEAD_MAX_BYTES))]) {
      expect([parse(pieces).fault, parse(pieces).completeCount]).toEqual([undefined, 1]);
    }
    for (const pieces of [[bytesOf(headOf(HEAD_MAX_BYTES + 1))], ...atEnd(headOf(HEAD_MAX_BYTES + 1))]) {
      expect(parse(pieces).fault).toBe('response head too large');
    }
  });

  test('of a head that never ends is met without waiting for its end', () => {
    const piece = bytesOf('v'.repeat(1_000));
    const pieces = [bytesOf('HTTP/1.1 200 OK\r\nx: '), ...Array.from({ length: 100 }, () => piece)];
    expect(parse(pieces).fault).toBe('response head too large');
  });

  test('of a chunk line counts its line end', () => {
    const lineOf = (byteCount: number) => `0;${'e'.repeat(byteCount - 4)}\r\n\r\n`;
    expect(parse([bytesOf(CHUNKED + lineOf(CHUNK_LINE_MAX_BYTES))]).fault).toBeUndefined();
    expect(parse([bytesOf(CHUNKED + lineOf(CHUNK_LINE_MAX_BYTES + 1))]).fault).toBe('chunk line too long');
    expect(parse([bytesOf(`${CHUNKED}0;`), bytesOf('e'.repeat(CHUNK_LINE_MAX_BYTES))]).fault).toBe(
      'chunk line too long',
    );
  });

  test('of trailers begins anew with each answer', () => {
    const parser = new ResponseParser({
      onInformational: () => undefined,
      onHead: () => undefined,
      onBody: () => undefined,
      onComplete: () => undefined,
    });
    const half = `x:${'v'.repeat(CHUNK_LINE_MAX_BYTES / 2)}\r\n`;
    for (let i = 0; i < 4; i += 1) {
      parser.expect('GET', false);
      parser.push(bytesOf(`${CHUNKED}0\r\n${half}\r\n`));
    }
    parser.expect('GET', false);
    expect(() => parser.push(bytesOf(`${CHUNKED}0\r\n${half}${half}\r\n`))).toThrow('trailers too large');
  });

  test('of trailers counts all of them', () => {
    const trailersOf = (byteCount: number) => `0\r\n${'x: vvvvvvv\r\n'.repeat(byteCount / 10)}`;
    const full = CHUNK_LINE_MAX_BYTES - (CHUNK_LINE_MAX_BYTES % 10);
    const rest = CHUNK_LINE_MAX_BYTES - full;
    const last = (byteCount: number) => `y:${'v'.repeat(byteCount - 2)}\r\n\r\n`;
    expect(parse([bytesOf(CHUNKED + trailersOf(full) + last(rest))]).fault).toBeUndefined();
    expect(parse([bytesOf(CHUNKED + trailersOf(full) + last(rest + 1))]).fault).toBe('trailers too large');
  });
});
