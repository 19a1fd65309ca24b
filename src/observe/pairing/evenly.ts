// Thinning a list that is too long. Pure.

/** At most `maxCount` of them, evenly spread, the first and the last among them. */
export function evenly<T>(values: readonly T[], maxCount: number): readonly T[] {
  if (values.length <= maxCount) return values;
  const last = values.length - 1;
  return Array.from({ length: maxCount }, (_, index) => values[Math.round((index * last) / (maxCount - 1))] as T);
}
