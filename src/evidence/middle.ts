// The middle of some values, and the bound of most, for everything here that must not be led astray by single
// ones. Pure.

/** The upper one of two in the middle; 0 of none. */
export function middleOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

/** By nearest rank; of nothing it is no error that anybody could vouch for. */
export function ninthDecile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(0.9 * values.length) - 1] ?? Infinity;
}
