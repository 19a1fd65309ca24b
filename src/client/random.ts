// Numbers that look random and are not: every choice of the reference engine and of the mix comes
// from a seed through here, so that a run can be repeated exactly. Integer arithmetic only, so the
// same seed gives the same numbers on every machine. Not for anything that must be unguessable.

/** Mixes two 32-bit numbers into one; one bit changed in either changes about half of the result. */
export function mix32(a: number, b: number): number {
  // The finaliser of MurmurHash3 over both words; its constants are what makes every bit matter.
  let word = Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  word ^= word >>> 16;
  word = Math.imul(word ^ (b >>> 15), 0x85ebca6b);
  return (word ^ (word >>> 13)) >>> 0;
}

/** A 32-bit number that stands for a text (FNV-1a over UTF-16 units). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** An endless row of numbers in [0, 1) that depends on the seed only. */
export type Random = () => number;

/** The row of a seed (mulberry32: 32 bits of state are plenty for some thousand draws). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), 1 | state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** A whole number between both bounds, each included. */
export function integerBetween(random: Random, lowest: number, highest: number): number {
  return lowest + Math.floor(random() * (highest - lowest + 1));
}
