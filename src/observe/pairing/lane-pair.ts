// Two lanes that have text in common, and what lies between the stretches of it. Pure.
import type { Stretch } from './align.ts';
import type { SightLane } from './sight.ts';

export interface LanePair {
  readonly outer: SightLane;
  readonly inner: SightLane;
  /** What is the same on both sides for sure, in order. */
  readonly stretches: readonly Stretch[];
  /** Code points in these. */
  readonly commonChars: number;
  readonly equal: boolean;
}

/** Text between two stretches, or before the first, or after the last. Some of it may be the same after all. */
export interface Gap {
  readonly place: 'before' | 'between' | 'after';
  readonly outerChars: number;
  readonly innerChars: number;
}

export function gapsOf({ outer, inner, stretches }: LanePair): readonly Gap[] {
  const gaps: Gap[] = [];
  let [outerEnd, innerEnd] = [0, 0];
  const add = (place: Gap['place'], outerFrom: number, innerFrom: number): void => {
    const gap = { place, outerChars: outerFrom - outerEnd, innerChars: innerFrom - innerEnd };
    if (gap.outerChars > 0 || gap.innerChars > 0) gaps.push(gap);
  };
  for (const [index, { outerFrom, innerFrom, chars }] of stretches.entries()) {
    add(index === 0 ? 'before' : 'between', outerFrom, innerFrom);
    [outerEnd, innerEnd] = [outerFrom + chars, innerFrom + chars];
  }
  add('after', outer.lengthChars, inner.lengthChars);
  return gaps;
}

/** Code points that may have been replaced by others: what is there on both sides of a gap. */
export function replacedChars(pair: LanePair): number {
  return gapsOf(pair).reduce((sum, { outerChars, innerChars }) => sum + Math.min(outerChars, innerChars), 0);
}

/** When the first of what is common came out; undefined where that is not known. */
export function firstOutNs({ outer, inner, stretches: [first] }: LanePair): number | undefined {
  if (first === undefined) return undefined;
  // What went in at once cannot come out before all of it was there.
  const grownChars = Math.max(1, (inner.endChars[0] ?? 0) - first.innerFrom);
  const chars = first.outerFrom + Math.min(grownChars, first.chars);
  return outer.atNs[outer.endChars.findIndex((end) => end >= chars)];
}

/** The last of both is the same. */
export function endsAlike({ outer, inner, stretches }: LanePair): boolean {
  const last = stretches.at(-1);
  if (last === undefined) return false;
  const { outerFrom, innerFrom, chars } = last;
  return outerFrom + chars === outer.lengthChars && innerFrom + chars === inner.lengthChars;
}
