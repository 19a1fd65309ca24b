// Goal: new requests find no room exactly when a limit is reached, and it is known which one that was.
// Method: limits around the numbers asked about; the memory of this very process.
import { expect, test } from 'vitest';
import { AdmissionLimits, BOUNDLESS, shortageOf } from '../../../src/relay/admission-limits.ts';

test('without limits there is always room', () => {
  const limits = new AdmissionLimits(BOUNDLESS);
  limits.look();
  expect(limits.shedReason(1e9, false)).toBeUndefined();
});

test('streams find room up to their number', () => {
  const limits = new AdmissionLimits({ ...BOUNDLESS, maxStreamCount: 2 });
  expect([0, 1, 2, 3].map((count) => limits.shedReason(count, false))).toEqual([
    undefined,
    undefined,
    'streams',
    'streams',
  ]);
});

test('a connection beyond the limit finds none, whatever else there is room for', () => {
  expect(new AdmissionLimits(BOUNDLESS).shedReason(0, true)).toBe('connections');
});

test('memory counts from the first look on, and by the limit of now', () => {
  const limits = new AdmissionLimits({ ...BOUNDLESS, maxRssBytes: 1 });
  expect(limits.shedReason(0, false)).toBeUndefined();
  limits.look();
  expect(limits.shedReason(0, false)).toBe('memory');
  limits.settings = { ...BOUNDLESS, maxRssBytes: 2 ** 50 };
  expect(limits.shedReason(0, false)).toBeUndefined();
});

test.each([
  ['EMFILE', 'descriptors'],
  ['ENFILE', 'descriptors'],
  ['ENOBUFS', 'memory'],
  ['ENOMEM', 'memory'],
  ['ECONNREFUSED', undefined],
  ['ECONNRESET', undefined],
  ['ETIMEDOUT', undefined],
  ['toString', undefined],
])('%s is want of %s', (code, reason) => {
  expect(shortageOf(code)).toBe(reason);
});
