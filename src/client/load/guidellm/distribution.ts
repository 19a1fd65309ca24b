// How values lie, as GuideLLM says it (its `DistributionSummary`, guidellm 0.8.1): over values of some weight, over
// rates and over how many were under way, each weighted by how long it was so. Pure.

/** Values and how much each counts; both lists are as long. */
export interface Weighted {
  readonly values: number[];
  readonly weights: number[];
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
  for (const [index, value] of values.entries()) {
    mean += (value * at(weights, index)) / total;
    if (at(weights, index) > at(weights, heaviest)) heaviest = index;
  }
  for (const [index, value] of values.entries()) variance += ((value - mean) ** 2 * at(weights, index)) / total;
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
export function plain(values: number[]): Weighted {
  return { values, weights: values.map(() => 1) };
}

/** How many a second, from moments and how many there were at each. */
export function rateOf({ values: moments, weights: amounts }: Weighted, { startS, endS }: Window): Distribution {
  const inside: Weighted = { values: [startS], weights: [0] };
  for (const [index, moment] of moments.entries())
    if (moment >= startS && moment <= endS) add(inside, moment, at(amounts, index));
  add(inside, endS, 0);
  const { values: times, weights } = together(inOrder(inside));
  if (times.length <= 1) return NOTHING;
  // A moment stands for the time that is nearer to it than to its neighbours.
  const middles = times.slice(1).map((time, index) => (time + at(times, index)) / 2);
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
  const steps: Weighted = { values: [], weights: [] };
  for (const one of lasting) {
    add(steps, one.startS, one.amount);
    add(steps, one.endS, -one.amount);
  }
  if (lasting.length === 0) return NOTHING;
  const { values: times, weights } = together(inOrder(steps));
  const seen: Weighted = { values: [], weights: [] };
  let under = 0;
  for (const [index, time] of [startS, ...times].entries()) {
    if (index > 0) under += at(weights, index - 1);
    const untilS = Math.min(times[index] ?? endS, endS);
    if (untilS > Math.max(time, startS)) add(seen, Math.max(0, under), untilS - Math.max(time, startS));
  }
  return distributionOf(seen, lasting.length);
}

/** The nearest rank, as everywhere in rubato. */
function percentilesOf({ values, weights }: Weighted, total: number): Record<string, number> {
  const sums: number[] = [];
  let reached = 0;
  for (const weight of weights) sums.push((reached += weight));
  return Object.fromEntries(
    Object.entries(QUANTILES).map(([name, quantile]) => {
      const wanted = quantile * total * (1 - ROUNDING_RATIO);
      const rank = sums.findIndex((reachedHere) => reachedHere >= wanted);
      return [name, at(values, rank)];
    }),
  );
}

/** Ascending, like values as one. */
function inOrder({ values, weights }: Weighted): Weighted {
  const order = Uint32Array.from(values.keys()).sort((a, b) => at(values, a) - at(values, b));
  const merged: Weighted = { values: [], weights: [] };
  for (const index of order) {
    const last = merged.values.length - 1;
    if (last >= 0 && merged.values[last] === values[index])
      merged.weights[last] = at(merged.weights, last) + at(weights, index);
    else add(merged, at(values, index), at(weights, index));
  }
  return merged;
}

/** Moments within a group's first 0.1 ms count at that first one. */
function together({ values, weights }: Weighted): Weighted {
  const merged: Weighted = { values: [], weights: [] };
  for (const [index, moment] of values.entries()) {
    const last = merged.values.length - 1;
    if (last >= 0 && moment <= at(merged.values, last) + TOGETHER_S)
      merged.weights[last] = at(merged.weights, last) + at(weights, index);
    else add(merged, moment, at(weights, index));
  }
  return merged;
}

function withoutZero({ values, weights }: Weighted): Weighted {
  const heavy = (_: number, index: number): boolean => at(weights, index) > 0;
  return { values: values.filter(heavy), weights: weights.filter((weight) => weight > 0) };
}

function add({ values, weights }: Weighted, value: number, weight: number): void {
  values.push(value);
  weights.push(weight);
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

function at(list: readonly number[], index: number): number {
  return list[index] ?? 0;
}
