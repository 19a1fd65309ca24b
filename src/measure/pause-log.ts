// Pauses of the relay's thread as one exchange needs them: all that may still explain a late stamp, and of the
// rest only those that did, because a replay needs them again. Numbers in one list: on a busy relay every other
// gap has a pause of its own, and as objects they cost more than the chunks. Knows no rows.
import { PAUSES_MAX_COUNT } from '../base/limits.ts';
import { PAUSES_EARLY_COUNT, PAUSES_FORGET_FROM_COUNT } from '../base/record-limits.ts';
import type { Pause } from '../record/stream-record.ts';

/** What is looked for, most telling first; the place in the list is what is kept of a cause. */
const CAUSES = ['gc', 'cpu', 'clock'] as const satisfies readonly Pause['cause'][];

const START = 0;
const END = 1;
const CAUSE = 2;
const KNOWN_FROM = 3;
const NAMED = 4;
const STRIDE = 5;

/** A stretch of time in which something may have come, moments as in the record. */
export interface Window {
  readonly fromNs: number;
  readonly toNs: number;
}

export class PauseLog {
  #values: number[] = [];
  /** So many pauses are looked through for those that are not needed any more. */
  #forgetFromCount = PAUSES_FORGET_FROM_COUNT;

  get count(): number {
    return this.#values.length / STRIDE;
  }

  get full(): boolean {
    return this.count >= PAUSES_MAX_COUNT;
  }

  /** Keeps a pause that became known after so many reads. Beyond the cap pauses are ignored. */
  add(pause: Pause, readCount: number): void {
    if (this.full) return;
    const { startAtNs, endAtNs, cause, knownFromRead = readCount } = pause;
    this.#values.push(startAtNs, endAtNs, CAUSES.indexOf(cause), knownFromRead, 0);
  }

  /** There are enough of them to look which are still needed. */
  get crowded(): boolean {
    return this.count >= this.#forgetFromCount;
  }

  /**
   * Lets go of pauses that named no cause and were over before this moment, and of all but the latest of those
   * that were not: whoever looks for the cause of a late stamp finds it there. Without a moment only these stay.
   */
  forget(sinceNs: number = -Infinity): void {
    const latestAt = this.#values.length - PAUSES_EARLY_COUNT * STRIDE;
    const kept: number[] = [];
    for (let at = 0; at < this.#values.length; at += STRIDE) {
      const isNeeded = at >= latestAt && this.#at(at, END) > sinceNs;
      if (this.#at(at, NAMED) === 1 || isNeeded) kept.push(...this.#values.slice(at, at + STRIDE));
    }
    this.#values = kept;
    this.#forgetFromCount = Math.max(PAUSES_FORGET_FROM_COUNT, 2 * this.count);
  }

  /**
   * The most telling cause of the pauses that lie in one of these windows and were known after so many reads;
   * undefined when none does. One pause that gave the cause is kept for good: one that is already, if it can.
   */
  causeIn(windows: readonly Window[], readCount: number): Pause['cause'] | undefined {
    let best: number | undefined;
    for (let at = 0; at < this.#values.length; at += STRIDE) {
      if (this.#at(at, KNOWN_FROM) > readCount) continue;
      const [startAtNs, endAtNs] = [this.#at(at, START), this.#at(at, END)];
      if (!windows.some(({ fromNs, toNs }) => Math.max(startAtNs, fromNs) < Math.min(endAtNs, toNs))) continue;
      if (best === undefined || this.#rank(at) <= this.#rank(best)) best = at;
    }
    if (best === undefined) return undefined;
    this.#values[best + NAMED] = 1;
    return CAUSES[this.#at(best, CAUSE)];
  }

  /** As the record keeps them: exactly what was gone by. */
  list(): Pause[] {
    const pauses: Pause[] = [];
    for (let at = 0; at < this.#values.length; at += STRIDE) {
      pauses.push({
        startAtNs: this.#at(at, START),
        endAtNs: this.#at(at, END),
        cause: CAUSES[this.#at(at, CAUSE)] as Pause['cause'],
        knownFromRead: this.#at(at, KNOWN_FROM),
      });
    }
    return pauses;
  }

  /** Smaller is better: a more telling cause first, of the same cause one that is kept anyway. */
  #rank(at: number): number {
    return 2 * this.#at(at, CAUSE) + (this.#at(at, NAMED) === 1 ? 0 : 1);
  }

  #at(at: number, place: number): number {
    return this.#values[at + place] as number;
  }
}
