// The longest part of a list that rises. Pure.

/** Indices of the longest strictly rising choice of these values; n log n. */
export function longestRise(values: readonly number[]): readonly number[] {
  /** By length less one: index of the smallest value that ends a rise of that length. */
  const ends: number[] = [];
  const before: number[] = [];
  for (const [index, value] of values.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[ends[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    before.push(low === 0 ? -1 : (ends[low - 1] as number));
    ends[low] = index;
  }
  const rise: number[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] as number) rise.push(at);
  return rise.toReversed();
}
