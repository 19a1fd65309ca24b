// What reading a prompt costs on one route, learnt from the exchanges that got their first token there: by how much
// they lengthened the steps of others, for how much text. Part of a cost is for its length and part is not (an
// engine may give prompts steps of their own), so a line is laid through what was seen. Knows sizes and lengths only.
import { COSTS_KEPT_COUNT } from '../../base/cause-limits.ts';
import { medianOf } from '../../judge/rank.ts';

interface Cost {
  readonly bytes: number;
  /** Below 0 where a step happened to be short. */
  readonly costNs: number;
  /** Somebody else's prompt may have been read at the same time. */
  readonly shared: boolean;
}

interface Line {
  readonly perByteNs: number;
  readonly eachNs: number;
}

/** So few may all have been odd. */
const COSTS_LEAST_COUNT = 3;
/** From so many on, those that nobody shared speak alone. */
const ALONE_LEAST_COUNT = 3;
/** And for prompts of up to so many times the largest of them. */
const REACH_FACTOR = 4;
/** Sizes closer than this factor say nothing of a slope. */
const APART_FACTOR = 1.3;
const SLOPES_LEAST_COUNT = 3;

export class CostBook {
  readonly #costs: Cost[] = [];
  /** Through all of them, and through those that came alone; each laid when it is asked for. */
  #line: Line | undefined;
  #aloneLine: Line | undefined;

  add(cost: Cost): void {
    if (cost.bytes <= 0) return;
    this.#costs.push(cost);
    if (this.#costs.length > COSTS_KEPT_COUNT) this.#costs.shift();
    this.#line = undefined;
    this.#aloneLine = undefined;
  }

  /** What reading so much text costs; undefined before a few were seen. */
  costOf(bytes: number): number | undefined {
    if (this.#costs.length < COSTS_LEAST_COUNT || bytes <= 0) return undefined;
    const { perByteNs, eachNs } = this.#lineFor(bytes);
    return Math.max(0, Math.round(eachNs + perByteNs * bytes));
  }

  /** Small prompts that came alone say little of large ones, which may never do. */
  #lineFor(bytes: number): Line {
    const alone = this.#costs.filter(({ shared }) => !shared);
    const isReached = alone.some((cost) => bytes <= REACH_FACTOR * cost.bytes);
    if (alone.length < ALONE_LEAST_COUNT || !isReached) return (this.#line ??= lineThrough(this.#costs));
    return (this.#aloneLine ??= lineThrough(alone));
  }
}

/** By the medians of slopes and of what they leave (after Theil and Sen): a few odd costs bend nothing. */
function lineThrough(costs: readonly Cost[]): Line {
  const slopes: number[] = [];
  for (const [index, one] of costs.entries()) {
    for (const other of costs.slice(index + 1)) {
      const ratio = one.bytes / other.bytes;
      if (ratio > APART_FACTOR || ratio < 1 / APART_FACTOR) {
        slopes.push((one.costNs - other.costNs) / (one.bytes - other.bytes));
      }
    }
  }
  // Where all are of one size, all of their cost is taken to be for it.
  const ofOneSize = medianOf(costs.map(({ costNs, bytes }) => costNs / bytes));
  const perByteNs = Math.max(0, slopes.length < SLOPES_LEAST_COUNT ? ofOneSize : medianOf(slopes));
  return { perByteNs, eachNs: Math.max(0, medianOf(costs.map(({ costNs, bytes }) => costNs - perByteNs * bytes))) };
}
