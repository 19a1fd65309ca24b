// Looks at the batch of one route: how many sequences decode together and how long their contexts are, as means over
// the last while. Looks at which nobody decoded are none: a step without a batch does not exist. Knows no clock.
import { FLOOR_LOOK_MS, FLOOR_WINDOW_MS } from '../../base/floor-limits.ts';
import type { BatchBasis } from '../../judge/floor/live.ts';

export interface BatchLook {
  readonly atNs: number;
  readonly batchCount: number;
  /** Mean over the sequences whose context is known. */
  readonly contextTokens: number;
  readonly basis: BatchBasis;
}

const WINDOW_NS = FLOOR_WINDOW_MS * 1e6;
const LOOKS_MAX_COUNT = Math.ceil(FLOOR_WINDOW_MS / FLOOR_LOOK_MS);

export class BatchWindow {
  #looks: BatchLook[] = [];

  add(look: BatchLook): void {
    this.#looks.push(look);
    if (this.#looks.length > LOOKS_MAX_COUNT) this.#looks.shift();
  }

  /** Undefined when nobody decoded lately. The context is the mean of sequences, not of looks: KV bytes add up. */
  mean(nowNs: number): Omit<BatchLook, 'atNs'> | undefined {
    this.#looks = this.#looks.filter(({ atNs }) => nowNs - atNs <= WINDOW_NS);
    const latest = this.#looks.at(-1);
    if (latest === undefined) return undefined;
    // Counts of two kinds have no mean: those of the kind known last are taken.
    const alike = this.#looks.filter(({ basis }) => basis === latest.basis);
    const sequences = alike.reduce((sum, { batchCount }) => sum + batchCount, 0);
    const tokens = alike.reduce((sum, { batchCount, contextTokens }) => sum + batchCount * contextTokens, 0);
    return { batchCount: sequences / alike.length, contextTokens: tokens / sequences, basis: latest.basis };
  }
}
