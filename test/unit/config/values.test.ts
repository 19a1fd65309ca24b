// Goal: every kind of value is read exactly, and what is refused is refused with the reason.
// Method: tables of raw values, as flags (text) and as YAML (scalars and lists) give them.
import { describe, expect, test } from 'vitest';
import {
  readBytes,
  readChoice,
  readEdges,
  readHeaderName,
  readHostPort,
  readInteger,
  readLabel,
  readLimit,
  readMetricsPlace,
  readNames,
  readSeconds,
  readSwitch,
  readText,
  readUpstream,
  readUrl,
  type Reader,
} from '../../../src/config/values.ts';

function valueOf<Value>(reader: Reader<Value>, raw: unknown): Value | string {
  const read = reader(raw);
  return 'value' in read ? read.value : `fault: ${read.fault}`;
}

describe('an upstream', () => {
  test.each([
    ['http://127.0.0.1:8000', 'http:', '127.0.0.1', 8000],
    ['http://engine', 'http:', 'engine', 80],
    ['https://api.example.com/', 'https:', 'api.example.com', 443],
    ['http://[::1]:8000', 'http:', '::1', 8000],
    ['HTTP://ENGINE:8000', 'http:', 'engine', 8000],
  ])('%s is read as an origin', (text, protocol, host, port) => {
    expect(valueOf(readUpstream, text)).toMatchObject({ protocol, host, port });
  });

  test.each([
    ['localhost:8000', 'is not an http:// or https:// URL'],
    ['ftp://engine', 'is not an http:// or https:// URL'],
    ['http://', 'is a malformed URL'],
    ['http://engine:99999', 'is a malformed URL'],
    ['http://engine:0', 'has port 0'],
    ['http://engine:8000/v1', 'give only http://engine:8000'],
    ['http://engine/?x=1', 'has a path or query'],
    ['http://me:secret@engine', 'holds a user name or password'],
    [8000, 'is not an http:// or https:// URL'],
    [undefined, 'is not an http:// or https:// URL'],
  ])('%s is refused', (text, reason) => {
    expect(valueOf(readUpstream, text)).toContain(reason);
  });

  test.each([
    'http://me:secret@engine',
    'http://me:secret@engine:99999',
    'http://me:se/secret@engine',
    'me:secret@engine:8000',
    'http://engine/?token=secret',
    'http://engine:8000/v1#secret',
    'engine:8000/metrics?token=secret',
    ['http://me:secret@engine', 'http://engine/?token=secret'],
    { upstream: 'http://me:secret@engine' },
  ])('no fault repeats what may be secret in %s', (text) => {
    for (const read of [readUpstream, readUrl, readMetricsPlace, readHostPort]) {
      const result = read(text);
      if ('fault' in result) expect(result.fault).not.toContain('secret');
    }
  });
});

describe('an address to listen on', () => {
  test.each([
    ['127.0.0.1:8080', '127.0.0.1', 8080],
    ['[::1]:0', '::1', 0],
    ['localhost:65535', 'localhost', 65535],
  ])('%s is host and port', (text, host, port) => {
    expect(valueOf(readHostPort, text)).toEqual({ host, port });
  });

  test.each([
    ['8080', 'is not HOST:PORT'],
    [':8080', 'is not HOST:PORT'],
    ['::1:8080', 'is not HOST:PORT'],
    ['127.0.0.1:http', 'is not HOST:PORT'],
    ['127.0.0.1:65536', 'port 65536 is out of range'],
    [8080, 'is not HOST:PORT'],
  ])('%s is refused', (text, reason) => {
    expect(valueOf(readHostPort, text)).toContain(reason);
  });
});

describe('numbers', () => {
  test.each([
    [readSeconds(0), '25', 25_000],
    [readSeconds(0), 0.5, 500],
    [readSeconds(0), '0', 0],
    [readLimit, '1.25', 1_250],
    [readLimit, 'off', undefined],
    [readLimit, false, undefined],
    [readBytes(1), '1048576', 1_048_576],
    [readBytes(1), '256MiB', 268_435_456],
    [readBytes(1), '2 GiB', 2_147_483_648],
    [readInteger(1, 64), '64', 64],
    [readInteger(1, 64), 1, 1],
  ] as const)('%o reads %o as %o', (reader: Reader<number | undefined>, raw, value) => {
    expect(valueOf(reader, raw)).toBe(value);
  });

  test.each([
    [readSeconds(0), '25s', 'is not a number of seconds'],
    [readSeconds(0), '-1', 'is not a number of seconds'],
    [readSeconds(0), '2147484', 'from 0 to 2147483'],
    [readLimit, '0', 'neither a number of seconds above 0 nor off'],
    [readBytes(1024), '512', 'at least 1024 bytes'],
    [readBytes(1), '1MB', 'such as 1048576 or 256MiB'],
    [readInteger(1, 64), '65', 'from 1 to 64'],
    [readInteger(1, 64), '1.5', 'is not a whole number'],
    [readInteger(1, 64), '', 'is not a whole number'],
  ] as const)('%o refuses %o', (reader: Reader<number | undefined>, raw, reason) => {
    expect(valueOf(reader, raw)).toContain(reason);
  });
});

describe('words and lists', () => {
  test('a choice takes only its words, and YAML false and true for off and on', () => {
    const reader = readChoice(['on', 'off', 'auto']);
    expect(['on', 'off', 'auto', false, true].map((raw) => valueOf(reader, raw))).toEqual([
      'on',
      'off',
      'auto',
      'off',
      'on',
    ]);
    expect(valueOf(reader, 'maybe')).toBe('fault: "maybe" is not one of on, off, auto');
  });

  test('a switch takes true and false as text, number or truth value', () => {
    expect([true, 'true', '1', 1, false, 'false', '0'].map((raw) => valueOf(readSwitch, raw))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(valueOf(readSwitch, 'yes')).toContain('neither true nor false');
  });

  test('a list may come from commas, repeated flags and YAML, and loses repetitions', () => {
    const reader = readNames('names', 3);
    expect(valueOf(reader, 'a, b,a')).toEqual(['a', 'b']);
    expect(valueOf(reader, ['a', 'b,c'])).toEqual(['a', 'b', 'c']);
    expect(valueOf(reader, '')).toEqual([]);
    expect(valueOf(reader, 'a,b,c,d')).toContain('4 names are more than the 3 allowed');
    expect(valueOf(reader, [{}])).toContain('expected a list of names');
  });

  test('edges must rise', () => {
    const reader = readEdges(3);
    expect(valueOf(reader, [64, 256])).toEqual([64, 256]);
    expect(valueOf(reader, '64,256')).toEqual([64, 256]);
    for (const raw of ['256,64', '64,64', '0,64', '', '1,2,3,4', 'a']) {
      expect(valueOf(reader, raw)).toContain('is not a rising list');
    }
  });

  test('a header name is kept in lower case, and cannot hold spaces or colons', () => {
    expect(valueOf(readHeaderName, 'X-Traffic-Class')).toBe('x-traffic-class');
    for (const raw of ['', 'a b', 'a:', undefined])
      expect(valueOf(readHeaderName, raw)).toContain('cannot be the name of a header');
  });

  test('a label value is a short word', () => {
    expect(valueOf(readLabel, 'vllm-eu.1')).toBe('vllm-eu.1');
    for (const raw of ['', 'a b', '-a', 'x'.repeat(65), {}]) expect(valueOf(readLabel, raw)).toContain('is not a name');
  });

  test('text cannot be empty', () => {
    expect(valueOf(readText('a path'), ' x ')).toBe('x');
    expect(valueOf(readText('a path'), '')).toBe('fault: expected a path');
    expect(valueOf(readText('a path'), {})).toBe('fault: expected a path');
  });

  test('a very long value is cut in the sentence that refuses it', () => {
    expect(valueOf(readSwitch, 'x'.repeat(1_000)).toString().length).toBeLessThan(150);
  });
});
