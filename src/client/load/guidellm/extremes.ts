// The first and the last of many numbers, of which there is at least one: too many of them to be arguments of a call,
// as `Math.min` would have them. Pure.

export function least(values: readonly number[]): number {
  return values.reduce((first, value) => Math.min(first, value));
}

export function most(values: readonly number[]): number {
  return values.reduce((last, value) => Math.max(last, value));
}
