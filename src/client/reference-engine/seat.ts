// A job on its way through the engine: what of it has been computed and what is computed next. Knows no
// other job and no clock.
import { hashText } from '../random.ts';
import { GapTally } from './gap-parts.ts';

/** One request as the scheduler sees it. */
export interface Job {
  readonly id: string;
  /** At least 1. */
  readonly promptTokens: number;
  /** Of these, tokens that are in the cache already, fewer than all; they cost no time. Default 0. */
  readonly cachedTokens?: number;
  /** Tokens each choice will have, one entry a choice; the choices share the prompt and go in step. */
  readonly outputTokens: readonly number[];
}

export class Seat {
  readonly job: Job;
  /** Tokens of its longest choice. */
  readonly length: number;
  /** Stands for the id where numbers are mixed. */
  readonly word: number;
  /** Steps since its last token. */
  readonly tally = new GapTally();
  /** Tokens to be computed before the next new one: the prompt, and after it was thrown out all it had. */
  #target: number;
  prefilled: number;
  produced = 0;
  /** It was thrown out and has not got a token since. */
  isPreempted = false;
  /** Its queue has ended once. */
  hasStarted = false;

  constructor(job: Job) {
    this.job = job;
    this.length = Math.max(...job.outputTokens);
    this.word = hashText(job.id);
    this.#target = job.promptTokens;
    this.prefilled = job.cachedTokens ?? 0;
  }

  /** Tokens of its prompt, or of what it had, that are still to be computed. */
  get toPrefill(): number {
    return this.#target - this.prefilled;
  }

  /** Everything it has is in the cache, and each step gives it tokens. */
  get decodes(): boolean {
    return this.toPrefill === 0;
  }

  get isDone(): boolean {
    return this.produced >= this.length;
  }

  /** Choices that have not ended. */
  get liveCount(): number {
    return this.job.outputTokens.filter((count) => count > this.produced).length;
  }

  /** Tokens in the caches of these choices. */
  get contextTokens(): number {
    return this.liveCount * (this.job.promptTokens + this.produced);
  }

  /**
   * Tokens that its part of the cache must hold for a step that computes `more` of its prompt, or of each choice.
   * The newest token of a choice is known but only comes into the cache with the step that follows it.
   */
  cacheTokens(more: number): number {
    if (!this.decodes) return this.prefilled + more;
    const { promptTokens, outputTokens } = this.job;
    return outputTokens.reduce((sum, count) => sum + Math.min(count, this.produced + more - 1), promptTokens);
  }

  /** Its cache is given to others; nothing of it is left, so all is computed again. */
  throwOut(): void {
    this.#target = this.job.outputTokens.reduce((sum, count) => sum + Math.min(count, this.produced), 0);
    this.#target += this.job.promptTokens;
    this.prefilled = 0;
    this.isPreempted = true;
  }
}

/** Cache a job needs when it is done. */
export function kvTokens(job: Job): number {
  return job.promptTokens + job.outputTokens.reduce((sum, count) => sum + count, 0);
}
