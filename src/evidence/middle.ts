// The middle of some values, for everything here that must not be led astray by single ones. Pure.

/** The upper one of two in the middle; 0 of none. */
export function middleOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
