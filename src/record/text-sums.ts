// The arithmetic by which places of a text are known again wherever the text went: a sum over all of it so far, of
// which that of any stretch follows, and a hash of its last characters alone. Pure; 32 bits, as signed integers.

/** Odd, so that no character's weight is ever 0. */
const SUM_BASE = 0x5bd1e995;
/** Twice an odd number: each step moves older characters up by a bit, until they fall out. */
const WINDOW_BASE = 0x4f1bbcda;
/** Characters that a window's hash depends on, the oldest of them hardly. */
export const WINDOW_CHARS = 31;
/** One window in 64 begins with as many zero bits. */
export const PICK_SHIFT = 26;

export function sumStep(sum: number, point: number): number {
  return (Math.imul(sum, SUM_BASE) + point) | 0;
}

export function windowStep(window: number, point: number): number {
  return Math.imul(window + point, WINDOW_BASE);
}

/** Sum of the stretch of so many characters between two places, from the sums up to them. */
export function sumBetween(fromSum: number, toSum: number, chars: number): number {
  return (toSum - Math.imul(fromSum, sumPower(chars))) | 0;
}

function sumPower(chars: number): number {
  let power = 1;
  let square = SUM_BASE;
  for (let rest = chars; rest > 0; rest >>>= 1) {
    if (rest & 1) power = Math.imul(power, square);
    square = Math.imul(square, square);
  }
  return power;
}
