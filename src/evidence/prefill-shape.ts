// The shape that every prefill has: a fixed cost, a cost a token, and attention's cost for every pair
// of tokens, none of them negative. Fitted to relative errors, because an engine's unsteadiness goes
// with its time. Pure arithmetic; which samples deserve to be fitted is for the envelope to say.
import { middleOf } from './middle.ts';

/** A prompt of so many uncached tokens took so long. */
export interface Sample {
  readonly tokens: number;
  readonly tookNs: number;
}

/** Time of `tokens` uncached tokens, ns. */
export type PrefillShape = (tokens: number) => number;

/** Iterations of reweighting; residuals move by less than 1 % after ten. */
const ITERATION_COUNT = 12;
/** Relative residuals below this weigh alike, so that no sample is taken for the truth itself. */
const LEAST_RESIDUAL = 0.005;

/** Which of the three costs take part. All subsets: with so few, trying each is the surest non-negative fit. */
const SUBSETS: readonly (readonly number[])[] = [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]];

type Triple = readonly [number, number, number];

/** Sums over the samples, for the squares of what a shape leaves over: weighted powers of size, with and without time. */
interface Moments {
  readonly squares: readonly [number, number, number, number, number];
  readonly firsts: Triple;
  readonly total: number;
}

/**
 * The shape below which `quantile` of the samples lie, about. `samples` must not be empty and every
 * time in it above 0.
 */
export function fitShape(samples: readonly Sample[], quantile: number): PrefillShape {
  const scale = samples.reduce((most, { tokens }) => Math.max(most, tokens), 1);
  let costs = firstGuess(samples, scale);
  for (let iteration = 0; iteration < ITERATION_COUNT; iteration += 1) {
    costs = leastSquares(momentsOf(samples, scale, quantile, costs));
  }
  return (tokens) => Math.max(valueAt(costs, tokens / scale), 1);
}

function valueAt([fixed, linear, square]: Triple, x: number): number {
  return fixed + linear * x + square * x * x;
}

/** In the middle of all samples, whatever single ones say: half fixed, half by size, for a prompt of usual size. */
function firstGuess(samples: readonly Sample[], scale: number): Triple {
  const usual = middleOf(samples.map(({ tokens }) => tokens));
  const costAToken = middleOf(samples.map(({ tokens, tookNs }) => tookNs / (tokens + usual)));
  return [costAToken * usual, costAToken * scale, 0];
}

/**
 * What the samples come to, each weighed by how far it lies from the shape before: done again and again,
 * this turns the least squares into a quantile.
 */
function momentsOf(samples: readonly Sample[], scale: number, quantile: number, before: Triple): Moments {
  let [s0, s1, s2, s3, s4, f0, f1, f2, total] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (const sample of samples) {
    const x = sample.tokens / scale;
    // Relative to the shape and not to the sample's own time, or one that is far too short would outweigh all.
    const expectedNs = Math.max(valueAt(before, x), 1);
    const took = sample.tookNs / expectedNs;
    const weight = (took < 1 ? 1 - quantile : quantile) / Math.max(Math.abs(took - 1), LEAST_RESIDUAL);
    const first = (weight * took) / expectedNs;
    const second = weight / (expectedNs * expectedNs);
    const xx = x * x;
    total += weight * took * took;
    f0 += first;
    f1 += first * x;
    f2 += first * xx;
    s0 += second;
    s1 += second * x;
    s2 += second * xx;
    s3 += second * xx * x;
    s4 += second * xx * xx;
  }
  return { squares: [s0, s1, s2, s3, s4], firsts: [f0, f1, f2], total };
}

/** The non-negative costs with the least weighted sum of squared relative errors. */
function leastSquares(moments: Moments): Triple {
  let best: Triple = [0, 0, 0];
  let bestLoss = Infinity;
  for (const subset of SUBSETS) {
    const costs = solve(moments, subset);
    if (costs === undefined || costs.some((cost) => cost < 0)) continue;
    const loss = lossOf(moments, costs);
    // A shape with more costs must be better by more than rounding.
    if (loss >= bestLoss * (1 - 1e-9)) continue;
    [best, bestLoss] = [costs, loss];
  }
  return best;
}

function lossOf({ squares, firsts, total }: Moments, costs: Triple): number {
  let loss = total;
  for (const [row, cost] of costs.entries()) {
    loss -= 2 * cost * (firsts[row] ?? 0);
    for (const [column, other] of costs.entries()) loss += cost * other * (squares[row + column] ?? 0);
  }
  return loss;
}

/** Gaussian elimination over the costs that take part; undefined when the samples cannot tell them apart. */
function solve({ squares, firsts }: Moments, subset: readonly number[]): Triple | undefined {
  const rows = subset.map((row) => [...subset.map((column) => squares[row + column] ?? 0), firsts[row] ?? 0]);
  const size = subset.length;
  for (let pivot = 0; pivot < size; pivot += 1) {
    const line = rows[pivot] as number[];
    const head = line[pivot] ?? 0;
    // Normal equations lose half of a double's digits; what is left below this is rounding.
    if (!(head > 1e-10 * (squares[2 * (subset[pivot] ?? 0)] ?? 0))) return undefined;
    for (const [row, other] of rows.entries()) {
      if (row === pivot) continue;
      const factor = (other[pivot] ?? 0) / head;
      for (let column = pivot; column <= size; column += 1) {
        other[column] = (other[column] ?? 0) - factor * (line[column] ?? 0);
      }
    }
  }
  const costs: [number, number, number] = [0, 0, 0];
  for (const [row, cost] of subset.entries()) costs[cost] = (rows[row]?.[size] ?? 0) / (rows[row]?.[row] ?? 1);
  return costs;
}
