// The idle exchanges that an envelope is made of: a bounded number, spread over the sizes that occur,
// so that many small prompts do not push out the few large ones.
import { CALIBRATION_SAMPLES_MAX_COUNT } from '../base/limits.ts';
import { sizeOf } from './envelope.ts';
import type { Sample } from './prefill-shape.ts';

/** Sizes within one bin differ by less than 30 %. */
const BIN_WIDTH = 0.25;

export class SampleWindow {
  /** Oldest first. */
  #samples: { readonly bin: number; readonly sample: Sample }[] = [];
  readonly #binCounts = new Map<number, number>();

  get count(): number {
    return this.#samples.length;
  }

  add(sample: Sample): void {
    const bin = Math.floor(sizeOf(sample.tokens) / BIN_WIDTH);
    this.#samples.push({ bin, sample });
    this.#binCounts.set(bin, (this.#binCounts.get(bin) ?? 0) + 1);
    if (this.#samples.length > CALIBRATION_SAMPLES_MAX_COUNT) this.#dropOne();
  }

  all(): readonly Sample[] {
    return this.#samples.map(({ sample }) => sample);
  }

  clear(): void {
    this.#samples = [];
    this.#binCounts.clear();
  }

  /** The oldest of the most crowded sizes makes room. */
  #dropOne(): void {
    let [crowdedBin, mostCount] = [0, 0];
    for (const [bin, count] of this.#binCounts) if (count > mostCount) [crowdedBin, mostCount] = [bin, count];
    const index = this.#samples.findIndex(({ bin }) => bin === crowdedBin);
    this.#samples.splice(index, 1);
    if (mostCount === 1) this.#binCounts.delete(crowdedBin);
    else this.#binCounts.set(crowdedBin, mostCount - 1);
  }
}
