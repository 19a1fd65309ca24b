// Decides what is computed when. Pure but for its own state: time comes in as an argument, steps
// follow each other without a hole on their own virtual clock, and nothing here sleeps or writes.
// Knows no text, no socket and no real clock.
import { strict as assert } from 'node:assert';
import type { GapParts } from './gap-parts.ts';
import { KvCache } from './kv-cache.ts';
import type { EngineModel } from './model.ts';
import { Seat, type Job } from './seat.ts';
import { aloneWorkNs, lengthOf, stepParts, tokensOfStep, type StepParts } from './step-cost.ts';

export type { Job } from './seat.ts';

/** A job's new token at the end of a step. */
export interface StepToken {
  readonly id: string;
  /** 1 for the first. */
  readonly position: number;
  readonly last: boolean;
  /** What lay between the job's token before and this one; absent for its first, and for the rest of a bunch. */
  readonly gap?: GapParts;
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
  /** What each mechanic added to its length. */
  readonly parts: StepParts;
  /** Jobs whose first prompt piece was part of this step: their queue ended at `startAtNs`. */
  readonly started: readonly string[];
  /** Jobs that were thrown out of their slots when the step began. */
  readonly preempted: readonly string[];
  /** New tokens at `endAtNs`, those of one job in order. */
  readonly tokens: readonly StepToken[];
}

/** A step under way: its length is settled when it begins, what it yields when it ends. */
export type StepUnderWay = Omit<Step, 'tokens'>;

/** What a seat gets out of a step: a piece of its prompt, or (0) new tokens of each choice. */
interface Share {
  readonly seat: Seat;
  readonly promptTokens: number;
}

/** The batch of a step before its cost is known. */
interface Batch {
  readonly shares: Share[];
  readonly started: string[];
  readonly preempted: string[];
}

interface Plan {
  readonly step: StepUnderWay;
  readonly shares: readonly Share[];
}

export class Scheduler {
  readonly #model: EngineModel;
  readonly #seed: number;
  readonly #cache: KvCache;
  #waiting: Seat[] = [];
  /** In the order in which they came to their slots. */
  #running: Seat[] = [];
  #plan: Plan | undefined;
  #stepCount = 0;
  #lastAtNs = 0;
  #arrivedCount = 0;
  /** Times a job was thrown out of its slot. */
  preemptedCount = 0;
  /** Tokens guessed by speculation, and those of them that were good. */
  draftedCount = 0;
  acceptedCount = 0;

  constructor(model: EngineModel, seed: number) {
    this.#model = model;
    this.#seed = seed;
    this.#cache = new KvCache(model);
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  get runningCount(): number {
    return this.#running.length;
  }

  /** Tokens that running jobs hold or have been promised. */
  get heldTokens(): number {
    return this.#cache.heldTokens(this.#running);
  }

  /** The step under way; undefined when there is nothing to compute. */
  get current(): StepUnderWay | undefined {
    return this.#plan?.step;
  }

  /** Whether the job could ever run; one that is larger than the cache would wait for ever. */
  fits(job: Job): boolean {
    return this.#cache.fits(job);
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
    this.#waiting.push(new Seat(job));
    this.#arrivedCount += 1;
    this.#plan ??= this.#begin(atNs);
  }

  /**
   * Forgets a job and frees its slot at once. A step under way keeps its length, since a real one
   * cannot be called back either; the job gets nothing out of it.
   */
  abort(id: string): boolean {
    const before = this.#waiting.length + this.#running.length;
    for (const seat of this.#running) if (seat.job.id === id) this.#cache.release(seat);
    this.#waiting = this.#waiting.filter((seat) => seat.job.id !== id);
    this.#running = this.#running.filter((seat) => seat.job.id !== id);
    return this.#waiting.length + this.#running.length < before;
  }

  #begin(startAtNs: number): Plan | undefined {
    const { shares, started, preempted } = this.#model.wholePrompts === true ? this.#wholeBatch() : this.#batch();
    if (shares.length === 0) return undefined;
    let decodeCount = 0;
    let contextTokens = 0;
    let prefillTokens = 0;
    let recomputedTokens = 0;
    for (const { seat, promptTokens } of shares) {
      prefillTokens += promptTokens;
      if (seat.isPreempted) recomputedTokens += promptTokens;
      if (promptTokens > 0) continue;
      decodeCount += seat.liveCount;
      contextTokens += seat.contextTokens;
    }
    const index = this.#stepCount;
    this.#stepCount += 1;
    const load = { decodeCount, contextTokens, prefillTokens, recomputedTokens, arrivedCount: this.#arrivedCount };
    this.#arrivedCount = 0;
    const parts = stepParts(this.#model, this.#seed, index, load);
    const endAtNs = startAtNs + lengthOf(parts);
    const { stallNs } = parts;
    const step = { index, startAtNs, endAtNs, decodeCount, prefillTokens, stallNs, parts, started, preempted };
    return { step, shares };
  }

  /** Running sequences first, as vLLM does: a token each, so that they go on at every step. Prompts get the rest. */
  #batch(): Batch {
    const batch: Batch = { shares: [], started: [], preempted: [] };
    const left = this.#model.stepTokens - this.#dealDecodes(batch);
    this.#dealPrompts(batch, left);
    return batch;
  }

  /** Prompts that wait have a step for themselves, each whole; only without any do sequences go on. */
  #wholeBatch(): Batch {
    const batch: Batch = { shares: [], started: [], preempted: [] };
    let left = this.#model.stepTokens;
    // A prompt larger than a step is computed all the same, alone.
    for (let seat = this.#admit(left, batch); seat !== undefined; seat = this.#admit(left, batch)) {
      left -= this.#givePrompt(seat, seat.toPrefill, batch);
    }
    if (batch.shares.length === 0) this.#dealDecodes(batch);
    return batch;
  }

  /** Returns how many of the step's tokens it took. */
  #dealDecodes(batch: Batch): number {
    const { speculation } = this.#model;
    const perSequence = 1 + (speculation?.drafts ?? 0);
    let tokens = 0;
    // Whoever is thrown out is taken from the list's end, so it has no share yet and its turn does not come.
    for (const seat of this.#running) {
      if (!seat.decodes || !this.#makeRoom(seat, perSequence, batch)) continue;
      batch.shares.push({ seat, promptTokens: 0 });
      tokens += perSequence * seat.liveCount;
    }
    return tokens;
  }

  /** Deals what is left of a step's tokens to prompts: first those begun, then those that wait. */
  #dealPrompts(batch: Batch, tokens: number): void {
    let left = tokens;
    for (const seat of this.#running) {
      if (left > 0 && !seat.decodes) left -= this.#givePrompt(seat, left, batch);
    }
    // Who was thrown out in this step would take back at once what others got of it.
    if (batch.preempted.length > 0) return;
    // A job is let in only where there is something for it to do, so its prefill begins with its slot.
    for (let seat = this.#admit(left, batch); seat !== undefined; seat = this.#admit(left, batch)) {
      left -= this.#givePrompt(seat, left, batch);
    }
  }

  #givePrompt(seat: Seat, tokens: number, batch: Batch): number {
    const promptTokens = Math.min(tokens, seat.toPrefill);
    if (!this.#makeRoom(seat, promptTokens, batch)) return 0;
    batch.shares.push({ seat, promptTokens });
    return promptTokens;
  }

  /** Has others thrown out, the latest first, until the seat has its blocks; false when it was the latest itself. */
  #makeRoom(seat: Seat, more: number, batch: Batch): boolean {
    while (!this.#cache.grow(seat, more)) {
      const victim = this.#running.pop();
      assert(victim !== undefined, 'a seat that asks for room is running');
      this.#cache.release(victim);
      victim.throwOut();
      this.#waiting.unshift(victim);
      this.preemptedCount += 1;
      batch.preempted.push(victim.job.id);
      if (victim === seat) return false;
    }
    return true;
  }

  /** The first job that waits moves into a slot, if there is one. Nobody overtakes. */
  #admit(tokensLeft: number, batch: Batch): Seat | undefined {
    const [seat] = this.#waiting;
    if (tokensLeft <= 0 || seat === undefined || this.#running.length >= this.#model.maxRunning) return undefined;
    if (!this.#cache.admits(seat, this.#running)) return undefined;
    this.#waiting.shift();
    this.#running.push(seat);
    if (!seat.hasStarted) batch.started.push(seat.job.id);
    seat.hasStarted = true;
    return seat;
  }

  #finish({ step, shares }: Plan): Step {
    const tokens: StepToken[] = [];
    const present = new Set(this.#running);
    this.#tally(step.parts, shares);
    for (const { seat, promptTokens } of shares) {
      if (!present.has(seat)) continue;
      const decodes = promptTokens === 0;
      seat.prefilled += promptTokens;
      if (seat.toPrefill > 0) continue;
      // The step that computes the end of the prompt also gives the first token; guesses need a token to follow.
      const most = decodes ? this.#guessed(seat, step.index) : 1;
      this.#yield(seat, Math.min(most, seat.length - seat.produced), tokens);
    }
    for (const seat of this.#running) if (seat.isDone) this.#cache.release(seat);
    this.#running = this.#running.filter((seat) => !seat.isDone);
    return { ...step, tokens };
  }

  #guessed(seat: Seat, index: number): number {
    const count = tokensOfStep(this.#model, this.#seed, index, seat.word);
    this.draftedCount += (this.#model.speculation?.drafts ?? 0) * seat.liveCount;
    this.acceptedCount += (count - 1) * seat.liveCount;
    return count;
  }

  /** Tells every sequence that has a token already what it did in this step. */
  #tally(parts: StepParts, shares: readonly Share[]): void {
    const decoding = new Set(shares.flatMap(({ seat, promptTokens }) => (promptTokens === 0 ? [seat] : [])));
    for (const seat of [...this.#running, ...this.#waiting]) {
      if (seat.produced === 0) continue;
      if (seat.isPreempted) seat.tally.add('preempted', parts);
      else seat.tally.add(decoding.has(seat) ? 'decode' : 'waits_for_prompts', parts);
    }
  }

  #yield(seat: Seat, count: number, tokens: StepToken[]): void {
    const { id } = seat.job;
    const gap =
      seat.produced === 0
        ? undefined
        : seat.tally.take(aloneWorkNs(this.#model, seat.liveCount, seat.contextTokens), count);
    seat.isPreempted = false;
    for (let nth = 1; nth <= count; nth += 1) {
      seat.produced += 1;
      const token = { id, position: seat.produced, last: seat.isDone };
      tokens.push(gap === undefined || nth > 1 ? token : { ...token, gap });
    }
  }
}
