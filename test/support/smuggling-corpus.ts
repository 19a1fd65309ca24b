// Requests that two parsers could read in two ways, and their nearest neighbours that are only unusual. Behind
// each of the first kind stands a second request that must stay hidden: if it reaches an engine, it was smuggled.

export interface SmugglingCase {
  readonly name: string;
  readonly bytes: string;
}

/** What would be smuggled. */
const HIDDEN = 'GET /hidden HTTP/1.1\r\nhost: x\r\n\r\n';
const CHUNKED_HIDDEN = `0\r\n\r\n${HIDDEN}`;
const post = (...lines: string[]): string => `POST /front HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
const refuse = (name: string, head: string, body = HIDDEN): SmugglingCase => ({ name, bytes: head + body });

/** No byte of these may reach an engine. */
export const REFUSED: readonly SmugglingCase[] = [
  refuse('a length and chunks', post('host: x', 'content-length: 4', 'transfer-encoding: chunked'), CHUNKED_HIDDEN),
  refuse('chunks and a length', post('host: x', 'transfer-encoding: chunked', 'content-length: 4'), CHUNKED_HIDDEN),
  refuse(
    'a length of 0 and chunks',
    post('host: x', 'content-length: 0', 'transfer-encoding: chunked'),
    CHUNKED_HIDDEN,
  ),
  refuse('two lengths that differ', post('host: x', 'content-length: 0', 'content-length: 34')),
  refuse('two lengths that are equal', post('host: x', 'content-length: 0', 'content-length: 0')),
  refuse('a list of lengths', post('host: x', 'content-length: 0, 0')),
  refuse('a list of different lengths', post('host: x', 'content-length: 0, 34')),
  refuse('an empty length', post('host: x', 'content-length:')),
  refuse('a negative length', post('host: x', 'content-length: -1')),
  refuse('a length with a plus', post('host: x', 'content-length: +0')),
  refuse('a length in hex', post('host: x', 'content-length: 0x22')),
  refuse('a length with a point', post('host: x', 'content-length: 0.0')),
  refuse('a length with a space in it', post('host: x', 'content-length: 3 4')),
  refuse('a length beyond 64 bits', post('host: x', 'content-length: 18446744073709551616')),
  refuse('chunks by another name before', post('host: x', 'transfer-encoding: gzip, chunked'), CHUNKED_HIDDEN),
  refuse('chunks by another name behind', post('host: x', 'transfer-encoding: chunked, gzip'), CHUNKED_HIDDEN),
  refuse('chunks in chunks', post('host: x', 'transfer-encoding: chunked, chunked'), CHUNKED_HIDDEN),
  refuse(
    'two fields of chunks',
    post('host: x', 'transfer-encoding: chunked', 'transfer-encoding: chunked'),
    CHUNKED_HIDDEN,
  ),
  refuse(
    'identity and chunks',
    post('host: x', 'transfer-encoding: identity', 'transfer-encoding: chunked'),
    CHUNKED_HIDDEN,
  ),
  refuse('an unknown coding', post('host: x', 'transfer-encoding: xchunked'), CHUNKED_HIDDEN),
  refuse('a coding in quotes', post('host: x', 'transfer-encoding: "chunked"'), CHUNKED_HIDDEN),
  refuse('a coding with a parameter', post('host: x', 'transfer-encoding: chunked;q=1'), CHUNKED_HIDDEN),
  refuse('an empty coding', post('host: x', 'transfer-encoding:'), CHUNKED_HIDDEN),
  refuse('a vertical tab before the coding', post('host: x', 'transfer-encoding: \x0bchunked'), CHUNKED_HIDDEN),
  refuse('chunks in HTTP/1.0', post('host: x', 'transfer-encoding: chunked').replace('1.1', '1.0'), CHUNKED_HIDDEN),
  refuse('a space before the colon', post('host: x', 'transfer-encoding : chunked'), CHUNKED_HIDDEN),
  refuse('a tab before the colon', post('host: x', 'content-length\t: 0')),
  refuse('a space before the name', post('host: x', ' transfer-encoding: chunked'), CHUNKED_HIDDEN),
  refuse('a folded field', post('host: x', 'x: a', '\tb')),
  refuse('a folded coding', post('host: x', 'transfer-encoding:', ' chunked'), CHUNKED_HIDDEN),
  refuse('a field without a colon', post('host: x', 'nothing')),
  refuse('a field without a name', post('host: x', ': value')),
  refuse('a name with a control', post('host: x', 'x\x01: y')),
  refuse('a name with a bracket', post('host: x', 'x(y): z')),
  refuse('a NUL in a value', post('host: x', 'x: a\0b')),
  refuse('a bare CR in a value', post('host: x', 'x: a\rtransfer-encoding: chunked'), CHUNKED_HIDDEN),
  refuse(
    'a bare LF after a field',
    'POST /front HTTP/1.1\r\nhost: x\ntransfer-encoding: chunked\r\n\r\n',
    CHUNKED_HIDDEN,
  ),
  refuse('a bare LF after the request line', 'GET /front HTTP/1.1\nhost: x\r\n\r\n'),
  refuse('bare LFs throughout', 'GET /front HTTP/1.1\nhost: x\n\n'),
  refuse('a bare CR at the end of a line', 'GET /front HTTP/1.1\rhost: x\r\r'),
  refuse('no Host', 'GET /front HTTP/1.1\r\n\r\n'),
  refuse('two Hosts', 'GET /front HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n'),
  refuse('two equal Hosts', 'GET /front HTTP/1.1\r\nhost: x\r\nHost: x\r\n\r\n'),
  refuse('a Host with a path', 'GET /front HTTP/1.1\r\nhost: x/y\r\n\r\n'),
  refuse('a Host with a user', 'GET /front HTTP/1.1\r\nhost: u@x\r\n\r\n'),
  refuse('a Host with a space', 'GET /front HTTP/1.1\r\nhost: x y\r\n\r\n'),
  refuse('a target on another host', 'GET http://other/front HTTP/1.1\r\nhost: x\r\n\r\n'),
  refuse('a target with a user', 'GET http://x@other/front HTTP/1.1\r\nhost: x\r\n\r\n'),
  refuse('a target with a fragment', 'GET /front#x HTTP/1.1\r\nhost: x\r\n\r\n'),
  refuse('a target with a backslash', 'GET /front\\x HTTP/1.1\r\nhost: x\r\n\r\n'),
  refuse('a target with a control', 'GET /front\x01 HTTP/1.1\r\nhost: x\r\n\r\n'),
  refuse('a target with a tab', 'GET /front\tx HTTP/1.1\r\nhost: x\r\n\r\n'),
  refuse('a target that is no path', 'GET front HTTP/1.1\r\nhost: x\r\n\r\n'),
  refuse('an asterisk for GET', 'GET * HTTP/1.1\r\nhost: x\r\n\r\n'),
  refuse('no target', 'GET HTTP/1.1\r\nhost: x\r\n\r\n'),
  refuse('version 9.9', 'GET /front HTTP/9.9\r\nhost: x\r\n\r\n'),
  refuse('version 2.0', 'GET /front HTTP/2.0\r\nhost: x\r\n\r\n'),
  refuse('version 0.9', 'GET /front\r\n'),
  refuse('a version without a number', 'GET /front HTTP/\r\nhost: x\r\n\r\n'),
  refuse('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\0\0\0\x04\0\0\0\0\0'),
  refuse('CONNECT', 'CONNECT x:80 HTTP/1.1\r\nhost: x:80\r\n\r\n'),
  refuse('TRACE', 'TRACE /front HTTP/1.1\r\nhost: x\r\n\r\n'),
  refuse('a method with a control', 'G\x01T /front HTTP/1.1\r\nhost: x\r\n\r\n'),
  refuse('more than 2,000 fields', `GET /front HTTP/1.1\r\nhost: x\r\n${'a: b\r\n'.repeat(2_000)}\r\n`),
  refuse('a head of more than 64 KiB', `GET /front HTTP/1.1\r\nhost: x\r\nx: ${'v'.repeat(66_000)}\r\n\r\n`),
  refuse('33 nominations', `GET /front HTTP/1.1\r\nhost: x\r\nconnection: ${'a, '.repeat(32)}a\r\n\r\n`),
];

const broken = (name: string, body: string): SmugglingCase => ({
  name,
  bytes: post('host: x', 'transfer-encoding: chunked') + body + HIDDEN,
});

/** Their heads are good, so they may have left by the time the body shows what it is; no whole request may. */
export const BROKEN_LATER: readonly SmugglingCase[] = [
  broken('a size that is no number', 'Z\r\nhello\r\n0\r\n\r\n'),
  broken('a size with a minus', '-5\r\nhello\r\n0\r\n\r\n'),
  broken('a size with a plus', '+5\r\nhello\r\n0\r\n\r\n'),
  broken('a size in 0x', '0x5\r\nhello\r\n0\r\n\r\n'),
  broken('a size beyond 64 bits', '10000000000000005\r\nhello\r\n0\r\n\r\n'),
  broken('an empty size', '\r\nhello\r\n0\r\n\r\n'),
  broken('a bare LF behind the size', '5\nhello\r\n0\r\n\r\n'),
  broken('a bare LF behind the data', '5\r\nhello\n0\r\n\r\n'),
  broken('no line end behind the data', '5\r\nhello0\r\n\r\n'),
  broken('data longer than its size', '5\r\nhello!\r\n0\r\n\r\n'),
  broken('a bare LF in an extension', '5;a\nb\r\nhello\r\n0\r\n\r\n'),
  broken('a bare CR in an extension', '5;a\rb\r\nhello\r\n0\r\n\r\n'),
  broken('extensions without end', `5;${'e'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`),
  broken('a bare LF at the end', '5\r\nhello\r\n0\n\n'),
  broken('a folded trailer', '5\r\nhello\r\n0\r\nx: a\r\n b\r\n\r\n'),
];

/** What an engine must see of a request that is only unusual. */
export interface LegalCase extends SmugglingCase {
  readonly startLine: string;
  /** In lower case, name and value. */
  readonly has?: readonly string[];
  readonly hasNot?: readonly string[];
  readonly body?: string;
}

const legal = (name: string, bytes: string, sees: Omit<LegalCase, 'name' | 'bytes'>): LegalCase => ({
  name,
  bytes,
  ...sees,
});
const POSTED = 'POST /front HTTP/1.1';
const GOT = 'GET /front HTTP/1.1';

/** Each must arrive as exactly one request, equal but for the fields of its connection. */
export const LEGAL: readonly LegalCase[] = [
  legal('blanks around a length', post('host: x', 'content-length: \t 2 \t') + 'ok', { startLine: POSTED, body: 'ok' }),
  legal('zeros before a length', post('host: x', 'content-length: 0002') + 'ok', { startLine: POSTED, body: 'ok' }),
  legal('chunks in capitals', post('host: x', 'TRANSFER-ENCODING: CHUNKED') + '2\r\nok\r\n0\r\n\r\n', {
    startLine: POSTED,
    body: 'ok',
  }),
  legal('a small extension', post('host: x', 'transfer-encoding: chunked') + '2;a=b\r\nok\r\n0\r\n\r\n', {
    startLine: POSTED,
    body: 'ok',
  }),
  legal('zeros before a size', post('host: x', 'transfer-encoding: chunked') + '0002\r\nok\r\n000\r\n\r\n', {
    startLine: POSTED,
    body: 'ok',
  }),
  legal('a name with an underscore', 'GET /front HTTP/1.1\r\nhost: x\r\nx_y: z\r\n\r\n', {
    startLine: GOT,
    has: ['x_y: z'],
  }),
  legal(
    'an upgrade to h2c',
    'GET /front HTTP/1.1\r\nhost: x\r\nconnection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAA\r\n\r\n',
    {
      startLine: GOT,
      hasNot: ['upgrade', 'http2-settings', 'connection'],
    },
  ),
  legal('an empty line before it', '\r\nGET /front HTTP/1.1\r\nhost: x\r\n\r\n', { startLine: GOT }),
  legal('an absolute target on its own host', 'GET http://x/front HTTP/1.1\r\nhost: x\r\n\r\n', {
    startLine: 'GET http://x/front HTTP/1.1',
  }),
  legal('HTTP/1.0', 'GET /front HTTP/1.0\r\n\r\n', { startLine: GOT }),
  legal('te: trailers', 'GET /front HTTP/1.1\r\nhost: x\r\nte: trailers\r\nconnection: te\r\n\r\n', {
    startLine: GOT,
    has: ['te: trailers'],
  }),
  legal(
    'nominations that would take away what matters',
    post('host: x', 'authorization: k', 'content-length: 2', 'connection: host, content-length, authorization') + 'ok',
    {
      startLine: POSTED,
      has: ['host: x', 'authorization: k', 'content-length: 2'],
      body: 'ok',
    },
  ),
  legal('a nomination that is honoured', 'GET /front HTTP/1.1\r\nhost: x\r\nconnection: x-mine\r\nx-mine: y\r\n\r\n', {
    startLine: GOT,
    hasNot: ['x-mine', 'connection'],
  }),
  legal('an expectation that nobody knows', 'GET /front HTTP/1.1\r\nhost: x\r\nexpect: x\r\n\r\n', {
    startLine: GOT,
    has: ['expect: x'],
  }),
  legal('bytes beyond ASCII in a value', 'GET /front HTTP/1.1\r\nhost: x\r\nx: \xe4\xff\r\n\r\n', {
    startLine: GOT,
    has: ['x: \xe4\xff'],
  }),
  legal('a target full of dots and escapes', 'GET /a/../%2e%2e//b;c?d=%00 HTTP/1.1\r\nhost: x\r\n\r\n', {
    startLine: 'GET /a/../%2e%2e//b;c?d=%00 HTTP/1.1',
  }),
];
