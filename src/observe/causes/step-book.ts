// How long the steps of one route are when no prompt is read in them, by how many streams are in the batch: what a
// stream that has hardly begun is measured against, and what tells growth from a pause. A few numbers for each
// doubling of the batch.
import { rankOf } from '../../judge/rank.ts';

/** Steps remembered for each doubling of the batch, up to 1,024 streams. */
const STEPS_KEPT_COUNT = 32;
const LOADS_COUNT = 11;
const STEPS_LEAST_COUNT = 5;

export class StepBook {
  readonly #lengths: number[][] = [];
  #counts: number[] = [];
  readonly #percent: number;

  /** Which of the lengths stands for all: the median, or a lower one where prompts are read in some of them. */
  constructor(percent = 50) {
    this.#percent = percent;
  }

  add(runningCount: number, stepNs: number): void {
    const load = loadOf(runningCount);
    const lengths = (this.#lengths[load] ??= []);
    const count = this.#counts[load] ?? 0;
    lengths[count % STEPS_KEPT_COUNT] = stepNs;
    this.#counts[load] = count + 1;
  }

  /** With the fewest streams for which enough steps were seen. */
  get quiet(): { readonly running: number; readonly stepNs: number } | undefined {
    for (let load = 0; load < LOADS_COUNT; load += 1) {
      const lengths = this.#lengths[load];
      if (lengths !== undefined && lengths.length >= STEPS_LEAST_COUNT)
        return { running: 2 ** load, stepNs: rankOf(lengths, this.#percent) };
    }
    return undefined;
  }

  /** No plain step with so many streams is longer: with more of them it takes as many times longer at most. */
  longest(runningCount: number): number | undefined {
    const plainNs = this.plain(runningCount);
    if (plainNs !== undefined) return plainNs;
    const { quiet } = this;
    return quiet && quiet.stepNs * Math.max(1, runningCount / quiet.running);
  }

  /** With about so many streams. */
  plain(runningCount: number): number | undefined {
    const lengths = this.#lengths[loadOf(runningCount)];
    return lengths === undefined || lengths.length < STEPS_LEAST_COUNT ? undefined : rankOf(lengths, this.#percent);
  }
}

function loadOf(runningCount: number): number {
  return Math.min(LOADS_COUNT - 1, Math.max(0, Math.round(Math.log2(Math.max(1, runningCount)))));
}
