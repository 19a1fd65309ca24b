// Answers of an engine that is broken or means harm, each with what a client must see of it: an error of ours
// (`refused`), the beginning of it and a cut (`cut`), or the whole of it (`passed`), with its body.

export interface HostileAnswer {
  readonly name: string;
  readonly bytes: string;
  readonly sees: 'refused' | 'cut' | 'passed';
  readonly body?: string;
}

const LENGTH = 'content-length: 2\r\n';
const refused = (name: string, bytes: string): HostileAnswer => ({ name, bytes, sees: 'refused' });
const cut = (name: string, bytes: string, body: string): HostileAnswer => ({ name, bytes, sees: 'cut', body });
const passed = (name: string, bytes: string, body: string): HostileAnswer => ({ name, bytes, sees: 'passed', body });

const STATUS_LINES = [
  'HTTP/1.1',
  'HTTP/1.1 ',
  'HTTP/1.1 2',
  'HTTP/1.1 20',
  'HTTP/1.1 2000',
  'HTTP/1.1 2x0 OK',
  'HTTP/1.1 099 No',
  'HTTP/1.1 000 No',
  'HTTP/1.1 -20 OK',
  'HTTP/1.1 +200 OK',
  'HTTP/1.1  200 OK',
  'HTTP/1.1\t200 OK',
  'HTTP/1.1 200OK',
  'HTTP/1.1 200\tOK',
  'HTTP/1.2 200 OK',
  'HTTP/0.9 200 OK',
  'HTTP/2.0 200 OK',
  'HTTP/2 200',
  'HTTP/11 200 OK',
  'HTTP/1.10 200 OK',
  'HTTP/1. 200 OK',
  'HTTP/1,1 200 OK',
  'http/1.1 200 OK',
  'Http/1.1 200 OK',
  'HTTPS/1.1 200 OK',
  ' HTTP/1.1 200 OK',
  '\tHTTP/1.1 200 OK',
  '\r\nHTTP/1.1 200 OK',
  '\nHTTP/1.1 200 OK',
  'ICY 200 OK',
  'SSH-2.0-OpenSSH_9.2',
  '220 mail ESMTP',
  'GET / HTTP/1.1',
  '<html>',
  '{"error":1}',
  '\xef\xbb\xbfHTTP/1.1 200 OK',
  '\x15\x03\x01\0\x02\x02\x28',
  '\0\0\x12\x04\0\0\0\0\0',
  '\0',
  'HTTP/1.1 200 O\0K',
  'HTTP/1.1 200 O\x01K',
  'HTTP/1.1 200 O\x7fK',
  'HTTP/1.1 200 O\rK',
];
const FIELDS = [
  'no colon',
  ': no name',
  'a b: c',
  'a\t: b',
  'a : b',
  ' a: b',
  '\ta: b',
  'a(b: c',
  'a\x01: b',
  'a\0: b',
  '\xe4: b',
  'a: b\0c',
  'a: b\x01c',
  'a: b\x7fc',
  'a: b\rc: d',
  'a: b\x0bc',
  'a: b\r\n c',
  'a: b\r\n\tc',
  '"a": b',
  'a,b: c',
  'a;b: c',
  'a/b: c',
  'a=b: c',
  'a@b: c',
  '[a]: b',
  '{a}: b',
];
const LENGTHS = [
  '',
  '-1',
  '+2',
  '0x2',
  '2.0',
  '2 2',
  '2,2',
  '2, 2',
  '2;2',
  'two',
  '1e3',
  '\xd9\xa2',
  '18446744073709551616',
  '9'.repeat(16),
  '2\r\ncontent-length: 3',
  '3\r\nContent-Length: 2',
  '0\r\ncontent-length: 2',
];
const CODINGS = [
  'gzip',
  'gzip, chunked',
  'chunked, gzip',
  'chunked, chunked',
  'xchunked',
  'chunkedx',
  '"chunked"',
  'chunked;q=1',
  '\x0bchunked',
  'chunked,',
  ', chunked',
  'identity, chunked',
  'chunked\r\ntransfer-encoding: chunked',
  'identity\r\ntransfer-encoding: chunked',
  'chunked\r\ntransfer-encoding: gzip',
  '',
];
const CHUNK_LINES = [
  'Z',
  '-2',
  '+2',
  '0x2',
  ' 2',
  '2 2',
  '2,2',
  '2.0',
  '',
  ';a',
  '10000000000000002',
  'f'.repeat(14),
  '\xef\xbc\x92',
  '2\t\x01',
  '2;a\x01',
  '2;a\0',
  '\x002',
  '2\r',
  '\r2',
  'ok',
];
/** Behind `2\r\nok`. */
const CHUNK_ENDS = ['ok', '\n', '\r', '\r\r\n', ' \r\n', '\n\r\n', '0\r\n\r\n', '\0\r\n', 'x\r\n', '3\r\nabc\r\n'];
const TRAILERS = [
  'no colon',
  ': x',
  ' a: b',
  'a: b\r\n c',
  'a b: c',
  'a\0: b',
  'a: b\x01',
  'a: b\rc',
  `a: ${'v'.repeat(17_000)}`,
];

const chunkedHead = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const shown = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);

/** Each of them alone on its connection. */
export const HOSTILE: readonly HostileAnswer[] = [
  ...STATUS_LINES.map((line) => refused(`status line ${shown(line)}`, `${line}\r\n${LENGTH}\r\nok`)),
  ...FIELDS.map((field) => refused(`field ${shown(field)}`, `HTTP/1.1 200 OK\r\n${field}\r\n${LENGTH}\r\nok`)),
  ...LENGTHS.map((value) => refused(`length ${shown(value)}`, `HTTP/1.1 200 OK\r\ncontent-length: ${value}\r\n\r\nok`)),
  ...CODINGS.map((value) =>
    refused(`coding ${shown(value)}`, `HTTP/1.1 200 OK\r\ntransfer-encoding: ${value}\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
  ),
  ...CHUNK_LINES.map((line) =>
    cut(`chunk line ${shown(line)}`, `${chunkedHead}1\r\n!\r\n${line}\r\nok\r\n0\r\n\r\n`, '!'),
  ),
  ...CHUNK_ENDS.map((end) => cut(`behind a chunk ${shown(end)}`, `${chunkedHead}2\r\nok${end}`, 'ok')),
  ...TRAILERS.map((line) => cut(`trailer ${shown(line)}`, `${chunkedHead}2\r\nok\r\n0\r\n${line}\r\n\r\n`, 'ok')),
  ...heads(),
  ...cuts(),
  ...odd(),
];

function heads(): HostileAnswer[] {
  const head = `HTTP/1.1 200 OK\r\nserver: x\r\n${LENGTH}\r\n`;
  return [
    ...[1, 3, 4, 5, 8, 12, 15, 16, 17, 25, 30, 40].map((at) =>
      refused(`a head that ends after ${at} bytes`, head.slice(0, at)),
    ),
    refused('nothing at all', ''),
    refused('bare line feeds', head.replaceAll('\r\n', '\n')),
    refused('bare carriage returns', head.replaceAll('\r\n', '\r')),
    refused('one bare line feed', head.replace('x\r\n', 'x\n')),
    refused('a bare line feed for the blank line', `HTTP/1.1 200 OK\r\n${LENGTH}\nok`),
    refused('a head without end', `HTTP/1.1 200 OK\r\nx: ${'v'.repeat(70_000)}`),
    refused('a name without end', `HTTP/1.1 200 OK\r\n${'v'.repeat(70_000)}`),
    refused('a reason without end', `HTTP/1.1 200 ${'v'.repeat(70_000)}`),
    refused('a status without end', `HTTP/1.1 ${'2'.repeat(70_000)}`),
    refused('more than 2,000 fields', `HTTP/1.1 200 OK\r\n${'a:b\r\n'.repeat(2_001)}\r\n`),
    refused('chunks in HTTP/1.0', 'HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'),
    refused('101 that nobody asked for', 'HTTP/1.1 101 Go\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
    refused('only informational answers', 'HTTP/1.1 103 Early\r\n\r\n'.repeat(3)),
    refused('a flood of informational answers', 'HTTP/1.1 103 Early\r\n\r\n'.repeat(1_000)),
    refused('102 and then garbage', 'HTTP/1.1 102 Wait\r\n\r\ngarbage'),
    refused('a megabyte of NUL', '\0'.repeat(1_048_576)),
    refused('a megabyte of spaces', ' '.repeat(1_048_576)),
    refused('a megabyte of line ends', '\r\n'.repeat(524_288)),
  ];
}

function cuts(): HostileAnswer[] {
  return [
    ...['', 'o'].map((body) =>
      cut(`a length of 2 and ${body.length} bytes`, `HTTP/1.1 200 OK\r\n${LENGTH}\r\n${body}`, body),
    ),
    cut('a length of 2⁴⁹ and few bytes', 'HTTP/1.1 200 OK\r\ncontent-length: 562949953421312\r\n\r\nok', 'ok'),
    ...['2', '2\r', '2\r\n'].map((rest) =>
      cut(`a cut in a chunk line ${shown(rest)}`, `${chunkedHead}1\r\n!\r\n${rest}`, '!'),
    ),
    cut('a cut in a chunk', `${chunkedHead}5\r\nhel`, 'hel'),
    ...['\r', '\r\n', '\r\n0', '\r\n0\r', '\r\n0\r\n', '\r\n0\r\n\r', '\r\n0\r\na: b', '\r\n0\r\na: b\r\n'].map(
      (rest) => cut(`a cut behind a chunk ${shown(rest)}`, `${chunkedHead}2\r\nok${rest}`, 'ok'),
    ),
    cut('an extension without end', `${chunkedHead}2\r\nok\r\n2;${'e'.repeat(20_000)}`, 'ok'),
    cut('trailers without end', `${chunkedHead}2\r\nok\r\n0\r\n${'a: b\r\n'.repeat(4_000)}`, 'ok'),
    cut('a chunk larger than any memory', `${chunkedHead}fffffffffffff\r\nok`, 'ok'),
  ];
}

/** Unusual, and still one answer only. */
function odd(): HostileAnswer[] {
  const ok = `HTTP/1.1 200 OK\r\n${LENGTH}\r\nok`;
  return [
    passed('another answer behind it', ok + 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nstolen', 'ok'),
    passed('garbage behind it', `${ok}garbage`, 'ok'),
    passed('a line end behind it', `${ok}\r\n`, 'ok'),
    passed('a NUL behind it', `${ok}\0`, 'ok'),
    passed('a megabyte behind it', ok + 'x'.repeat(1_048_576), 'ok'),
    passed('another answer behind chunks', `${chunkedHead}2\r\nok\r\n0\r\n\r\n${ok}`, 'ok'),
    passed('another answer behind 204', `HTTP/1.1 204 No\r\n\r\n${ok}`, ''),
    passed('another answer behind 304', `HTTP/1.1 304 Same\r\n\r\n${ok}`, ''),
    passed('a body behind 204', 'HTTP/1.1 204 No\r\n\r\nbody', ''),
    passed(
      'a length and chunks',
      `HTTP/1.1 200 OK\r\n${LENGTH}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
      'abc',
    ),
    passed('two equal lengths', `HTTP/1.1 200 OK\r\n${LENGTH}${LENGTH}\r\nok`, 'ok'),
    passed('zeros before a length', 'HTTP/1.1 200 OK\r\ncontent-length: 0002\r\n\r\nok', 'ok'),
    passed('no reason', `HTTP/1.1 200\r\n${LENGTH}\r\nok`, 'ok'),
    passed('an empty reason', `HTTP/1.1 200 \r\n${LENGTH}\r\nok`, 'ok'),
    passed('an unknown status', `HTTP/1.1 999 What\r\n${LENGTH}\r\nok`, 'ok'),
    passed('an empty value', `HTTP/1.1 200 OK\r\nx:\r\n${LENGTH}\r\nok`, 'ok'),
    passed('a value of blanks', `HTTP/1.1 200 OK\r\nx: \t \r\n${LENGTH}\r\nok`, 'ok'),
    passed('bytes beyond ASCII', `HTTP/1.1 200 \xe4\r\nx: \xff\r\n${LENGTH}\r\nok`, 'ok'),
    passed('2,000 fields', `HTTP/1.1 200 OK\r\n${'a:b\r\n'.repeat(1_999)}${LENGTH}\r\nok`, 'ok'),
    passed(
      'nominations of what matters',
      `HTTP/1.1 200 OK\r\nconnection: content-length, content-type\r\n${LENGTH}\r\nok`,
      'ok',
    ),
    passed('informational answers before it', `HTTP/1.1 103 Early\r\nlink: a\r\n\r\n${ok}`, 'ok'),
    passed('a size in capitals', `${chunkedHead}A\r\n0123456789\r\n0\r\n\r\n`, '0123456789'),
    passed('zeros before a size', `${chunkedHead}0002\r\nok\r\n0\r\n\r\n`, 'ok'),
    passed('zeros for the last size', `${chunkedHead}2\r\nok\r\n000\r\n\r\n`, 'ok'),
    passed('blanks behind a size', `${chunkedHead}2 \t\r\nok\r\n0\r\n\r\n`, 'ok'),
    passed('an extension in quotes', `${chunkedHead}2;a="b c"\r\nok\r\n0\r\n\r\n`, 'ok'),
    passed('a trailer that would frame', `${chunkedHead}2\r\nok\r\n0\r\ncontent-length: 9\r\n\r\n`, 'ok'),
    passed(
      'set-cookie again and again',
      `HTTP/1.1 200 OK\r\n${'set-cookie: a=b\r\n'.repeat(500)}${LENGTH}\r\nok`,
      'ok',
    ),
    passed('a prototype', `HTTP/1.1 200 OK\r\n__proto__: x\r\nconstructor: y\r\n${LENGTH}\r\nok`, 'ok'),
  ];
}
