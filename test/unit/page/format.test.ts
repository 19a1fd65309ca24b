// Goal: figures read the same everywhere, keep three digits that mean something, and never turn unknown into 0 or a
// near miss into all. Method: values on both sides of each limit, as exact texts.
import { describe, expect, test } from 'vitest';
import {
  bytes,
  count,
  figure,
  late,
  ms,
  msNumber,
  numberWords,
  percent,
  span,
  word,
} from '../../../src/page/format.ts';

const NARROW = '\u202f';
const plain = (text: string): string => text.replaceAll(NARROW, ' ');

test('what is unknown is a dash and never 0', () => {
  for (const write of [ms, msNumber, percent, count, figure, bytes, span, late, word]) {
    expect(write(undefined)).toBe('–');
  }
  expect([ms(0), percent(0), count(0), bytes(0)].map(plain)).toEqual(['0.00 ms', '0 %', '0', '0 B']);
});

test('lengths keep three digits, and no rounding makes a fourth', () => {
  const told = [420_000, 9_994_999, 9_995_001, 12_340_000, 99_949_999, 99_950_001, 1_234_567_890, 60_000_000_000];
  expect(told.map((lengthNs) => plain(msNumber(lengthNs)))).toEqual([
    '0.42',
    '9.99',
    '10.0',
    '12.3',
    '99.9',
    '100',
    '1 235',
    '60 000',
  ]);
});

test('a unit never stands on another line than its number', () => {
  expect([1, 4_999, 5_000, -4_999].map((lengthNs) => plain(msNumber(lengthNs)))).toEqual([
    '<0.01',
    '<0.01',
    '0.01',
    '>-0.01',
  ]);
  expect(ms(1_000_000)).toBe(`1.00${NARROW}ms`);
  expect(count(1_234_567)).toBe(`1${NARROW}234${NARROW}567`);
});

test('only all of it is 100 %, and only nothing is 0 %', () => {
  expect([1, 0.99999, 0.999, 0.00001, 0, 0.5].map((ratio) => plain(percent(ratio)))).toEqual([
    '100 %',
    '99.9 %',
    '99.9 %',
    '0.1 %',
    '0 %',
    '50.0 %',
  ]);
});

test('shares beyond the whole and below nothing are told as they are', () => {
  expect([-0.5, 3.25, 19].map((ratio) => plain(percent(ratio)))).toEqual(['−50.0 %', '325.0 %', '1 900 %']);
});

test('what never came is said so', () => {
  expect(late('never')).toBe('never');
  expect(plain(late(5_000_000))).toBe('5.00 ms');
});

test('spans for axes change their unit', () => {
  expect([0.25, 999, 1_000, 90_000, 180_000, 7_200_000].map((lengthMs) => plain(span(lengthMs)))).toEqual([
    '0.25 ms',
    '999 ms',
    '1 s',
    '90 s',
    '3 min',
    '2 h',
  ]);
});

describe('numbers of verdicts', () => {
  test('are written by the unit that their name ends in', () => {
    const told = [
      numberWords('gapMs', 200.5),
      numberWords('stepNs', 13_400_000),
      numberWords('heldRatio', 0.929),
      numberWords('blockBytes', 4096),
      numberWords('releaseCount', 14),
      numberWords('eventsPerRead', 14.23),
      numberWords('reads', 1_500),
    ];
    expect(told.map(plain)).toEqual([
      'gap 201 ms',
      'step 13.4 ms',
      'held 92.9 %',
      'block 4 096 B',
      'release 14',
      'events per read 14.2',
      'reads 1 500',
    ]);
  });

  test('a name that is a unit itself stays a name', () => {
    expect(plain(numberWords('count', 3))).toBe('count 3');
  });
});
