// How values lie, as GuideLLM says it (its `DistributionSummary`, guidellm 0.8.1): over values of some weight, over
// rates and over how many were under way, each weighted by how long it was so. Pure.

/** Values and how much each counts; both lists are as long. */
export interface Weighted {
  readonly values: ArrayLike<number>;
  readonly weights: ArrayLike<number>;
}

/** The same while it is made. */
export interface Making extends Weighted {
  readonly values: number[];
  readonly weights: number[];
}

/** Ascending, no value twice. Typed, for there are millions of moments in a long run. */
interface Ordered extends Weighted {
  readonly values: Float64Array;
  readonly weights: Float64Array;
}

export interface Distribution {
  readonly mean: number;
  readonly median: number;
  readonly mode: number;
  readonly variance: number;
  readonly std_dev: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
  readonly total_sum: number;
  readonly percentiles: Readonly<Record<string, number>>;
}

/** Seconds since the epoch. */
export interface Window {
  readonly startS: number;
  readonly endS: number;
}

const QUANTILES = {
  p001: 0.001,
  p01: 0.01,
  p05: 0.05,
  p10: 0.1,
  p25: 0.25,
  p50: 0.5,
  p75: 0.75,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
  p999: 0.999,
} as const;
/** Moments closer together than this are one to GuideLLM. */
const TOGETHER_S = 1e-4;
/** Shortest time that its last rate is held for. */
const LAST_MIN_S = 1e-6;
/** A sum of many weights is not exact; a rank must not slip by one for that. */
const ROUNDING_RATIO = 1e-12;

/** What GuideLLM itself writes where there is nothing: the count says that the zeros are no values. */
export const NOTHING: Distribution = {
  mean: 0,
  median: 0,
  mode: 0,
  variance: 0,
  std_dev: 0,
  min: 0,
  max: 0,
  count: 0,
  total_sum: 0,
  percentiles: Object.fromEntries(Object.keys(QUANTILES).map((name) => [name, 0])),
};

/** `count` is that of what the values were made from, where it is not the sum of the weights. */
export function distributionOf(given: Weighted, count?: number): Distribution {
  const { values, weights } = withoutZero(inOrder(given));
  const total = sum(weights);
  const [min, max] = [values[0], values.at(-1)];
  if (min === undefined || max === undefined) return NOTHING;
  let [mean, variance, heaviest] = [0, 0, 0];
  for (let index = 0; index < values.length; index += 1) {
    mean += (at(values, index) * at(weights, index)) / total;
    if (at(weights, index) > at(weights, heaviest)) heaviest = index;
  }
  for (let index = 0; index < values.length; index += 1)
    variance += ((at(values, index) - mean) ** 2 * at(weights, index)) / total;
  const percentiles = percentilesOf({ values, weights }, total);
  const counted = count ?? Math.round(total);
  return {
    mean,
    median: percentiles['p50'] ?? 0,
    mode: at(values, heaviest),
    variance,
    std_dev: Math.sqrt(variance),
    min,
    max,
    count: counted,
    total_sum: mean * counted,
    percentiles,
  };
}

/** Of plain values, each of which counts once. */
export function plain(values: readonly number[]): Weighted {
  return { values, weights: new Float64Array(values.length).fill(1) };
}

/** How many a second, from moments and how many there were at each. */
export function rateOf({ values: moments, weights: amounts }: Weighted, { startS, endS }: Window): Distribution {
  const inside: Making = { values: [startS], weights: [0] };
  for (let index = 0; index < moments.length; index += 1) {
    const moment = at(moments, index);
    if (moment >= startS && moment <= endS) add(inside, moment, at(amounts, index));
  }
  add(inside, endS, 0);
  const { values: times, weights } = together(inOrder(inside));
  if (times.length <= 1) return NOTHING;
  // A moment stands for the time that is nearer to it than to its neighbours.
  const middles = times.subarray(1).map((time, index) => (time + at(times, index)) / 2);
  const lengths = times.map((time, index) => {
    if (index === times.length - 1) return Math.max(LAST_MIN_S, time - at(middles, index - 1));
    return at(middles, index) - (index === 0 ? time : at(middles, index - 1));
  });
  const rates = weights.map((amount, index) => amount / at(lengths, index));
  return distributionOf({ values: rates, weights: lengths }, Math.round(sum(weights)));
}

/** Something that lasted, and how much it counts while it does. */
export interface Lasting extends Window {
  readonly amount: number;
}

/** How many were under way at once, over the time of the window. */
export function concurrencyOf(given: readonly Lasting[], { startS, endS }: Window): Distribution {
  const lasting = given.filter((one) => one.endS >= startS && one.startS <= endS);
  const steps: Making = { values: [], weights: [] };
  for (const one of lasting) {
    add(steps, one.startS, one.amount);
    add(steps, one.endS, -one.amount);
  }
  if (lasting.length === 0) return NOTHING;
  const { values: times, weights } = together(inOrder(steps));
  const seen: Making = { values: [], weights: [] };
  let under = 0;
  for (const [index, time] of [startS, ...times].entries()) {
    if (index > 0) under += at(weights, index - 1);
    const untilS = Math.min(times[index] ?? endS, endS);
    if (untilS > Math.max(time, startS)) add(seen, Math.max(0, under), untilS - Math.max(time, startS));
  }
  return distributionOf(seen, lasting.length);
}

/** The nearest rank, as everywhere in rubato. */
function percentilesOf({ values, weights }: Ordered, total: number): Record<string, number> {
  let reached = 0;
  const sums = weights.map((weight) => (reached += weight));
  return Object.fromEntries(
    Object.entries(QUANTILES).map(([name, quantile]) => {
      const wanted = quantile * total * (1 - ROUNDING_RATIO);
      const rank = sums.findIndex((reachedHere) => reachedHere >= wanted);
      return [name, at(values, rank)];
    }),
  );
}

/** Sorted without their weights, which are added to the place of their value: ten times as fast as sorting pairs. */
function inOrder(given: Weighted): Ordered {
  const sorted = Float64Array.from(given.values).sort();
  let count = 0;
  for (const value of sorted) {
    if (count > 0 && sorted[count - 1] === value) continue;
    sorted[count] = value;
    count += 1;
  }
  const values = sorted.subarray(0, count);
  const weights = new Float64Array(count);
  for (let index = 0; index < given.values.length; index += 1) {
    const place = placeOf(values, at(given.values, index));
    weights[place] = at(weights, place) + at(given.weights, index);
  }
  return { values, weights };
}

function placeOf(values: Float64Array, value: number): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at(values, middle) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Moments within a group's first 0.1 ms count at that first one. */
function together({ values, weights }: Ordered): Ordered {
  const merged = { values: new Float64Array(values.length), weights: new Float64Array(values.length) };
  let last = -1;
  for (const [index, moment] of values.entries()) {
    if (last < 0 || moment > at(merged.values, last) + TOGETHER_S) merged.values[(last += 1)] = moment;
    merged.weights[last] = at(merged.weights, last) + at(weights, index);
  }
  return { values: merged.values.subarray(0, last + 1), weights: merged.weights.subarray(0, last + 1) };
}

function withoutZero({ values, weights }: Ordered): Ordered {
  return { values: values.filter((_, index) => at(weights, index) > 0), weights: weights.filter((one) => one > 0) };
}

function add({ values, weights }: Making, value: number, weight: number): void {
  values.push(value);
  weights.push(weight);
}

function sum(amounts: Float64Array): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

function at(list: ArrayLike<number>, index: number): number {
  return list[index] ?? 0;
}
