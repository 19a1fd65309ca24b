// Stamps of reads, each with an upper bound of its error. A stamp is late by as long as the loop was
// busy between the arrival of the bytes and our turn; how long it was busy is known exactly from
// the time it spent waiting.
import { loopIdleNs, loopTurnCount, nowNs } from '../base/clock.ts';

/**
 * The bound of a read in turn k counts all busy time since the last stamp of turn k−2: bytes that
 * were not there when turn k−1 polled can have come at any time after that poll, and that poll
 * came after turn k−2's last stamp. Anything shorter can miss a pause that ended before the first
 * stamp of turn k−1.
 */
export class ReadClock {
  /** The latest stamp, see {@link read}. */
  atNs = 0;
  /** Upper bound of how late the latest stamp is. */
  errorBoundNs = 0;
  /** The loop's turn in which the latest stamp was taken. */
  turn = -1;
  /** Time the loop was ever busy, at the latest stamp. */
  busyNs = nowNs() - loopIdleNs();

  #busyOneTurnAgoNs = this.busyNs;
  #busyTwoTurnsAgoNs = this.busyNs;

  /** Stamps a read; the values are in the fields, so that nothing is allocated. */
  read(): void {
    const atNs = nowNs();
    const busyNs = atNs - loopIdleNs();
    const turn = loopTurnCount();
    if (turn !== this.turn) {
      this.#busyTwoTurnsAgoNs = this.#busyOneTurnAgoNs;
      this.#busyOneTurnAgoNs = this.busyNs;
      this.turn = turn;
    }
    this.busyNs = busyNs;
    this.atNs = atNs;
    // Idle time is measured apart from the clock; rounding must not make the bound negative.
    this.errorBoundNs = Math.max(0, Math.round(busyNs - this.#busyTwoTurnsAgoNs));
  }
}
