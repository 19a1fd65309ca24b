// A staircase that only rises, at the width of a screen: whatever number of steps it has, the picture needs one value
// a column of pixels. A stream of 262,144 chunks so costs what one of a thousand does. Pure.

/** Parallel columns: from `at[i]` on the curve stands at `level[i]`. Ascending; before the first it stands at 0. */
export interface Staircase {
  readonly at: readonly number[];
  readonly level: readonly number[];
}

/** The curve's level at each of the moments, which ascend; undefined behind the end of what is known. */
export function levelsAt({ at, level }: Staircase, moments: readonly number[]): number[] {
  let row = firstAfter(at, moments[0] ?? 0);
  return moments.map((moment) => {
    while (row < at.length && (at[row] as number) <= moment) row += 1;
    return row === 0 ? 0 : (level[row - 1] as number);
  });
}

/** Moments evenly apart, both ends included. */
export function evenMoments(from: number, to: number, count: number): number[] {
  if (count < 2 || to <= from) return [from];
  const step = (to - from) / (count - 1);
  // The end is itself and not a sum of steps, so that the last value is never left out by rounding.
  return Array.from({ length: count }, (_, index) => (index === count - 1 ? to : from + index * step));
}

export interface Rise {
  readonly at: number;
  readonly rise: number;
}

/** Rows in any order of moments, such as text of several lanes, as one staircase. */
export function staircase(steps: readonly Rise[]): Staircase {
  // Chunks come in order, and a quarter of a million of them is not sorted in no time.
  const sorted = isAscending(steps) ? steps : steps.toSorted((a, b) => a.at - b.at);
  const at: number[] = [];
  const level: number[] = [];
  let height = 0;
  for (const step of sorted) {
    height += step.rise;
    if (at.at(-1) === step.at) {
      level[level.length - 1] = height;
    } else {
      at.push(step.at);
      level.push(height);
    }
  }
  return { at, level };
}

function isAscending(steps: readonly Rise[]): boolean {
  return steps.every(({ at }, index) => index === 0 || at >= (steps[index - 1] as Rise).at);
}

/** The first row behind a moment, by halving. */
function firstAfter(at: readonly number[], moment: number): number {
  let [low, high] = [0, at.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((at[middle] as number) <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}
