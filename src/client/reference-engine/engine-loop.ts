// Runs the scheduler against the real clock: wakes at the end of each step, however late, and tells
// every job what it got. The only place where the scheduler's virtual time meets ours.
import { nowNs } from '../../base/clock.ts';
import { atMoment } from '../at-moment.ts';
import type { EngineModel } from './model.ts';
import { Scheduler, type Job, type Step, type StepToken, type StepUnderWay } from './scheduler.ts';

/** Who waits for a job's tokens. Moments are those of the scheduler, so not later than now. */
export interface JobListener {
  onStart(atNs: number): void;
  /** It was thrown out of its slot; nothing is lost but time. */
  onPreempted(atNs: number): void;
  /** The tokens of one step, in order. */
  onTokens(tokens: readonly StepToken[], atNs: number): void;
}

export class EngineLoop {
  readonly #scheduler: Scheduler;
  readonly #listeners = new Map<string, JobListener>();
  #wakeAtNs: number | undefined;
  #cancelWake: (() => void) | undefined;
  /** Latest step whose beginning was told. */
  #toldIndex = -1;
  stepCount = 0;
  stallCount = 0;
  /** Length of the latest step that is over. */
  lastStepNs: number | undefined;

  constructor(model: EngineModel, seed: number) {
    this.#scheduler = new Scheduler(model, seed);
  }

  get runningCount(): number {
    return this.#scheduler.runningCount;
  }

  get waitingCount(): number {
    return this.#scheduler.waitingCount;
  }

  get heldTokens(): number {
    return this.#scheduler.heldTokens;
  }

  get preemptedCount(): number {
    return this.#scheduler.preemptedCount;
  }

  /** Tokens guessed by speculation, and those of them that were good. */
  get draftedCount(): number {
    return this.#scheduler.draftedCount;
  }

  get acceptedCount(): number {
    return this.#scheduler.acceptedCount;
  }

  fits(job: Job): boolean {
    return this.#scheduler.fits(job);
  }

  /** Takes a job now; returns the moment from which it waits. */
  submit(job: Job, listener: JobListener): number {
    const atNs = nowNs();
    this.#catchUp(atNs);
    this.#listeners.set(job.id, listener);
    this.#scheduler.submit(job, atNs);
    this.#tellStart(this.#scheduler.current);
    this.#sleep();
    return atNs;
  }

  /** Drops a job; its slot is free for the next step. */
  abort(id: string): void {
    this.#listeners.delete(id);
    this.#scheduler.abort(id);
  }

  /** Stops the clock; jobs under way hear nothing more. */
  close(): void {
    this.#cancelWake?.();
    this.#listeners.clear();
  }

  /** Tells of everything that happened up to a moment, in the order in which it did. */
  #catchUp(toNs: number): void {
    for (const step of this.#scheduler.advance(toNs)) {
      this.#tellStart(step);
      this.stepCount += 1;
      this.lastStepNs = step.endAtNs - step.startAtNs;
      if (step.stallNs > 0) this.stallCount += 1;
      this.#tellTokens(step);
    }
    this.#tellStart(this.#scheduler.current);
  }

  #tellStart(step: StepUnderWay | undefined): void {
    if (step === undefined || step.index <= this.#toldIndex) return;
    this.#toldIndex = step.index;
    for (const id of step.preempted) this.#listeners.get(id)?.onPreempted(step.startAtNs);
    for (const id of step.started) this.#listeners.get(id)?.onStart(step.startAtNs);
  }

  #tellTokens({ tokens, endAtNs }: Step): void {
    for (const [id, own] of Map.groupBy(tokens, (token) => token.id)) {
      const listener = this.#listeners.get(id);
      if (own.at(-1)?.last === true) this.#listeners.delete(id);
      listener?.onTokens(own, endAtNs);
    }
  }

  #sleep(): void {
    const wakeAtNs = this.#scheduler.current?.endAtNs;
    if (wakeAtNs === this.#wakeAtNs) return;
    this.#cancelWake?.();
    this.#wakeAtNs = wakeAtNs;
    this.#cancelWake = wakeAtNs === undefined ? undefined : atMoment(wakeAtNs, () => this.#wake());
  }

  #wake(): void {
    this.#wakeAtNs = undefined;
    this.#cancelWake = undefined;
    this.#catchUp(nowNs());
    this.#sleep();
  }
}
