// Goal: the stamp of whoever began the request is read in each of its usual forms, and no other way.
import { expect, it } from 'vitest';
import { requestStartEpochMs } from '../../../src/observe/request-start.ts';

it.each([
  ['t=1796000000.123', 1_796_000_000_123],
  ['1796000000.123', 1_796_000_000_123],
  ['t=1796000000', 1_796_000_000_000],
  ['1796000000123', 1_796_000_000_123],
  ['t=1796000000123', 1_796_000_000_123],
  ['t=1796000000123456', 1_796_000_000_123.456],
  ['1796000000123456789', 1_796_000_000_123.457],
  [' t=1796000000123 ', 1_796_000_000_123],
  ['t=978307200', 978_307_200_000],
])('reads %s', (value, epochMs) => {
  expect(requestStartEpochMs(['X-Request-Start', value])).toBe(epochMs);
});

it.each(['', 't=', 'now', '-1796000000', '1.796e9', '17960000', '978307199', 't=1796000000123,t=5', '0x1796000000'])(
  'takes nothing from %j',
  (value) => {
    expect(requestStartEpochMs(['x-request-start', value])).toBeUndefined();
  },
);

it('takes the older name when the usual one is missing or unreadable', () => {
  expect(requestStartEpochMs(['x-request-start', 'soon', 'x-queue-start', 't=1796000000'])).toBe(1_796_000_000_000);
  expect(requestStartEpochMs(['x-queue-start', 't=1', 'x-request-start', '1796000001'])).toBe(1_796_000_001_000);
  expect(requestStartEpochMs(['host', 'x'])).toBeUndefined();
});
