// Goal: what two texts have in common is found wherever it went, every stretch told is the same to the character, and
// texts of a million characters are compared in one go. Method: random texts with random edits against the texts
// themselves, in fragments that agree and in such that do not; characters of all planes; exact stretches by hand.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commonStretches, type Stretch } from '../../../../src/observe/pairing/align.ts';
import { longestRise } from '../../../../src/observe/pairing/longest-rise.ts';
import { fuzz } from '../../../support/fuzz.ts';
import { every, laneOf, prose } from './sights.ts';

function laneIn(text: string, size: number) {
  const points = [...text];
  const fragments = Array.from({ length: Math.ceil(points.length / size) }, (_, at) =>
    points.slice(at * size, (at + 1) * size).join(''),
  );
  return laneOf({ text, atMs: every(0, 1, fragments.length), fragments });
}

function stretches(outer: string, inner: string, sizes: readonly [number, number] = [5, 5]): readonly Stretch[] {
  return commonStretches(laneIn(outer, sizes[0]), laneIn(inner, sizes[1]));
}

const commonChars = (found: readonly Stretch[]): number => found.reduce((sum, { chars }) => sum + chars, 0);

const unit = fc.constantFrom('a', 'b', ' ', 'é', 'e\u0301', '語', '🌍', '👩‍👩‍👧', '\u200d', '\r\n');
const varied = fc.array(unit, { minLength: 1, maxLength: 400 }).map((units) => units.join(''));
const ordinary = fc.tuple(fc.nat({ max: 1e6 }), fc.nat({ max: 900 })).map(([seed, chars]) => prose(seed, chars + 1));
const words = fc.oneof(varied, ordinary, fc.constant('na '.repeat(150)));
const edit = fc.record({ at: fc.nat({ max: 500 }), cut: fc.nat({ max: 120 }), put: fc.oneof(words, fc.constant('')) });

function edited(text: string, edits: readonly { at: number; cut: number; put: string }[]): string {
  const points = [...text];
  for (const { at, cut, put } of edits) points.splice(Math.min(at, points.length), cut, ...put);
  return points.join('');
}

test('whatever was done to a text, a stretch is the same on both sides, and they ascend', () => {
  const size = fc.integer({ min: 1, max: 70 });
  fc.assert(
    fc.property(words, fc.array(edit, { maxLength: 4 }), size, size, (inner, edits, outerSize, innerSize) => {
      const outer = edited(inner, edits);
      const [outerPoints, innerPoints] = [[...outer], [...inner]];
      let [outerEnd, innerEnd] = [0, 0];
      for (const { outerFrom, innerFrom, chars } of stretches(outer, inner, [outerSize, innerSize])) {
        expect(outerFrom).toBeGreaterThanOrEqual(outerEnd);
        expect(innerFrom).toBeGreaterThanOrEqual(innerEnd);
        expect(chars).toBeGreaterThan(0);
        [outerEnd, innerEnd] = [outerFrom + chars, innerFrom + chars];
        expect(outerPoints.slice(outerFrom, outerEnd)).toEqual(innerPoints.slice(innerFrom, innerEnd));
      }
      expect(outerEnd).toBeLessThanOrEqual(outerPoints.length);
      expect(innerEnd).toBeLessThanOrEqual(innerPoints.length);
    }),
    fuzz(300),
  );
});

describe('text put before', () => {
  const text = prose(1, 2_000);

  test.each([1, 63, 64, 65, 1_000, 30_000])('%i characters in fragments of their own: all of it is there', (chars) => {
    const outer = laneOf({
      text: '',
      atMs: every(0, 1, 401),
      fragments: [prose(2, chars), ...(text.match(/.{1,5}/gu) ?? [])],
    });
    expect(commonStretches(outer, laneIn(text, 5))).toEqual([{ outerFrom: chars, innerFrom: 0, chars: 2_000 }]);
  });

  test.each([1, 63, 64, 65, 1_000])('%i characters, all in other fragments: from the first places on', (chars) => {
    const [only, ...more] = stretches(`${prose(2, chars)}${text}`, text, [7, 5]);
    expect(more).toEqual([]);
    expect((only?.outerFrom ?? 0) - (only?.innerFrom ?? 0)).toBe(chars);
    expect((only?.innerFrom ?? 0) + (only?.chars ?? 0)).toBe(2_000);
    expect(only?.innerFrom).toBeLessThan(300);
  });

  test.each([
    ['of several bytes', '語の文🌍'],
    ['that combine', 'e\u0301o\u0308'],
    ['that are joined to one', '👩‍👩‍👧'],
  ])('counts in code points where characters are %s', (_, more) => {
    const inner = Array.from({ length: 60 }, (__, at) => `${prose(at, 20)}${more}`).join('');
    const [only] = stretches(`🌍${inner}`, inner);
    expect([only?.outerFrom, only?.innerFrom].map(Number)).toSatisfy(([out = 0, put = 0]: number[]) => out - put === 1);
    expect((only?.innerFrom ?? 0) + (only?.chars ?? 0)).toBe([...inner].length);
  });

  test('a pair of surrogates that is cut by fragments is one character', () => {
    const fragments = [...prose(3, 300)]
      .map((char) => `${char}🌍`)
      .flatMap((pair) => [pair.slice(0, 2), pair.slice(2)]);
    const inner = laneOf({ text: '', atMs: every(0, 1, fragments.length), fragments });
    expect(inner.lengthChars).toBe(600);
    const outer = laneOf({ text: '', atMs: every(0, 1, fragments.length + 1), fragments: ['Hello! ', ...fragments] });
    expect(commonStretches(outer, inner)).toEqual([{ outerFrom: 7, innerFrom: 0, chars: 600 }]);
  });
});

describe('text taken away', () => {
  const text = prose(4, 2_000);

  test('from the beginning leaves the rest', () => {
    const [only] = stretches(text.slice(333), text);
    expect((only?.innerFrom ?? 0) - (only?.outerFrom ?? 0)).toBe(333);
    expect((only?.outerFrom ?? 0) + (only?.chars ?? 0)).toBe(1_667);
  });

  test('from the middle leaves both sides of it', () => {
    const found = stretches(`${text.slice(0, 800)}${text.slice(1_100)}`, text);
    expect(found.map(({ outerFrom, innerFrom }) => innerFrom - outerFrom)).toEqual([0, 300]);
    expect(commonChars(found)).toBeGreaterThan(1_400);
  });
});

test('words changed here and there leave what is between them', () => {
  const text = prose(5, 6_000);
  let altered = text;
  for (const at of [4_800, 3_600, 2_400, 1_200, 10]) altered = `${altered.slice(0, at)}[NAME]${altered.slice(at + 4)}`;
  const found = stretches(altered, text);
  expect(found.map(({ outerFrom, innerFrom }) => outerFrom - innerFrom)).toEqual([0, 2, 4, 6, 8, 10]);
  expect(commonChars(found)).toBeGreaterThan(4_800);
});

test('texts that only begin and end alike have no more than that in common', () => {
  const [before, after] = [prose(6, 500), prose(7, 500)];
  const found = stretches(`${before}${prose(8, 700)}${after}`, `${before}${prose(9, 700)}${after}`);
  expect(commonChars(found)).toBeGreaterThan(800);
  expect(commonChars(found)).toBeLessThanOrEqual(1_000);
});

test('a text that repeats itself is found once', () => {
  const text = 'again and '.repeat(300);
  expect(commonChars(stretches(`${text}${text}`, text))).toBeLessThanOrEqual(3_000);
});

test(
  'a million characters are compared by places and not by characters, whatever they are',
  { timeout: 60_000 },
  () => {
    const text = prose(10, 1_000_000);
    const texts = [
      `${prose(11, 1_000)}${text}`,
      Array.from({ length: 500 }, (_, at) => `${text.slice(at * 2_000, at * 2_000 + 1_900)}*`).join(''),
      'x'.repeat(1_000_000),
      'again and '.repeat(100_000),
    ].map((one) => laneIn(one, 500));
    const inner = laneIn(text, 500);
    const places = Math.max(...texts.map((one) => one.places?.chars.length ?? 0));
    expect(places).toBeLessThan(70_000);
    const startMs = performance.now();
    const found = texts.map((outer) => commonChars(commonStretches(outer, inner)));
    for (const outer of texts) commonStretches(outer, outer);
    // Tens of milliseconds; a comparison of each with each would take minutes.
    expect(performance.now() - startMs).toBeLessThan(5_000);
    expect(found[0]).toBeGreaterThan(999_000);
    expect(found[1]).toBeGreaterThan(750_000);
    expect(found.slice(2)).toEqual([0, 0]);
  },
);

test('the longest rise of a list', () => {
  expect(longestRise([])).toEqual([]);
  expect(longestRise([5, 1, 2, 9, 3, 4])).toEqual([1, 2, 4, 5]);
  expect(longestRise([3, 3, 3])).toHaveLength(1);
  expect(longestRise([9, 8, 7])).toHaveLength(1);
});
