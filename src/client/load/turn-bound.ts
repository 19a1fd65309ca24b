// How late a stamp may be, for many streams that share one loop. Bytes that are read now came at the earliest when
// the loop last looked for some, which was before all that it did in the turn before; a heartbeat that is overdue
// tells that the thread did not run at all. Knows no exchange.
import { loopIdleNs, nowNs } from '../../base/clock.ts';

const BEAT_MS = 4;
const BEAT_NS = BEAT_MS * 1e6;
/** Timers count in whole milliseconds. */
const BEAT_LATE_NS = 1_500_000;

/** One for a whole run: a bound of each stream's own would be a timer for each of a thousand. */
export class TurnBound {
  #atNs = nowNs();
  #idleNs = loopIdleNs();
  #beatAtNs = this.#atNs;
  /** How long the loop was busy in the turn before, and in this one so far. */
  #beforeNs = 0;
  #turnNs = 0;
  #turning = false;
  readonly #timer: NodeJS.Timeout;

  constructor() {
    // Work between two reads that lie far apart makes neither of them late, so it is forgotten as it ends.
    this.#timer = setInterval(() => {
      this.turned();
      this.#beatAtNs = this.#atNs;
    }, BEAT_MS);
  }

  /** A moment with the upper bound of its error. */
  stamp(): { readonly atNs: number; readonly errorBoundNs: number } {
    this.#sample();
    if (!this.#turning) {
      this.#turning = true;
      // Runs behind the reads of this turn and before the loop looks for more.
      setImmediate(() => {
        this.#turning = false;
        this.#turn();
      });
    }
    const overdueNs = this.#atNs - this.#beatAtNs - BEAT_NS;
    const busyNs = this.#beforeNs + this.#turnNs;
    return { atNs: this.#atNs, errorBoundNs: Math.max(busyNs, overdueNs > BEAT_LATE_NS ? overdueNs : 0) };
  }

  /** To be called by who keeps the loop turning without anything to do. */
  turned(): void {
    this.#sample();
    if (!this.#turning) this.#turn();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #turn(): void {
    this.#beforeNs = this.#turnNs;
    this.#turnNs = 0;
  }

  #sample(): void {
    const atNs = nowNs();
    const idleNs = loopIdleNs();
    this.#turnNs += Math.max(0, Math.round(atNs - this.#atNs - (idleNs - this.#idleNs)));
    this.#atNs = atNs;
    this.#idleNs = idleNs;
  }
}
