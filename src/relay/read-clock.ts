// Stamps of reads, each with an upper bound of its error. A stamp is late by as long as the loop was
// busy, or the thread was kept from running, between the arrival of the bytes and our turn. How long
// the loop was busy is known exactly from the time it spent waiting, and how long others had the CPU from
// the kernel; that the process was stopped shows in a heartbeat that comes too late. Knows no exchange.
import { loopIdleNs, loopTurnCount, nowNs, threadCpuNs } from '../base/clock.ts';
import { runQueueWaitNs } from '../base/run-queue.ts';

/**
 * A heartbeat may be so late without anything being wrong: timers count in whole milliseconds, and half of
 * what stamps may be off anyway.
 */
const BEAT_LATE_NS = 1_500_000;
/** Losses shorter than this are not told: no figure of ours is meant finer. */
const LOSS_MIN_NS = 1_000_000;

/** In a turn shorter than this others cannot have had the CPU for so long that it matters. */
const SHORT_TURN_NS = 300_000;

/** Told of an interval in which this thread was kept from running for some time, nobody knows exactly when. */
export type OnCpuLost = (startAtNs: number, endAtNs: number) => void;

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
 *
 * A thread that others keep from running seems to wait as well, though its bytes are there: what the kernel says
 * it stood ready for counts as busy. A process that is stopped, or whose machine is, stands ready for nothing.
 * Then the heartbeat is overdue by more than all this, and the whole wait counts as busy:
 *
 *   end of a turn │ waits    ┊ stopped                       │ our read, or the heartbeat
 *                 ^          ┊    ^ heartbeat due            ^ the stamp
 *                 ├─ the bound ──────────────────────────────┤
 */
export class ReadClock {
  /** The latest stamp, see {@link read}. */
  atNs = 0;
  /** Upper bound of how late the latest stamp is. */
  errorBoundNs = 0;
  /** The loop's turn in which the latest stamp was taken. */
  turn = -1;

  readonly #onCpuLost: OnCpuLost | undefined;
  /** End of the latest turn with a read or a heartbeat, and the time the loop had ever waited by then. */
  #endAtNs = nowNs();
  #idleAtEndNs = loopIdleNs();
  /** Time it had been busy before the latest wait. */
  #busyBeforeWaitNs = this.#endAtNs - this.#idleAtEndNs;
  /** When the loop must have woken at the latest; for ever without a heartbeat. */
  #beatDueAtNs = Number.POSITIVE_INFINITY;
  #beatAtNs = this.#endAtNs;
  #idleAtBeatNs = this.#idleAtEndNs;
  #cpuAtBeatNs = threadCpuNs();
  /** First read, or heartbeat, of the present turn. */
  #turnAtNs = this.#endAtNs;
  #queuedNs = runQueueWaitNs();
  /** Of that, since the end of the latest turn with a read or a heartbeat. */
  #queuedInTurnNs = 0;
  /** The heartbeat of this turn found the CPU lost, so its reads waited as well. */
  #lost = false;

  constructor(onCpuLost?: OnCpuLost) {
    this.#onCpuLost = onCpuLost;
  }

  /** Stamps a read; the values are in the fields, so that nothing is allocated. */
  read(): void {
    const atNs = nowNs();
    const idleNs = loopIdleNs();
    const turn = loopTurnCount();
    const isFirst = turn !== this.turn;
    if (isFirst) {
      this.turn = turn;
      this.#turnAtNs = atNs;
      if (idleNs > this.#idleAtEndNs) this.#startAnew(idleNs);
      if (this.#lost || this.#wasLostWaiting(atNs, idleNs)) this.#doubtWait(atNs, idleNs);
      setImmediate(this.#endTurn);
    }
    this.atNs = atNs;
    // Idle time is measured apart from the clock; rounding must not make the bound negative.
    this.errorBoundNs = Math.max(0, Math.round(atNs - idleNs - this.#busyBeforeWaitNs));
    if (isFirst && !this.#lost && this.errorBoundNs > LOSS_MIN_NS) this.#lookWhyBusy(atNs, idleNs);
  }

  /** The heartbeat: the loop has come round, and will again by `dueAtNs`. */
  beat(dueAtNs: number): void {
    const atNs = nowNs();
    const idleNs = loopIdleNs();
    this.#noteQueued();
    if (this.#wasLostWaiting(atNs, idleNs)) {
      this.#lost = true;
      this.#tell(this.#endAtNs, atNs);
    }
    this.#beatDueAtNs = dueAtNs;
    this.#turnAtNs = atNs;
    this.#beatAtNs = atNs;
    this.#idleAtBeatNs = idleNs;
    this.#cpuAtBeatNs = threadCpuNs();
    // Timers come before reads, and this after them: by then all that had come is read.
    setImmediate(this.#endTurn);
  }

  /** Runs once the reads of a turn are over, before the loop can wait again. */
  readonly #endTurn = (): void => {
    this.#idleAtEndNs = loopIdleNs();
    this.#endAtNs = nowNs();
    this.#lost = false;
    // The kernel is asked again only when the turn was long enough for others to have had much of it.
    if (this.#endAtNs - this.#turnAtNs > SHORT_TURN_NS) this.#noteQueued();
    this.#queuedInTurnNs = 0;
  };

  #noteQueued(): void {
    const queuedNs = runQueueWaitNs();
    this.#queuedInTurnNs += queuedNs - this.#queuedNs;
    this.#queuedNs = queuedNs;
  }

  /** The loop has waited: what comes now came since, or while others had the CPU. */
  #startAnew(idleNs: number): void {
    // The kernel takes 2 to 10 µs to answer, and can say nothing that matters of a wait shorter than a loss.
    if (idleNs - this.#idleAtEndNs > LOSS_MIN_NS) this.#noteQueued();
    const busyAtEndNs = this.#endAtNs - this.#idleAtEndNs;
    this.#busyBeforeWaitNs = Math.max(busyAtEndNs - this.#queuedInTurnNs, this.#endAtNs - idleNs);
  }

  /** The heartbeat is overdue, and neither because the loop was busy nor because others had the CPU. */
  #wasLostWaiting(atNs: number, idleNs: number): boolean {
    const overdueNs = atNs - this.#beatDueAtNs;
    if (overdueNs <= BEAT_LATE_NS) return false;
    const busyNs = atNs - this.#endAtNs - (idleNs - this.#idleAtEndNs);
    return overdueNs - busyNs - this.#queuedInTurnNs > BEAT_LATE_NS;
  }

  /** Of all the time since the end of the latest turn nobody can say that we would have been there to read. */
  #doubtWait(atNs: number, idleNs: number): void {
    this.#busyBeforeWaitNs = Math.min(this.#busyBeforeWaitNs, this.#endAtNs - idleNs);
    if (this.#lost) return;
    this.#lost = true;
    this.#tell(this.#endAtNs, atNs);
  }

  /** Was the loop at work for so long, or kept from it? Time that is neither waiting nor CPU was taken from us. */
  #lookWhyBusy(atNs: number, idleNs: number): void {
    const busyNs = atNs - this.#beatAtNs - (idleNs - this.#idleAtBeatNs);
    const cpuNs = threadCpuNs();
    const usedNs = cpuNs === undefined || this.#cpuAtBeatNs === undefined ? busyNs : cpuNs - this.#cpuAtBeatNs;
    if (Math.max(busyNs - usedNs, this.#queuedInTurnNs) <= LOSS_MIN_NS) return;
    this.#tell(Math.max(this.#beatAtNs, atNs - this.errorBoundNs), atNs);
  }

  #tell(startAtNs: number, endAtNs: number): void {
    if (endAtNs - startAtNs >= LOSS_MIN_NS) this.#onCpuLost?.(startAtNs, endAtNs);
  }
}
