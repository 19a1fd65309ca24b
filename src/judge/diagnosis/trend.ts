// Whether two things rise and fall together over slices of time: Spearman's rank correlation, which asks for no
// straight line and is not moved by one odd slice. Pure.

/**
 * Standard deviations of chance that a rank correlation must exceed to be told: of 1,000 windows in which two things
 * have nothing to do with each other one or two get past it. Without ties the deviation is 1 / √(n − 1).
 */
const CHANCE_DEVIATIONS = 3;

/** The least rank correlation of so many pairs that is believed; above 1 where they are too few to show anything. */
export function leastCorrelation(count: number): number {
  return CHANCE_DEVIATIONS / Math.sqrt(count - 1);
}

/** −1 to 1; undefined below this many pairs, or when one of the two never changes. */
export const TREND_LEAST_COUNT = 10;

export function rankCorrelation(pairs: readonly (readonly [number, number])[]): number | undefined {
  if (pairs.length < TREND_LEAST_COUNT) return undefined;
  const left = ranks(pairs.map(([value]) => value));
  const right = ranks(pairs.map(([, value]) => value));
  const middle = (pairs.length + 1) / 2;
  let both = 0;
  let leftSquares = 0;
  let rightSquares = 0;
  for (const [index, rank] of left.entries()) {
    const a = rank - middle;
    const b = (right[index] ?? middle) - middle;
    both += a * b;
    leftSquares += a * a;
    rightSquares += b * b;
  }
  return leftSquares === 0 || rightSquares === 0 ? undefined : both / Math.sqrt(leftSquares * rightSquares);
}

/** Equal values share the mean of their ranks. */
function ranks(values: readonly number[]): number[] {
  const order = values.map((value, index) => ({ value, index })).toSorted((a, b) => a.value - b.value);
  const result: number[] = Array.from({ length: values.length }, () => 0);
  for (let from = 0; from < order.length;) {
    let to = from;
    while (to + 1 < order.length && order[to + 1]?.value === order[from]?.value) to += 1;
    for (let at = from; at <= to; at += 1) result[order[at]?.index ?? 0] = (from + to) / 2 + 1;
    from = to + 1;
  }
  return result;
}
