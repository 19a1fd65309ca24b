// Decides what is computed when. Pure but for its own state: time comes in as an argument, steps
// follow each other without a hole on their own virtual clock, and nothing here sleeps or writes.
// Knows no text, no socket and no real clock.
import { strict as assert } from 'node:assert';
import { mix32 } from '../random.ts';
import type { EngineModel } from './model.ts';

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

/** One step that is over. */
export interface Step {
  readonly index: number;
  readonly startAtNs: number;
  readonly endAtNs: number;
  /** Sequences that got a token they had a cache for (first tokens come out of prompts instead). */
  readonly decodeCount: number;
  readonly prefillTokens: number;
  readonly stallNs: number;
  /** Jobs whose first prompt piece was part of this step: their queue ended at `startAtNs`. */
  readonly started: readonly string[];
  /** Jobs that have a new token at `endAtNs`, and which one: 1 for the first. */
  readonly tokens: readonly { readonly id: string; readonly position: number; readonly last: boolean }[];
}

/** A job in a slot. */
interface Seat {
  readonly job: Job;
  /** Tokens of its longest choice. */
  readonly length: number;
  prefilled: number;
  produced: number;
}

/** Any constant will do that nothing else mixes into the seed. */
const NOISE_WORD = 0x6e6f6973;

/** A step under way: its length is settled when it begins, what it yields when it ends. */
export type StepUnderWay = Omit<Step, 'tokens'>;

/** What a seat gets out of a step: a piece of its prompt, or (0) a new token of each choice. */
interface Share {
  readonly seat: Seat;
  readonly promptTokens: number;
}

interface Plan {
  readonly step: StepUnderWay;
  readonly shares: readonly Share[];
}

export class Scheduler {
  readonly #model: EngineModel;
  readonly #seed: number;
  #waiting: Job[] = [];
  #running: Seat[] = [];
  #plan: Plan | undefined;
  #stepCount = 0;
  #lastAtNs = 0;

  constructor(model: EngineModel, seed: number) {
    this.#model = model;
    this.#seed = seed;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  get runningCount(): number {
    return this.#running.length;
  }

  /** Tokens that running jobs hold or have been promised. */
  get heldTokens(): number {
    return this.#running.reduce((sum, seat) => sum + kvTokens(seat.job), 0);
  }

  /** The step under way; undefined when there is nothing to compute. */
  get current(): StepUnderWay | undefined {
    return this.#plan?.step;
  }

  /** Whether the job could ever run; one that is larger than the cache would wait for ever. */
  fits(job: Job): boolean {
    return kvTokens(job) <= (this.#model.kvCapacityTokens ?? Infinity);
  }

  /** Ends every step that is over by then, in order. To be called before anything else at a moment. */
  advance(toNs: number): Step[] {
    const done: Step[] = [];
    while (this.#plan !== undefined && this.#plan.step.endAtNs <= toNs) {
      const step = this.#finish(this.#plan);
      done.push(step);
      // The next step begins where this one ended, however late we were called.
      this.#plan = this.#begin(step.endAtNs);
    }
    this.#lastAtNs = Math.max(this.#lastAtNs, toNs);
    return done;
  }

  /** Takes a job; it can be part of the next step at the earliest, as a step's batch is settled. */
  submit(job: Job, atNs: number): void {
    assert(atNs >= this.#lastAtNs, 'a job must be submitted at the moment the scheduler has come to');
    assert(this.fits(job) && job.promptTokens >= 1 && job.outputTokens.every((count) => count >= 1));
    assert((job.cachedTokens ?? 0) < job.promptTokens, 'the last token of a prompt is always computed');
    this.#waiting.push(job);
    this.#plan ??= this.#begin(atNs);
  }

  /**
   * Forgets a job and frees its slot at once. A step under way keeps its length, since a real one
   * cannot be called back either; the job gets nothing out of it.
   */
  abort(id: string): boolean {
    const before = this.#waiting.length + this.#running.length;
    this.#waiting = this.#waiting.filter((job) => job.id !== id);
    this.#running = this.#running.filter((seat) => seat.job.id !== id);
    return this.#waiting.length + this.#running.length < before;
  }

  #begin(startAtNs: number): Plan | undefined {
    const shares: Share[] = [];
    // Running sequences first, as vLLM does: a token each, so that they go on at every step.
    let decodeCount = 0;
    let contextTokens = 0;
    for (const seat of this.#running) {
      if (seat.prefilled < seat.job.promptTokens) continue;
      const live = seat.job.outputTokens.filter((count) => count > seat.produced).length;
      shares.push({ seat, promptTokens: 0 });
      decodeCount += live;
      contextTokens += live * (seat.job.promptTokens + seat.produced);
    }
    const { shares: promptShares, started } = this.#sharePrompts(this.#model.stepTokens - decodeCount);
    shares.push(...promptShares);
    if (shares.length === 0) return undefined;
    const prefillTokens = promptShares.reduce((sum, share) => sum + share.promptTokens, 0);
    const index = this.#stepCount;
    this.#stepCount += 1;
    const stallNs = this.#stallNs(index);
    const { stepBaseNs, decodeNs, contextNs, prefillNs } = this.#model;
    const workNs = stepBaseNs + decodeNs * decodeCount + contextNs * contextTokens + prefillNs * prefillTokens;
    const endAtNs = startAtNs + this.#noisyNs(workNs, index) + stallNs;
    return { step: { index, startAtNs, endAtNs, decodeCount, prefillTokens, stallNs, started }, shares };
  }

  /** Deals what is left of a step's tokens to prompts: first those begun, then those that wait. */
  #sharePrompts(tokens: number): { shares: Share[]; started: string[] } {
    const shares: Share[] = [];
    const started: string[] = [];
    let left = tokens;
    const give = (seat: Seat): void => {
      const promptTokens = Math.min(left, seat.job.promptTokens - seat.prefilled);
      shares.push({ seat, promptTokens });
      left -= promptTokens;
    };
    for (const seat of this.#running) {
      if (left > 0 && seat.prefilled < seat.job.promptTokens) give(seat);
    }
    // A job is let in only where there is something for it to do, so its prefill begins with its slot.
    for (let seat = this.#admit(left); seat !== undefined; seat = this.#admit(left)) {
      started.push(seat.job.id);
      give(seat);
    }
    return { shares, started };
  }

  /** The first job that waits moves into a slot, if there is one. Nobody overtakes. */
  #admit(tokensLeft: number): Seat | undefined {
    const job = this.#waiting[0];
    if (tokensLeft <= 0 || job === undefined || this.#running.length >= this.#model.maxRunning) return undefined;
    // Room for the whole answer is kept from the start, so a running job is never thrown out again.
    if (this.heldTokens + kvTokens(job) > (this.#model.kvCapacityTokens ?? Infinity)) return undefined;
    this.#waiting.shift();
    const seat: Seat = { job, length: Math.max(...job.outputTokens), prefilled: job.cachedTokens ?? 0, produced: 0 };
    this.#running.push(seat);
    return seat;
  }

  #finish(plan: Plan): Step {
    const tokens: { id: string; position: number; last: boolean }[] = [];
    const present = new Set(this.#running);
    for (const { seat, promptTokens } of plan.shares) {
      if (!present.has(seat)) continue;
      seat.prefilled += promptTokens;
      if (seat.prefilled < seat.job.promptTokens) continue;
      // The step that computes the end of the prompt also gives the first token.
      seat.produced += 1;
      tokens.push({ id: seat.job.id, position: seat.produced, last: seat.produced === seat.length });
    }
    this.#running = this.#running.filter((seat) => seat.produced < seat.length);
    return { ...plan.step, tokens };
  }

  /** No real step takes as long as the one before it: off by up to the model's ratio either way. */
  #noisyNs(workNs: number, index: number): number {
    const { noiseRatio } = this.#model;
    if (noiseRatio === undefined) return workNs;
    // A word of its own, so that noise and stalls do not go together.
    const share = mix32(mix32(this.#seed, NOISE_WORD), index) / 2 ** 31 - 1;
    return Math.max(1, Math.round(workNs * (1 + noiseRatio * share)));
  }

  #stallNs(index: number): number {
    const { stall } = this.#model;
    if (stall === undefined) return 0;
    return mix32(this.#seed, index) % stall.everySteps === 0 ? stall.stallNs : 0;
  }
}

/** Cache a job needs when it is done. */
function kvTokens(job: Job): number {
  return job.promptTokens + job.outputTokens.reduce((sum, count) => sum + count, 0);
}
