// Goal: the places of a text are those of its content: they move with it, whatever stands before and in whatever
// fragments it comes, stand about as often as told and never closer, and are bounded. Method: random texts against
// sums worked out with big integers, and one text behind others.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEXT_PLACES_MAX_COUNT } from '../../../src/base/record-limits.ts';
import { logPages } from '../../../src/record/packed-rows.ts';
import type { TextPlaces } from '../../../src/record/text-curve.ts';
import { TextLog } from '../../../src/record/text-log.ts';
import { sumBetween, sumStep, WINDOW_CHARS } from '../../../src/record/text-sums.ts';
import { fuzz } from '../../support/fuzz.ts';
import { pointsOf } from '../../support/text-oracle.ts';
import { prose } from '../observe/pairing/sights.ts';

function placesOf(...fragments: readonly string[]): TextPlaces {
  const log = new TextLog();
  for (const [chunk, fragment] of fragments.entries()) log.add('text', 0, fragment, chunk);
  const [lane] = log.finish().lanes;
  log.release();
  return lane?.places ?? { chars: [], sums: [], windows: [] };
}

/** Those that content picked, by how far they are from the end of the text. */
function picksOf({ chars, windows }: TextPlaces): string[] {
  const end = chars.at(-1) ?? 0;
  return chars.slice(0, -1).flatMap((at, index) => (windows[index] === 0 ? [] : [`${end - at} ${windows[index]}`]));
}

function sumOf(points: readonly number[]): number {
  let sum = 0n;
  for (const point of points) sum = (sum * 0x5bd1e995n + BigInt(point)) & 0xffffffffn;
  return Number(BigInt.asIntN(32, sum));
}

const unit = fc.constantFrom('a', 'b', 'é', 'e\u0301', '語', '🌍', '\ud83c', '\udf0d', '\0', ' ');
const text = fc.array(unit, { maxLength: 300 }).map((units) => units.join(''));

test('a place says the sum of the text up to it, and the last one is the end', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (fragments) => {
      const points = pointsOf(fragments.join(''));
      const { chars, sums, windows } = placesOf(...fragments);
      expect([sums.length, windows.length]).toEqual([chars.length, chars.length]);
      expect(chars.at(-1) ?? 0).toBe(points.length);
      expect(chars).toEqual([...new Set(chars)].toSorted((a, b) => a - b));
      expect(sums).toEqual(chars.map((at) => sumOf(points.slice(0, at))));
    }),
    fuzz(100),
  );
});

test('the sum of a stretch follows from those up to its ends', () => {
  const points = fc.array(fc.nat({ max: 0x10ffff }), { maxLength: 200 });
  fc.assert(
    fc.property(points, points, (before, stretch) => {
      const fromSum = before.reduce(sumStep, 0);
      expect(sumBetween(fromSum, stretch.reduce(sumStep, fromSum), stretch.length)).toBe(sumOf(stretch));
    }),
    fuzz(200),
  );
});

test.each([1, 63, 64, 65, 1_000])('places that content picks stay with it behind %i other characters', (chars) => {
  const own = prose(1, 10_000);
  const [alone, behind] = [placesOf(own), placesOf(prose(2, chars), own)].map(picksOf);
  // The first may be too close to one before, and those hang together as long as they are close.
  const kept = behind?.slice(behind.indexOf(alone?.[3] ?? ''));
  expect(kept).toEqual(alone?.slice(3));
  expect(alone?.length).toBeGreaterThan(80);
});

test('fragments make no difference to them', () => {
  const own = prose(3, 10_000);
  const pieces = own.match(/[^]{1,7}/gu) ?? [];
  expect(picksOf(placesOf(...pieces))).toEqual(picksOf(placesOf(own)));
});

test('there is about one in 64 characters, in any text, and none within 16 of another', () => {
  const { chars, windows } = placesOf(prose(4, 200_000));
  expect(chars.length).toBeGreaterThan(200_000 / 128);
  expect(chars.length).toBeLessThan(200_000 / 48);
  for (const same of ['x', 'ab', 'again and ', '語']) {
    const { chars: repeated } = placesOf(same.repeat(20_000));
    expect(repeated.length).toBeLessThanOrEqual((same.length * 20_000) / 16 + 2);
  }
  const picked = chars.filter((_, index) => windows[index] !== 0);
  expect(picked[0]).toBeGreaterThanOrEqual(WINDOW_CHARS);
  for (const [index, at] of picked.slice(1, -1).entries()) expect(at - (picked[index] ?? 0)).toBeGreaterThanOrEqual(16);
});

test('a text without end has a bounded number, and costs no more memory for them from there on', () => {
  const log = new TextLog();
  const piece = prose(5, 100_000);
  const pageCount = logPages.pageCount;
  for (let chunk = 0; chunk < 60; chunk += 1) log.add('text', 0, `${piece}${chunk}`, chunk);
  // A hash and a row every 64 characters, and a row of ten bytes for each place.
  expect(logPages.pageCount - pageCount).toBeLessThan(20);
  const { lanes, incomplete } = log.finish();
  log.release();
  expect(lanes[0]?.places.chars.length).toBe(TEXT_PLACES_MAX_COUNT + 1);
  expect(incomplete).toBeUndefined();
});
