// Where p99 stands when some steps take longer: on the base while fewer than one in a hundred do, and on base
// plus stall from there on, with nothing in between, while the mean moves with every one of them. Pure: the
// steps are drawn from a seed.
import { SIMULATED_STEPS_COUNT } from '../../base/floor-limits.ts';
import { nearestRank } from '../../measure/percentile.ts';

export interface Cliff {
  readonly stalledRatio: number;
  readonly stallMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly meanMs: number;
  /** Of the steps that were drawn. */
  readonly stalledCount: number;
}

export interface CliffOptions {
  /** A step without, and what a stalled one takes on top. */
  readonly baseMs: number;
  readonly stallMs: number;
  /** Probability with which a step is a stalled one. */
  readonly stalledRatio: number;
  readonly seed: number;
}

export function simulateCliff({ baseMs, stallMs, stalledRatio, seed }: CliffOptions): Cliff {
  const random = seededDraws(seed);
  let stalledCount = 0;
  for (let step = 0; step < SIMULATED_STEPS_COUNT; step += 1) if (random() < stalledRatio) stalledCount += 1;
  // There are two lengths only, so in order they are one run of each.
  const firstStalled = SIMULATED_STEPS_COUNT - stalledCount;
  const sorted = Array.from({ length: SIMULATED_STEPS_COUNT }, (_, index) =>
    index < firstStalled ? baseMs : baseMs + stallMs,
  );
  return {
    stalledRatio,
    stallMs,
    p50Ms: nearestRank(sorted, 50),
    p99Ms: nearestRank(sorted, 99),
    meanMs: baseMs + (stallMs * stalledCount) / SIMULATED_STEPS_COUNT,
    stalledCount,
  };
}

/** Numbers in [0, 1) that depend on the seed only (a 32-bit xorshift after Marsaglia, period 2^32 − 1). */
function seededDraws(seed: number): () => number {
  // Zero would stay zero, and small seeds begin with a run of small numbers: both are stirred away.
  let word = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 1;
  const next = (): number => {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    return (word >>> 0) / 2 ** 32;
  };
  for (let skipped = 0; skipped < 16; skipped += 1) next();
  return next;
}
