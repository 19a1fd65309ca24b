// Makes steps of a route out of reads: one stream at a time is the witness, and each of its passes is a step of the
// engine, once, however many streams are in the batch. Reads that come nearly at once belong to one pass.
import { backToBackNs, passesOf } from '../../judge/causes/bunches.ts';
import { rankOf } from '../../judge/rank.ts';
import type { TrackedExchange } from './tracked-exchange.ts';

/** A longer silence is no step. */
const STEP_MAX_NS = 10e9;
/** A witness that is silent for so long is replaced, once another has something to say. */
const SILENT_NS = 1e9;
/** Reads closer than this part of a step belong to one, where they are close enough at all. */
const AT_ONCE_PART = 8;
/** So many in a row are no bunch: steps have become short. */
const BUNCH_MAX_COUNT = 16;

export class StepWitness {
  #witness: TrackedExchange | undefined;
  /** The read that began the latest step, and the latest read. */
  #stepAtNs = -1;
  #readAtNs = -1;
  #typicalNs = 0;
  #bunchCount = 0;

  /** Length of the step that this read ended; undefined where it ended none, or is not the witness's. */
  stepAt(exchange: TrackedExchange, atNs: number): number | undefined {
    if (exchange !== this.#witness) {
      if (this.#witness !== undefined && atNs - this.#readAtNs < SILENT_NS) return undefined;
      this.#witness = exchange;
      this.#begin(atNs);
      // It may be in the middle of a bunch, which must not pass for steps.
      this.#typicalNs = rankOf(passesOf(exchange.ring.gapsBefore()), 50);
      return undefined;
    }
    const sinceReadNs = atNs - this.#readAtNs;
    this.#readAtNs = atNs;
    const isClose =
      sinceReadNs < backToBackNs(this.#typicalNs) &&
      (this.#typicalNs === 0 || sinceReadNs * AT_ONCE_PART < this.#typicalNs);
    if (isClose && this.#bunchCount < BUNCH_MAX_COUNT) {
      this.#bunchCount += 1;
      return undefined;
    }
    const stepNs = atNs - this.#stepAtNs;
    // A pause must not make steps of the usual length look like bunches.
    this.#typicalNs =
      this.#typicalNs === 0 || this.#bunchCount >= BUNCH_MAX_COUNT ? stepNs : Math.min(stepNs, 2 * this.#typicalNs);
    this.#begin(atNs);
    return stepNs <= STEP_MAX_NS ? stepNs : undefined;
  }

  ended(exchange: TrackedExchange): void {
    if (exchange === this.#witness) this.#witness = undefined;
  }

  #begin(atNs: number): void {
    this.#stepAtNs = atNs;
    this.#readAtNs = atNs;
    this.#bunchCount = 0;
  }
}
