// Stamps of reads, each with an upper bound of its error. A stamp is late by as long as the loop was
// busy between the arrival of the bytes and our turn; how long it was busy is known exactly from
// the time it spent waiting.
import { loopIdleNs, loopTurnCount, nowNs } from '../base/clock.ts';

/**
 * The loop only ever waits when no connection has anything to read (libuv asks once without waiting
 * before it waits, when idle time is measured: src/unix/linux.c `uv__io_poll`). So bytes that are read
 * now came after the latest wait began, and the stamp is late by no more than the time the loop was busy
 * since then:
 *
 *   … callbacks │ end of turn k │ waits │ callbacks of turn k+1, one of them our read
 *                               ^ nothing was there             ^ the stamp
 *                               ├ idle ─┼─ busy: the bound ─────┤
 *
 * While turns follow each other without a wait, the bound grows with them.
 */
export class ReadClock {
  /** The latest stamp, see {@link read}. */
  atNs = 0;
  /** Upper bound of how late the latest stamp is. */
  errorBoundNs = 0;
  /** The loop's turn in which the latest stamp was taken. */
  turn = -1;

  /** Time the loop had ever waited and been busy at the end of the latest turn with a read. */
  #idleAtEndNs = loopIdleNs();
  #busyAtEndNs = nowNs() - this.#idleAtEndNs;
  /** Time it had been busy before the latest wait. */
  #busyBeforeWaitNs = this.#busyAtEndNs;

  /** Stamps a read; the values are in the fields, so that nothing is allocated. */
  read(): void {
    const atNs = nowNs();
    const idleNs = loopIdleNs();
    const turn = loopTurnCount();
    if (turn !== this.turn) {
      this.turn = turn;
      if (idleNs > this.#idleAtEndNs) this.#busyBeforeWaitNs = this.#busyAtEndNs;
      setImmediate(this.#endTurn);
    }
    this.atNs = atNs;
    // Idle time is measured apart from the clock; rounding must not make the bound negative.
    this.errorBoundNs = Math.max(0, Math.round(atNs - idleNs - this.#busyBeforeWaitNs));
  }

  /** Runs once the reads of a turn are over, before the loop can wait again. */
  readonly #endTurn = (): void => {
    this.#idleAtEndNs = loopIdleNs();
    this.#busyAtEndNs = nowNs() - this.#idleAtEndNs;
  };
}
