// Goal: every answer that rubato makes itself has a code of its own and a status that fits who is to blame.
// Method: the whole table.
import { describe, expect, test } from 'vitest';
import { ERROR_CODES, METHOD_REFUSED, NO_ROUTE, type ErrorCode } from '../../../src/base/error-codes.ts';
import { OUTCOMES, WIRE_ENDS } from '../../../src/base/outcome.ts';

const ALL: readonly ErrorCode[] = [...Object.values(ERROR_CODES), NO_ROUTE, METHOD_REFUSED];

test('codes are unique and spelled alike', () => {
  const codes = ALL.map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  for (const code of codes) expect(code).toMatch(/^RBT_[A-Z]+(?:_[A-Z]+)*$/);
});

test('messages are unique sentences', () => {
  expect(new Set(ALL.map(({ message }) => message)).size).toBe(ALL.length);
  for (const { message } of ALL) expect(message).toMatch(/^[A-Za-z].*\.$/);
});

describe('status', () => {
  test.each([
    ['client_protocol', 400],
    ['connect_error', 502],
    ['upstream_closed_before_head', 502],
    ['upstream_reset_reused', 502],
    ['upstream_bad_response', 502],
    ['timeout_connect', 504],
    ['timeout_head', 504],
    ['shutdown', 503],
    ['internal_error', 502],
  ] as const)('of %s is %i', (wireEnd, status) => {
    expect(ERROR_CODES[wireEnd].status).toBe(status);
  });

  test('of refusals', () => {
    expect([NO_ROUTE.status, METHOD_REFUSED.status]).toEqual([404, 405]);
  });

  test('fits the blame: below 500 is never the fault of an engine, 500 itself is never used', () => {
    for (const { status, blame } of ALL) {
      expect(status).not.toBe(500);
      if (blame === 'client') expect(status).toBeLessThan(500);
      if (blame === 'engine' || blame === 'rubato') expect(status).toBeGreaterThanOrEqual(502);
    }
  });
});

test('every end of the table is one that a relay can state, and an outcome', () => {
  for (const wireEnd of Object.keys(ERROR_CODES)) {
    expect(WIRE_ENDS).toContain(wireEnd);
    expect(OUTCOMES).toContain(wireEnd);
  }
});

test('every end on the wire but a complete one is an outcome of the same name', () => {
  expect(
    WIRE_ENDS.filter((wireEnd) => wireEnd !== 'complete' && !(OUTCOMES as readonly string[]).includes(wireEnd)),
  ).toEqual([]);
});
