// Runs the scheduler against the real clock: wakes at the end of each step, however late, and tells
// every job what it got. The only place where the scheduler's virtual time meets ours.
import { nowNs } from '../../base/clock.ts';
import { atMoment } from '../at-moment.ts';
import type { EngineModel } from './model.ts';
import { Scheduler, type Job, type StepUnderWay } from './scheduler.ts';

/** Who waits for a job's tokens. Moments are those of the scheduler, so not later than now. */
export interface JobListener {
  onStart(atNs: number): void;
  onToken(position: number, atNs: number, last: boolean): void;
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
      for (const { id, position, last } of step.tokens) {
        const listener = this.#listeners.get(id);
        if (last) this.#listeners.delete(id);
        listener?.onToken(position, step.endAtNs, last);
      }
    }
    this.#tellStart(this.#scheduler.current);
  }

  #tellStart(step: StepUnderWay | undefined): void {
    if (step === undefined || step.index <= this.#toldIndex) return;
    this.#toldIndex = step.index;
    for (const id of step.started) this.#listeners.get(id)?.onStart(step.startAtNs);
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
