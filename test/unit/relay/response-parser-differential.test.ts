// Goal: the parser reads what Node's own client reads and refuses what it refuses, but for differences with a name.
// Method: random responses, many of them bent in some place, cut at random; a raw server gives Node the same bytes.
// The seed is printed when a run fails.
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bytesOf, parse, type ParseLog } from './parse-log.ts';
import { startNodeClient, type NodeClient, type Reading } from './node-client.ts';
import { fuzz } from '../../support/fuzz.ts';

let node: NodeClient;
beforeAll(async () => {
  node = await startNodeClient();
});
afterAll(() => node.close());

const NO_HEAD = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${NO_HEAD}transfer-encoding: chunked\r\n\r\n`;

interface Difference {
  readonly name: string;
  /** Found in the text of a response that the two read differently. */
  readonly sign: RegExp;
  readonly ours: 'reads' | 'refuses';
  readonly example: string;
}

/** Where we differ from Node on purpose. Each is shown by its example, so none outlives its reason. */
const DIFFERENCES: readonly Difference[] = [
  // Unambiguous, and engines or hops send it.
  {
    name: 'a length stated twice alike',
    sign: /content-length:.*\r\n(?:.*\r\n)*content-length:/i,
    ours: 'reads',
    example: `${NO_HEAD}content-length: 1\r\ncontent-length: 1\r\n\r\na`,
  },
  {
    name: 'both framings',
    sign: /content-length:[^]*transfer-encoding:|transfer-encoding:[^]*content-length:/i,
    ours: 'reads',
    example: `${NO_HEAD}content-length: 9\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`,
  },
  {
    name: 'the coding identity',
    sign: /transfer-encoding: *identity/i,
    ours: 'reads',
    example: `${NO_HEAD}transfer-encoding: identity\r\ncontent-length: 1\r\n\r\na`,
  },
  {
    name: 'blanks behind a chunk size',
    sign: /\n[0-9a-f]+[ \t]+[;\r]/i,
    ours: 'reads',
    example: `${CHUNKED}1 \r\na\r\n0\r\n\r\n`,
  },
  {
    name: 'an extension that is no token',
    sign: /\n[0-9a-f]+[ \t]*;[^\r\n]*\r\n/i,
    ours: 'reads',
    example: `${CHUNKED}1;a=b c\r\na\r\n0\r\n\r\n`,
  },
  {
    name: 'an informational answer that says close',
    sign: /HTTP\/1\.\d 1\d\d.*\r\n(?:.+\r\n)*connection:[ \t]*close/i,
    ours: 'reads',
    example: 'HTTP/1.1 103 x\r\nconnection: close\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
  },
  // Ambiguous, or nothing that a response can be.
  {
    name: 'line ends before the status line',
    sign: /^[\r\n]+HTTP|\r\n\r\n[\r\n]+HTTP/,
    ours: 'refuses',
    example: '\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
  },
  {
    name: 'a version other than 1.0 and 1.1',
    sign: /HTTP\/(?:0\.9|2\.0)/,
    ours: 'refuses',
    example: 'HTTP/2.0 200 OK\r\ncontent-length: 0\r\n\r\n',
  },
  {
    name: 'a status below 100',
    sign: /HTTP\/\d\.\d 0\d\d/,
    ours: 'refuses',
    example: 'HTTP/1.1 099 OK\r\ncontent-length: 0\r\n\r\n',
  },
  {
    name: 'a control character in a reason',
    // oxlint-disable-next-line no-control-regex
    sign: /HTTP\/\d\.\d \d{3} [^\r\n]*[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/,
    ours: 'refuses',
    example: 'HTTP/1.1 200 O\x01K\r\ncontent-length: 0\r\n\r\n',
  },
  {
    name: 'a coding in HTTP/1.0',
    sign: /HTTP\/1\.0[^]*transfer-encoding:/i,
    ours: 'refuses',
    example: CHUNKED.replace('1.1', '1.0') + '0\r\n\r\n',
  },
  {
    name: 'a coding other than chunked',
    sign: /transfer-encoding: *(?!chunked *\r)/i,
    ours: 'refuses',
    example: `${NO_HEAD}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  },
  {
    name: 'a coding stated twice',
    sign: /transfer-encoding:.*\r\n(?:.*\r\n)*transfer-encoding:/i,
    ours: 'refuses',
    example: CHUNKED.replace('\r\n\r\n', '\r\ntransfer-encoding: chunked\r\n\r\n') + '0\r\n\r\n',
  },
  {
    name: 'a length of more than 15 digits',
    sign: /content-length: *\d{16}/i,
    ours: 'refuses',
    example: `${NO_HEAD}content-length: 0000000000000001\r\n\r\na`,
  },
  {
    name: 'a chunk size of more than 13 digits',
    sign: /\n[0-9a-f]{14}/i,
    ours: 'refuses',
    example: `${CHUNKED}00000000000001\r\na\r\n0\r\n\r\n`,
  },
  {
    name: 'a switch of protocols that nobody asked for',
    sign: /HTTP\/1\.\d 101/,
    ours: 'refuses',
    example: 'HTTP/1.1 101 Switching Protocols\r\n\r\n',
  },
];

/** Our reading in the terms of Node's. */
function ourReading(log: ParseLog): Reading | undefined {
  const head = log.heads[0];
  if (head === undefined) return undefined;
  const { status, reason, fields } = head;
  const complete = log.completeCount === 1;
  const informational = log.informational.map((one) => one.status);
  return { status, reason, fields, body: log.body, trailers: log.trailers ?? [], complete, informational };
}

/** Undefined when both agree. An answer that broke off need not have been read equally far. */
function disagreement(ours: Reading | undefined, theirs: Reading | undefined): string | undefined {
  if (ours === undefined || theirs === undefined || !ours.complete || !theirs.complete) {
    const broken = (reading: Reading | undefined) => reading === undefined || !reading.complete;
    return broken(ours) && broken(theirs) ? undefined : 'only one of them has a whole answer';
  }
  const name = (Object.keys(ours) as (keyof Reading)[]).find(
    (key) => JSON.stringify(ours[key]) !== JSON.stringify(theirs[key]),
  );
  return name && `${name}: ${JSON.stringify(ours[name])} against ${JSON.stringify(theirs[name])}`;
}

test.each(DIFFERENCES)('a difference on purpose: $name', async ({ sign, ours, example }) => {
  expect(example).toMatch(sign);
  const log = parse([bytesOf(example)], { eof: true });
  const theirs = await node.read(bytesOf(example), 'GET');
  const whole = { ours: ourReading(log)?.complete === true, theirs: theirs?.complete === true };
  expect(whole).toEqual({ ours: ours === 'reads', theirs: ours === 'refuses' });
});

const text = (...values: string[]) => fc.constantFrom(...values);
/** Mostly nothing. */
const seldom = (...values: string[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constant('') }, { weight: 1, arbitrary: text(...values) });
const line = fc
  .tuple(
    text('X-a', 'x-A', 'Set-Cookie', 'server', 'Connection', 'via'),
    text(':', ': ', ':\t '),
    text('', 'a', 'a b', 'a:b', 'close', '\xe9\xff', 'a\tb', '"q"'),
    text('', ' ', '\t'),
  )
  .map((parts) => `${parts.join('')}\r\n`);
const lines = fc.array(line, { maxLength: 4 }).map((all) => all.join(''));
const body = fc.string({
  unit: fc.constantFrom('a', 'b', '\r', '\n', '\0', '0', '\xff', ';', ' ', 'HTTP/1.1 '),
  maxLength: 30,
});
const status = fc.oneof(
  { weight: 8, arbitrary: text('200', '404', '500', '999', '299') },
  { weight: 2, arbitrary: text('204', '304', '205', '101', '099') },
);
const startLine = fc
  .tuple(
    fc.oneof(
      { weight: 9, arbitrary: fc.constant('1.1') },
      { weight: 1, arbitrary: text('1.0', '0.9', '2.0', '1.2', '1') },
    ),
    status,
    text(' OK', ' ', '', ' Not  Found', ' \xe9'),
  )
  .map(([version, code, reason]) => `HTTP/${version} ${code}${reason}\r\n`);
const informational = fc
  .array(fc.tuple(text('100', '103', '150'), lines), { maxLength: 2 })
  .map((all) => all.map(([code, fields]) => `HTTP/1.1 ${code} x\r\n${fields}\r\n`).join(''));
const chunk = fc
  .tuple(
    body.filter((bytes) => bytes !== ''),
    text('', '0', '000'),
    seldom(';a', ';a=b', ';a="b c"', ' ', ';'),
    fc.boolean(),
  )
  .map(([bytes, zeros, extension, upper]) => {
    const size = bytes.length.toString(16);
    return `${zeros}${upper ? size.toUpperCase() : size}${extension}\r\n${bytes}\r\n`;
  });
const coding = fc.oneof(
  { weight: 12, arbitrary: text('chunked', 'Chunked') },
  { weight: 1, arbitrary: text('gzip, chunked', 'identity', '') },
);
/** Fields that frame the body, and the body. */
const framed = fc.oneof(
  body.map((bytes) => [`Content-Length: ${bytes.length}\r\n`, bytes] as const),
  fc
    .tuple(coding, fc.array(chunk, { maxLength: 4 }), text('0\r\n', '000\r\n', '0;x\r\n'), lines)
    .map(
      ([name, chunks, last, trailers]) =>
        [`transfer-encoding: ${name}\r\n`, `${chunks.join('')}${last}${trailers}\r\n`] as const,
    ),
  body.map((bytes) => ['', bytes] as const),
);
const whole = fc
  .tuple(
    informational,
    startLine,
    lines,
    framed,
    lines,
    seldom('content-length: 3\r\n', 'transfer-encoding: chunked\r\n'),
  )
  .map(
    ([before, start, first, [framing, bytes], second, further]) =>
      `${before}${start}${first}${framing}${further}${second}\r\n${bytes}`,
  );

/** What bends a response: bytes in the place of others. */
const bend = fc.tuple(
  fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  fc.integer({ min: 0, max: 2 }),
  text('', ' ', '\r', '\n', '\r\n', ':', '\0', '\x7f', '5', '-', 'g', '\t', ';', 'A'),
);
const sample = fc.record({
  whole,
  bends: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: fc.array(bend, { minLength: 1, maxLength: 2 }) },
  ),
  cutRatio: fc.double({ min: 0, max: 1, noNaN: true }),
  method: fc.oneof({ weight: 5, arbitrary: fc.constant('GET') }, { weight: 1, arbitrary: fc.constant('HEAD') }),
});

test('random responses are read alike', { timeout: 60_000 }, async () => {
  const seen = { whole: 0, broken: 0, named: 0 };
  await fc.assert(
    fc.asyncProperty(sample, async ({ whole: straight, bends, cutRatio, method }) => {
      let bent = straight;
      for (const [where, removed, added] of bends) {
        const at = Math.floor(where * bent.length);
        bent = bent.slice(0, at) + added + bent.slice(at + removed);
      }
      const bytes = bytesOf(bent);
      const cutAt = Math.floor(cutRatio * bytes.length);
      const log = parse([bytes.subarray(0, cutAt), bytes.subarray(cutAt)], { method, eof: true });
      // What lies behind an answer belongs to no request. We count it, Node forgets the answer over it.
      if (parse([bytes], { method }).surplusBytes) return;
      const ours = ourReading(log);
      const theirs = await node.read(bytes, method);
      const difference = disagreement(ours, theirs);
      if (difference === undefined) seen[ours?.complete === true ? 'whole' : 'broken'] += 1;
      else if (DIFFERENCES.some(({ sign }) => sign.test(bent))) seen.named += 1;
      else throw new Error(`${difference} in ${JSON.stringify(bent)}; our fault: ${log.fault}`);
    }),
    fuzz(2_500),
  );
  expect(seen.whole).toBeGreaterThan(400);
  expect(seen.broken).toBeGreaterThan(300);
});
