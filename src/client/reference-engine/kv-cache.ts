// Who has how much of the cache: kept for whole answers from their start, or given out in blocks as
// sequences grow. Knows no step and no clock.
import type { EngineModel } from './model.ts';
import { kvTokens, type Job, type Seat } from './seat.ts';

export class KvCache {
  readonly #capacityTokens: number;
  readonly #blockTokens: number | undefined;
  /** Blocks by the seat that has them; only where the cache is paged. */
  readonly #blocks = new Map<Seat, number>();
  #usedBlocks = 0;

  constructor({ kvCapacityTokens, paging }: EngineModel) {
    this.#capacityTokens = kvCapacityTokens ?? Infinity;
    this.#blockTokens = paging?.blockTokens;
  }

  /** Whether the job could ever run, with the cache for itself. */
  fits(job: Job): boolean {
    return this.#rounded(kvTokens(job)) <= this.#capacityTokens;
  }

  /** Tokens that these hold or have been promised. */
  heldTokens(running: readonly Seat[]): number {
    if (this.#blockTokens !== undefined) return this.#usedBlocks * this.#blockTokens;
    return running.reduce((sum, seat) => sum + kvTokens(seat.job), 0);
  }

  /** Whether a job may come to a slot: there is room for its answer, or (paged) for what is to be computed first. */
  admits(seat: Seat, running: readonly Seat[]): boolean {
    const needed =
      this.#blockTokens === undefined ? kvTokens(seat.job) : this.#rounded(seat.cacheTokens(seat.toPrefill));
    return this.heldTokens(running) + needed <= this.#capacityTokens;
  }

  /** Gives a seat blocks for `more` tokens of its prompt, or of each choice; false when there are too few left. */
  grow(seat: Seat, more: number): boolean {
    if (this.#blockTokens === undefined) return true;
    const needed = Math.ceil(seat.cacheTokens(more) / this.#blockTokens);
    const own = this.#blocks.get(seat) ?? 0;
    const added = Math.max(0, needed - own);
    if ((this.#usedBlocks + added) * this.#blockTokens > this.#capacityTokens) return false;
    this.#blocks.set(seat, own + added);
    this.#usedBlocks += added;
    return true;
  }

  release(seat: Seat): void {
    this.#usedBlocks -= this.#blocks.get(seat) ?? 0;
    this.#blocks.delete(seat);
  }

  #rounded(tokens: number): number {
    return this.#blockTokens === undefined ? tokens : Math.ceil(tokens / this.#blockTokens) * this.#blockTokens;
  }
}
