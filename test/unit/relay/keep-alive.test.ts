// Goal: a connection is used again only when its answer surely ended before it, and for as long as the engine says.
// Method: one head a case.
import { describe, expect, test } from 'vitest';
import { FRAMINGS } from '../../../src/base/outcome.ts';
import { keepAliveHintMs, keepsAlive } from '../../../src/relay/keep-alive.ts';
import type { ResponseHead } from '../../../src/relay/response-head.ts';

function head(changes: Partial<ResponseHead> = {}): ResponseHead {
  return { status: 200, reason: 'OK', minorVersion: 1, fields: [], framing: 'length', lengthBytes: 5, ...changes };
}

test('the framing decides', () => {
  expect(FRAMINGS.filter((framing) => keepsAlive(head({ framing })))).toEqual(['none', 'length', 'chunked']);
});

test('HTTP/1.0 is never kept, whatever it says', () => {
  expect(keepsAlive(head({ minorVersion: 0, fields: ['connection', 'keep-alive'] }))).toBe(false);
});

test.each([
  ['close', false],
  ['Close', false],
  ['x, CLOSE ,y', false],
  ['keep-alive', true],
  ['closed', true],
  ['', true],
])('"connection: %s" keeps: %s', (value, keeps) => {
  expect(keepsAlive(head({ fields: ['Connection', value] }))).toBe(keeps);
});

test('a close in the second of two fields counts', () => {
  expect(keepsAlive(head({ fields: ['Connection', 'x', 'connection', 'close'] }))).toBe(false);
});

describe('the hint', () => {
  test.each([
    ['timeout=5', 5_000],
    ['Timeout=5, max=100', 5_000],
    ['max=100,timeout=61', 61_000],
    ['max=100; timeout=2', 2_000],
    ['timeout=0', 0],
    ['timeout=999999', 999_999_000],
  ])('of "%s" is %i ms', (value, ms) => {
    expect(keepAliveHintMs(head({ fields: ['Keep-Alive', value] }))).toBe(ms);
  });

  test.each(['', 'max=100', 'timeout=', 'timeout=x', 'xtimeout=5', 'timeout = 5', 'timeout=-5'])(
    'of "%s" is unknown',
    (value) => {
      expect(keepAliveHintMs(head({ fields: ['Keep-Alive', value] }))).toBeUndefined();
    },
  );

  test('without the field is unknown', () => {
    expect(keepAliveHintMs(head())).toBeUndefined();
  });
});
