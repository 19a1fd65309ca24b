// Requests on which servers and proxies are known to differ, written from RFC 9110 and RFC 9112. What
// two parsers read in two ways is how requests are smuggled; what one refuses without need is how
// clients break. Bytes only; what becomes of them is the probe's to say.

/** `refuse`: no server may act on it. `pass`: legal, must arrive. `may`: the specification lets both be. */
export type Duty = 'refuse' | 'pass' | 'may';

export interface Case {
  readonly name: string;
  readonly duty: Duty;
  /** Section of RFC 9112, or another RFC by name. */
  readonly section: string;
  readonly bytes: string;
}

const HOST = 'Host: a.example\r\n';

function get(target: string, fields = ''): string {
  return `GET ${target} HTTP/1.1\r\n${HOST}${fields}\r\n`;
}

function post(fields: string, body: string): string {
  return `POST /x HTTP/1.1\r\n${HOST}${fields}\r\n${body}`;
}

function chunked(body: string): string {
  return post('Transfer-Encoding: chunked\r\n', body);
}

type Row = readonly [name: string, section: string, bytes: string];

const WHOLE = '4\r\nbody\r\n0\r\n\r\n';

const REFUSE: readonly Row[] = [
  ['length and chunked', '6.3', post('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', WHOLE)],
  ['chunked and length', '6.3', post('Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', WHOLE)],
  ['coding gzip, chunked', '6.1', post('Transfer-Encoding: gzip, chunked\r\n', WHOLE)],
  ['coding chunked, gzip', '6.1', post('Transfer-Encoding: chunked, gzip\r\n', WHOLE)],
  ['coding xchunked', '6.1', post('Transfer-Encoding: xchunked\r\n', WHOLE)],
  ['coding identity', '6.1', post('Transfer-Encoding: identity\r\n', WHOLE)],
  ['coding stated twice', '6.1', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', WHOLE)],
  ['coding after a vertical tab', '6.1', post('Transfer-Encoding: \x0bchunked\r\n', WHOLE)],
  ['coding with a space before the colon', '5.1', post('Transfer-Encoding : chunked\r\n', WHOLE)],
  ['coding on a folded line', '5.2', post('Transfer-Encoding:\r\n chunked\r\n', WHOLE)],
  ['chunked on HTTP/1.0', '6.1', `POST /x HTTP/1.0\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n${WHOLE}`],
  ['two lengths that differ', '6.3', post('Content-Length: 4\r\nContent-Length: 5\r\n', 'bodyX')],
  ['length +4', '9110 8.6', post('Content-Length: +4\r\n', 'body')],
  ['length -1', '9110 8.6', post('Content-Length: -1\r\n', '')],
  ['length 0x4', '9110 8.6', post('Content-Length: 0x4\r\n', 'body')],
  ['length empty', '9110 8.6', post('Content-Length:\r\n', '')],
  ['length 4 4', '9110 8.6', post('Content-Length: 4 4\r\n', 'body')],
  ['length beyond 64 bits', '9110 8.6', post('Content-Length: 18446744073709551620\r\n', 'body')],
  ['a bare CR in a value', '2.2', get('/x', 'X-A: b\rc\r\n')],
  ['a NUL in a value', '9110 5.5', get('/x', 'X-A: b\0c\r\n')],
  ['a NUL in a name', '5.1', get('/x', 'X-A\0: b\r\n')],
  ['a field without a colon', '5', get('/x', 'X-A\r\n')],
  ['a field without a name', '5', get('/x', ': b\r\n')],
  ['a name with a space', '5.1', get('/x', 'X A: b\r\n')],
  ['a space before the first field', '2.2', `GET /x HTTP/1.1\r\n ${HOST}\r\n`],
  ['two Host fields', '3.2', get('/x', 'Host: b.example\r\n')],
  ['no Host field', '3.2', 'GET /x HTTP/1.1\r\nX-A: b\r\n\r\n'],
  ['Host with a path', '3.2', 'GET /x HTTP/1.1\r\nHost: a.example/b\r\n\r\n'],
  ['Host with a space', '3.2', 'GET /x HTTP/1.1\r\nHost: a.example b\r\n\r\n'],
  ['a target with a fragment', '3.2', get('/x#part')],
  ['a target with a space', '3.2', get('/x y')],
  ['a target with a control character', '3.2', get('/x\x01y')],
  ['the authority form with GET', '3.2.3', get('a.example:80')],
  ['version HTTP/9.9', '2.3', `GET /x HTTP/9.9\r\n${HOST}\r\n`],
  ['version http/1.1', '2.3', `GET /x http/1.1\r\n${HOST}\r\n`],
  ['version HTTP/1.1x', '2.3', `GET /x HTTP/1.1x\r\n${HOST}\r\n`],
  ['a method with a bracket', '9110 5.6.2', `GE(T /x HTTP/1.1\r\n${HOST}\r\n`],
  ['chunk size 0x4', '7.1', chunked('0x4\r\nbody\r\n0\r\n\r\n')],
  ['chunk size -4', '7.1', chunked('-4\r\nbody\r\n0\r\n\r\n')],
  ['chunk size empty', '7.1', chunked('\r\nbody\r\n0\r\n\r\n')],
  ['chunk size beyond 64 bits', '7.1', chunked('10000000000000004\r\nbody\r\n0\r\n\r\n')],
  ['a chunk longer than its size', '7.1', chunked('4\r\nbodyX\r\n0\r\n\r\n')],
  ['a LF in a chunk extension', '7.1.1', chunked('4;a\nb\r\nbody\r\n0\r\n\r\n')],
  ['a head of 80 KiB', '6585 5', get('/x', `X-A: ${'x'.repeat(80 * 1024)}\r\n`)],
  ['2,100 fields', '6585 5', get('/x', 'A: b\r\n'.repeat(2100))],
];

const MAY: readonly Row[] = [
  ['two equal lengths', '6.3', post('Content-Length: 4\r\nContent-Length: 4\r\n', 'body')],
  ['length 4, 4', '6.3', post('Content-Length: 4, 4\r\n', 'body')],
  ['bare LF everywhere', '2.2', get('/x').replaceAll('\r\n', '\n')],
  ['bare LF after one field', '2.2', `GET /x HTTP/1.1\r\n${HOST}X-A: b\nX-C: d\r\n\r\n`],
  ['bare LF after the head', '2.2', `GET /x HTTP/1.1\r\n${HOST}\n`],
  ['a folded field', '5.2', get('/x', 'X-A: b\r\n c\r\n')],
  ['bare LF after a chunk size', '7.1', chunked('4\nbody\r\n0\r\n\r\n')],
  ['a space after a chunk size', '7.1', chunked('4 \r\nbody\r\n0\r\n\r\n')],
  ['20 KiB of chunk extension', '7.1.1', chunked(`4;${'x'.repeat(20 * 1024)}\r\nbody\r\n0\r\n\r\n`)],
  ['a length in the trailer', '6.5.1', chunked('4\r\nbody\r\n0\r\nContent-Length: 9\r\n\r\n')],
  ['the absolute form for another host', '3.2.2', get('http://b.example/x')],
  ['a target with a backslash', '3.2', get('/x\\y')],
  ['a target with raw UTF-8', '3.2', get('/x\xc3\xa9')],
  ['HTTP/0.9', '2.3', 'GET /x\r\n'],
  ['version HTTP/2.0', '2.3', `GET /x HTTP/2.0\r\n${HOST}\r\n`],
  ['two spaces in the request line', '3', `GET  /x HTTP/1.1\r\n${HOST}\r\n`],
  ['CONNECT', '9110 9.3.6', 'CONNECT b.example:443 HTTP/1.1\r\nHost: b.example:443\r\n\r\n'],
  ['TRACE', '9110 9.3.8', `TRACE /x HTTP/1.1\r\n${HOST}\r\n`],
];

const PASS: readonly Row[] = [
  ['an empty line before the request', '2.2', `\r\n${get('/x')}`],
  ['a blank behind the length', '5.1', post('Content-Length: 4 \r\n', 'body')],
  ['a small chunk extension', '7.1.1', chunked('4;a="b c"\r\nbody\r\n0\r\n\r\n')],
  ['chunk sizes with capitals and zeros', '7.1', chunked('00A\r\n0123456789\r\n00\r\n\r\n')],
  ['coding CHUNKED', '7', post('Transfer-Encoding: CHUNKED\r\n', WHOLE)],
  ['a name with an underscore', '9110 5.1', get('/x', 'X_A: b\r\n')],
  ['an empty value', '9110 5.5', get('/x', 'X-A:\r\n')],
  ['a tab in a value', '9110 5.5', get('/x', 'X-A: b\tc\r\n')],
  ['Latin-1 in a value', '9110 5.5', get('/x', 'X-A: caf\xe9\r\n')],
  ['the same field twice', '9110 5.3', get('/x', 'X-A: b\r\nX-A: c\r\n')],
  ['dots and double slashes', '9110 4.2.3', get('/a/../b//c/./d?x=/../y')],
  ['percent signs of all kinds', '3986 2.4', get('/%7Ea/%2e%2E/%2f?q=%00&r=%zz')],
  ['OPTIONS *', '3.2.4', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`],
  ['PROPFIND', '4918 9.1', `PROPFIND /x HTTP/1.1\r\n${HOST}\r\n`],
  ['DELETE with a body', '9110 9.3.5', `DELETE /x HTTP/1.1\r\n${HOST}Content-Length: 4\r\n\r\nbody`],
  [
    'Upgrade: h2c',
    '9110 7.8',
    get('/x', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n'),
  ],
  ['a field that Connection names', '9110 7.6.1', get('/x', 'Connection: x-hop\r\nX-Hop: b\r\nX-End: c\r\n')],
];

const DUTIES: readonly (readonly [Duty, readonly Row[]])[] = [
  ['refuse', REFUSE],
  ['may', MAY],
  ['pass', PASS],
];

export const CORPUS: readonly Case[] = DUTIES.flatMap(([duty, rows]) =>
  rows.map(([name, section, bytes]): Case => ({ name, duty, section, bytes })),
);
