// Goal: the largest bound of the stamps that figures rest on is told, and doubted above 1 ms.
// Method: built records with bounds at and beyond the limit, on reads that count and on others.
import { expect, test } from 'vitest';
import { isStampDoubtful, stampErrorMaxNs } from '../../../src/measure/stamp-error.ts';
import { buildRecord, read } from '../../support/record-builder.ts';

function recordWith(boundsNs: readonly number[], words: readonly string[] = boundsNs.map(() => 'text')) {
  return buildRecord({
    reads: boundsNs.map((errorBoundNs, i) => read(100 + i * 20, words[i] as string, { errorBoundNs })),
  });
}

test('the worst read counts', () => {
  expect(stampErrorMaxNs(recordWith([10, 900, 20]))).toBe(900);
});

test('a read that completed no event is not looked at', () => {
  expect(stampErrorMaxNs(recordWith([10, 900], ['text', '']))).toBe(10);
});

test('the stamp of the request head counts like a read', () => {
  expect(stampErrorMaxNs({ ...recordWith([10]), openedErrorBoundNs: 70 })).toBe(70);
  expect(stampErrorMaxNs({ ...recordWith([]), openedErrorBoundNs: 70 })).toBe(70);
});

test('without a stamp of which a bound is known there is none', () => {
  expect(stampErrorMaxNs(recordWith([]))).toBeUndefined();
  expect(isStampDoubtful(recordWith([]))).toBe(false);
});

test('1 ms is good enough for every figure, 1 ns more is a doubt', () => {
  expect(isStampDoubtful(recordWith([1_000_000]))).toBe(false);
  expect(isStampDoubtful(recordWith([1_000_001]))).toBe(true);
});
