// Which stretches of two lanes are the same text, though one has more or less, or other text, between them. Pure; by
// sums at places that both sides know, so each stretch is the same to the character. Linear in the places, but for
// the order in which those that content picked are followed: texts of a million characters are usual work.
import { HASH_STEP_CHARS } from '../../record/text-curve.ts';
import { sumBetween } from '../../record/text-sums.ts';
import { longestRise } from './longest-rise.ts';
import type { SightLane } from './sight.ts';

/** A stretch of text that both sides have, by where it begins on each. */
export interface Stretch {
  readonly outerFrom: number;
  readonly innerFrom: number;
  readonly chars: number;
}

/** One place on both sides; the indices are those of the places, -1 for the beginning of the text. */
interface Spot {
  readonly outerAt: number;
  readonly innerAt: number;
}

type Places = NonNullable<SightLane['places']>;
type Both = { readonly outer: Places; readonly inner: Places };

/** Ascending on both sides, and none overlaps another. */
export function commonStretches(outer: SightLane, inner: SightLane): readonly Stretch[] {
  const headChars = commonHeadChars(outer, inner);
  const head: Stretch = { outerFrom: 0, innerFrom: 0, chars: headChars };
  const isWhole = headChars === outer.lengthChars && headChars === inner.lengthChars;
  if (isWhole || outer.places === undefined || inner.places === undefined) return headChars > 0 ? [head] : [];
  const found = stretchesOf({ outer: outer.places, inner: inner.places });
  const [first, ...rest] = found;
  if (first?.outerFrom !== 0 || first.innerFrom !== 0) return apart([head, ...found]);
  return apart([first.chars > headChars ? first : head, ...rest]);
}

/** Code points that are the same from the beginning, by the fixed hashes; all of both where they are equal. */
export function commonHeadChars(outer: SightLane, inner: SightLane): number {
  const shared = Math.min(outer.prefixHashes.length, inner.prefixHashes.length);
  let steps = 0;
  while (steps < shared && outer.prefixHashes[steps] === inner.prefixHashes[steps]) steps += 1;
  const isEqual = steps === shared && outer.lengthChars === inner.lengthChars && outer.endHash === inner.endHash;
  return isEqual ? outer.lengthChars : steps * HASH_STEP_CHARS;
}

function stretchesOf(both: Both): Stretch[] {
  const last = { outerAt: both.outer.chars.length - 1, innerAt: both.inner.chars.length - 1 };
  const spots = [{ outerAt: -1, innerAt: -1 }, ...sharedPicks(both), last];
  const stretches: Stretch[] = [];
  let [from] = spots as [Spot];
  for (let at = 0; at + 1 < spots.length; at += 1) {
    const [one, next] = [spots[at] as Spot, spots[at + 1] as Spot];
    if (isSame(both, one, next)) continue;
    // The text changes between them: as far as it goes on after the one, and from where on it leads to the next.
    const end = followed(both, one, next);
    pushStretch(stretches, both, from, end);
    from = ledFrom(both, end, next);
  }
  pushStretch(stretches, both, from, last);
  return stretches;
}

/** Places with a window that only one place on each side has, in an order that is that of both. */
function sharedPicks({ outer, inner }: Both): readonly Spot[] {
  const innerBy = singles(inner.windows);
  const spots: Spot[] = [];
  for (const [window, outerAt] of singles(outer.windows)) {
    const innerAt = innerBy.get(window) ?? -1;
    if (innerAt >= 0 && outerAt >= 0) spots.push({ outerAt, innerAt });
  }
  const kept = longestRise(spots.map(({ innerAt }) => innerAt));
  return kept.map((at) => spots[at] as Spot);
}

/** By window, in order, but for the last place, which is the end; -1 where several places have it. */
function singles(windows: readonly number[]): Map<number, number> {
  const by = new Map<number, number>();
  for (let at = 0; at + 1 < windows.length; at += 1) {
    const window = windows[at] as number;
    if (window !== 0) by.set(window, by.has(window) ? -1 : at);
  }
  return by;
}

/** The last place, not beyond `limit` on either side, up to which the text goes on as it was at `spot`. */
function followed(both: Both, spot: Spot, limit: Spot): Spot {
  const { outer, inner } = both;
  const shift = shiftAt(both, spot);
  let end = spot;
  let [outerAt, innerAt] = [spot.outerAt + 1, spot.innerAt + 1];
  while (outerAt <= limit.outerAt && innerAt <= limit.innerAt) {
    const ahead = charsAt(outer, outerAt) - charsAt(inner, innerAt) - shift;
    if (ahead === 0) {
      const next = { outerAt, innerAt };
      if (!isSame(both, end, next)) break;
      end = next;
    }
    if (ahead <= 0) outerAt += 1;
    if (ahead >= 0) innerAt += 1;
  }
  return end;
}

/** The first place from `limit` on from which the text leads to `spot`. */
function ledFrom(both: Both, limit: Spot, spot: Spot): Spot {
  const { outer, inner } = both;
  const shift = shiftAt(both, spot);
  let start = spot;
  let [outerAt, innerAt] = [spot.outerAt - 1, spot.innerAt - 1];
  while (outerAt >= limit.outerAt && innerAt >= limit.innerAt) {
    const ahead = charsAt(outer, outerAt) - charsAt(inner, innerAt) - shift;
    if (ahead === 0) {
      const before = { outerAt, innerAt };
      if (!isSame(both, before, start)) break;
      start = before;
    }
    if (ahead >= 0) outerAt -= 1;
    if (ahead <= 0) innerAt -= 1;
  }
  return start;
}

/** Whether what is between the two is the same on both sides. */
function isSame(both: Both, from: Spot, to: Spot): boolean {
  if (shiftAt(both, from) !== shiftAt(both, to)) return false;
  const { outer, inner } = both;
  const chars = charsAt(outer, to.outerAt) - charsAt(outer, from.outerAt);
  const outerSum = sumBetween(sumAt(outer, from.outerAt), sumAt(outer, to.outerAt), chars);
  return outerSum === sumBetween(sumAt(inner, from.innerAt), sumAt(inner, to.innerAt), chars);
}

function shiftAt({ outer, inner }: Both, { outerAt, innerAt }: Spot): number {
  return charsAt(outer, outerAt) - charsAt(inner, innerAt);
}

function charsAt({ chars }: Places, at: number): number {
  return chars[at] ?? 0;
}

function sumAt({ sums }: Places, at: number): number {
  return sums[at] ?? 0;
}

function pushStretch(stretches: Stretch[], { outer, inner }: Both, from: Spot, to: Spot): void {
  const outerFrom = charsAt(outer, from.outerAt);
  const chars = charsAt(outer, to.outerAt) - outerFrom;
  if (chars > 0) stretches.push({ outerFrom, innerFrom: charsAt(inner, from.innerAt), chars });
}

/** Text that repeats itself may belong to two stretches; the earlier one has it. */
function apart(stretches: readonly Stretch[]): readonly Stretch[] {
  const kept: Stretch[] = [];
  for (const stretch of stretches) {
    const last = kept.at(-1);
    const overlapChars =
      last === undefined
        ? 0
        : Math.max(0, last.outerFrom + last.chars - stretch.outerFrom, last.innerFrom + last.chars - stretch.innerFrom);
    const chars = stretch.chars - overlapChars;
    if (chars <= 0) continue;
    const { outerFrom, innerFrom } = stretch;
    kept.push({ outerFrom: outerFrom + overlapChars, innerFrom: innerFrom + overlapChars, chars });
  }
  return kept;
}
