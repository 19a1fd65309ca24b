// What reading a prompt costs on one route, learnt from the exchanges that got their first token there: by how much
// they lengthened the steps of others, for how much text. Sizes that are alike speak for each other, for the cost
// need not be proportional. Knows sizes and lengths only.
import { COSTS_KEPT_COUNT } from '../../base/cause-limits.ts';

interface Cost {
  readonly bytes: number;
  /** Below 0 where a step happened to be short. */
  readonly costNs: number;
  /** Somebody else's prompt may have been read at the same time. */
  readonly shared: boolean;
}

/** Sizes within this factor are alike; of so many, those that are not alike need not be asked. */
const ALIKE_FACTOR = 4;
const ALIKE_LEAST_COUNT = 5;
/** From so many on, those that nobody shared speak alone. */
const ALONE_LEAST_COUNT = 3;

export class CostBook {
  readonly #costs: Cost[] = [];

  add(cost: Cost): void {
    if (cost.bytes <= 0) return;
    this.#costs.push(cost);
    if (this.#costs.length > COSTS_KEPT_COUNT) this.#costs.shift();
  }

  /** What reading so much text costs; undefined before any was seen. */
  costOf(bytes: number): number | undefined {
    const alone = this.#costs.filter(({ shared }) => !shared);
    const known = alone.length >= ALONE_LEAST_COUNT ? alone : this.#costs;
    if (known.length === 0 || bytes <= 0) return undefined;
    const alike = known.filter((cost) => cost.bytes >= bytes / ALIKE_FACTOR && cost.bytes <= bytes * ALIKE_FACTOR);
    const perByteNs = weightedMedian(alike.length >= ALIKE_LEAST_COUNT ? alike : known);
    return Math.max(0, Math.round(perByteNs * bytes));
  }
}

/** Of the costs of a byte, weighted by bytes: a step is off by as much for a short prompt as for a long one. */
function weightedMedian(costs: readonly Cost[]): number {
  const sorted = costs.toSorted((a, b) => a.costNs / a.bytes - b.costNs / b.bytes);
  let left = sorted.reduce((sum, { bytes }) => sum + bytes, 0) / 2;
  const middle = sorted.find(({ bytes }) => (left -= bytes) <= 0) ?? sorted.at(-1);
  return middle === undefined ? 0 : middle.costNs / middle.bytes;
}
