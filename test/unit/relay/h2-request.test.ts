// Goal: a request of HTTP/2 becomes the same request in HTTP/1.1, or none at all: nothing in it can be read as more.
// Method: heads as texts, exactly; each rule with its near miss; any fields at all keep to their own lines.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainRequest, plainTrailers } from '../../../src/relay/h2-request.ts';

const LINE = [':method', 'POST', ':scheme', 'http', ':authority', 'x:1', ':path', '/a?b'];
const headOf = (fields: readonly string[], isWhole = true): string[] | undefined =>
  plainRequest(fields, isWhole)?.head.split('\r\n');

describe('a head', () => {
  test('has its line, its host and its fields in their order', () => {
    expect(headOf([...LINE, 'b', '2', 'a', '1', 'b', '3'])).toEqual([
      'POST /a?b HTTP/1.1',
      'host: x:1',
      'b: 2',
      'a: 1',
      'b: 3',
      '',
      '',
    ]);
  });

  test('has one cookie field of all its pieces', () => {
    expect(headOf([...LINE, 'cookie', 'a=1', 'x', 'y', 'cookie', 'b=2'])).toContain('cookie: a=1; b=2');
  });

  test('has the host that was named in either way, once', () => {
    expect(headOf([...LINE, 'host', 'x:1'])?.filter((line) => line.startsWith('host'))).toEqual(['host: x:1']);
    const without = LINE.toSpliced(4, 2);
    expect(headOf([...without, 'host', 'y'])).toContain('host: y');
    // Whether one without may pass is the gate's to say.
    expect(headOf(without)?.some((line) => line.startsWith('host'))).toBe(false);
    expect(headOf([...LINE, 'host', 'X:1'])).toBeUndefined();
    expect(headOf([...LINE, 'host', 'x:1', 'host', 'x:1'])).toBeUndefined();
  });

  test('says how its body is framed', () => {
    const chunked = 'transfer-encoding: chunked';
    expect(headOf(LINE, true)).not.toContain(chunked);
    expect(headOf(LINE, false)).toContain(chunked);
    expect(headOf([...LINE, 'content-length', '7'], false)).not.toContain(chunked);
    expect(plainRequest([...LINE, 'content-length', '7'], false)?.isChunked).toBe(false);
    expect(headOf([...LINE, 'content-length', '0'], true)).toContain('content-length: 0');
    expect(headOf([...LINE, 'content-length', '7'], true)).toBeUndefined();
  });

  test('of CONNECT and of OPTIONS * has a target of its own', () => {
    expect(headOf([':method', 'CONNECT', ':authority', 'x:1'])?.[0]).toBe('CONNECT x:1 HTTP/1.1');
    expect(headOf([':method', 'CONNECT', ':authority', ''])).toBeUndefined();
    expect(headOf([':method', 'CONNECT', ':authority', 'x:1', ':path', '/'])).toBeUndefined();
    const star = (method: string): string[] => [':method', method, ':scheme', 'http', ':path', '*'];
    expect(headOf(star('OPTIONS'))?.[0]).toBe('OPTIONS * HTTP/1.1');
    expect(headOf(star('GET'))).toBeUndefined();
  });
});

describe('malformed is', () => {
  test.each([
    ['connection', 'x'],
    ['keep-alive', 'x'],
    ['proxy-connection', 'x'],
    ['transfer-encoding', 'chunked'],
    ['upgrade', 'x'],
    ['te', 'gzip'],
    ['te', 'trailers, gzip'],
    ['Host', 'x:1'],
    ['a b', 'x'],
    ['a:', 'x'],
    ['', 'x'],
    ['a', 'x\ny'],
    ['a', 'x\r'],
    ['a', 'x\0'],
    [':path', '/'],
    [':authority', 'x:1'],
    ['content-length', '-1'],
    ['content-length', ''],
    ['content-length', '1, 1'],
  ])('%s: %j', (name, value) => {
    expect(headOf([...LINE, name, value], false)).toBeUndefined();
  });

  test.each([
    ['te', 'trailers'],
    ['te', 'Trailers'],
    ['connections', 'x'],
    ['a', 'x\ty: z'],
    ['a', ''],
    ['content-length', '123456789012345'],
  ])('not %s: %j', (name, value) => {
    expect(headOf([...LINE, name, value], false)).toBeDefined();
  });

  test.each([
    [':method', 'GE T'],
    [':method', ''],
    [':path', ''],
    [':path', 'a'],
    [':path', '/ a'],
    [':path', '/\x7f'],
    [':path', '/\r\nx: y'],
    [':authority', 'x y'],
    [':scheme', 'http\n'],
  ])('a %s of %j', (name, value) => {
    expect(headOf(LINE.with(LINE.indexOf(name) + 1, value))).toBeUndefined();
  });
});

test('whatever the fields are, each stays within its line and no other line is made', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'Z', ':', ' ', '\r', '\n', '\0', '\t', '-', '/', '\x7f'),
    maxLength: 6,
  });
  const fields = fc.array(fc.tuple(fc.oneof(text, fc.constantFrom('x', ':path', 'te', 'host', 'cookie')), text), {
    maxLength: 5,
  });
  fc.assert(
    fc.property(fields, fc.boolean(), (pairs, isWhole) => {
      const head = plainRequest([...LINE, ...pairs.flat()], isWhole)?.head;
      if (head === undefined) return;
      const lines = head.split('\r\n');
      expect(lines.slice(0, 2)).toEqual(['POST /a?b HTTP/1.1', 'host: x:1']);
      expect(lines.slice(-2)).toEqual(['', '']);
      // One for each field at most, and one more for the framing.
      expect(lines.length).toBeLessThanOrEqual(2 + pairs.length + (isWhole ? 0 : 1) + 2);
      for (const line of lines.slice(2, -2)) expect(line).toMatch(/^[^:\s]+: [^\r\n\0]*$/);
    }),
  );
});

test('of trailers what could be more than a field is left out', () => {
  expect(plainTrailers(['x-sum', '7', 'y', 'a\r\nb', ':path', '/', 'connection', 'x', 'Z', '1', 'z', ''])).toBe(
    'x-sum: 7\r\nz: \r\n',
  );
});
