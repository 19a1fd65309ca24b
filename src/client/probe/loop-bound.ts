// How late a stamp of ours may be. Bytes that are read now came while our loop waited, or while it was busy since
// the last heartbeat; a heartbeat that is overdue tells that the thread did not run at all. Knows no exchange.
import { loopIdleNs, nowNs } from '../../base/clock.ts';

const BEAT_MS = 4;
const BEAT_NS = BEAT_MS * 1e6;
/** Timers count in whole milliseconds. */
const BEAT_LATE_NS = 1_500_000;

export class LoopBound {
  #atNs = nowNs();
  #idleNs = loopIdleNs();
  #beatAtNs = this.#atNs;
  readonly #timer: NodeJS.Timeout;

  constructor() {
    this.#timer = setInterval(() => {
      this.#sample();
      this.#beatAtNs = this.#atNs;
    }, BEAT_MS);
  }

  /** A moment with the upper bound of its error. */
  stamp(): { readonly atNs: number; readonly errorBoundNs: number } {
    const busyNs = this.#sample();
    const overdueNs = this.#atNs - this.#beatAtNs - BEAT_NS;
    return { atNs: this.#atNs, errorBoundNs: Math.max(busyNs, overdueNs > BEAT_LATE_NS ? overdueNs : 0) };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** How long the loop was busy since it was asked last. */
  #sample(): number {
    const atNs = nowNs();
    const idleNs = loopIdleNs();
    const busyNs = Math.max(0, Math.round(atNs - this.#atNs - (idleNs - this.#idleNs)));
    this.#atNs = atNs;
    this.#idleNs = idleNs;
    return busyNs;
  }
}
