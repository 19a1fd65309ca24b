// What reading a prompt costs on one route, learnt from the exchanges that got their first token there: how long it
// took for how much text. Answers with what exchanges of like size took, so that no shape of the cost is assumed.
// Knows sizes and lengths only.
import { COSTS_KEPT_COUNT } from '../../base/cause-limits.ts';
import { nearestRank } from '../../measure/percentile.ts';

interface Cost {
  readonly bytes: number;
  readonly costNs: number;
  /** Somebody else's prompt may have been read at the same time. */
  readonly shared: boolean;
}

/** So many of like size are asked. */
const ASKED_COUNT = 5;
/** From so many on, those that nobody shared speak alone. */
const ALONE_LEAST_COUNT = 3;

export class CostBook {
  readonly #costs: Cost[] = [];

  add(cost: Cost): void {
    if (cost.bytes <= 0 || cost.costNs <= 0) return;
    this.#costs.push(cost);
    if (this.#costs.length > COSTS_KEPT_COUNT) this.#costs.shift();
  }

  /**
   * What reading so much text takes, rather too much than too little: shorter prompts that were seen are scaled up,
   * though part of their cost is not for their length, and longer ones are not scaled down. Undefined before any.
   */
  costOf(bytes: number): number | undefined {
    const alone = this.#costs.filter(({ shared }) => !shared);
    const known = alone.length >= ALONE_LEAST_COUNT ? alone : this.#costs;
    if (known.length === 0 || bytes <= 0) return undefined;
    const distance = (cost: Cost): number => Math.abs(Math.log(cost.bytes / bytes));
    const like = known.toSorted((a, b) => distance(a) - distance(b)).slice(0, ASKED_COUNT);
    const answers = like.map((cost) => cost.costNs * Math.max(1, bytes / cost.bytes)).sort((a, b) => a - b);
    return Math.round(nearestRank(answers, 50));
  }
}
