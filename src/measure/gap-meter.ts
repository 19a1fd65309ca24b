// The gap meter: finds the gaps of one exchange while it runs. The same code runs live in the observer
// and over a frozen record, so metrics and replay cannot differ. Knows rows and stamps, never text.
//
// Order. Live, the meter is called in the order of the tape, and a record has no such order. That is why
// every decision rests only on what cannot depend on it:
//  - Stamps and flags are read from the chunk log. A chunk's row is in the log before its events are told.
//    Events may be told late (a compressed body is decoded in a later turn) but never out of order.
//  - A gap that ends at `end` looks only at blocked intervals that began before `end`. The relay tells of
//    a beginning at once, so the meter knew of it, and an interval still open ends after `end`. So a
//    gap may be judged before the interval ends, and the intervals of a record can be told first.
//  - A flush is told once, in the order of rows (write callbacks come in the order of writes). A flushed gap
//    is judged when its later end is known; when the earlier one is not known by then, it never will be.
//  - A pause may become known at any time. The meter notes after how many reads that was, the record keeps
//    it (`knownFromRead`), and only later gaps look at it.
//  - What did not fit into the logs (262,144 rows) is not told to the meter either.
import type { ChunkRows } from '../record/chunk-log.ts';
import type { Pause } from '../record/stream-record.ts';
import { BlockedLog } from './blocked-log.ts';
import type { TaintCause } from './figures.ts';
import type { GapPoint } from './gap.ts';
import { PauseLog } from './pause-log.ts';
import { StallMeter } from './stall.ts';
import { isGoodBound, taintCause, type GapEnds } from './taint.ts';

/** A trusted gap that ended. */
export interface Gap {
  /** Row in the chunk log at which the gap ends. */
  readonly chunk: number;
  /** Moment at which it ends, at its point, ns since the exchange opened. */
  readonly atNs: number;
  readonly gapNs: number;
  /** Only ever true at the point `received`. */
  readonly stalled: boolean;
  /** What it was held against, of a stall only. */
  readonly usual?: UsualGap;
}

/** What a stream's gaps were like before one of them. */
export interface UsualGap {
  /** Running median; absent while there were few. */
  readonly medianNs: number | undefined;
  /** A gap above this is a stall. */
  readonly thresholdNs: number;
}

export interface GapListener {
  onGap(point: GapPoint, gap: Gap): void;
  /** A received gap ended that cannot be trusted; neither point has a sample of it. */
  onTaintedGap(cause: TaintCause, chunk: number): void;
  /** A generated event came in a read that had one already. */
  onCoalesced(): void;
}

export interface GapMeterOptions {
  /** The log of the exchange's chunks, live or frozen. */
  readonly chunks: ChunkRows;
  /** Smallest gap that can be a stall, from the class. */
  readonly stallNs: number;
  readonly listener: GapListener;
  /**
   * Asked, before a gap is judged that pauses may explain, to tell by `onPause` of those that were not over at this
   * moment. Absent where they are told unasked.
   */
  readonly hearPauses?: (sinceNs: number) => void;
}

export class GapMeter {
  readonly #chunks: ChunkRows;
  readonly #listener: GapListener;
  readonly #stalls: StallMeter;
  readonly #hearPauses: ((sinceNs: number) => void) | undefined;
  readonly #blocked = new BlockedLog();
  readonly #pauses = new PauseLog();
  /** Rows whose flush ends a gap, with the row it began at. */
  readonly #unflushed = new Map<number, number>();
  #readCount = 0;
  /** Row of the last read's first chunk that completed an event with a generated fragment. */
  #lastRow: number | undefined;

  constructor(options: GapMeterOptions) {
    this.#chunks = options.chunks;
    this.#listener = options.listener;
    this.#stalls = new StallMeter(options.stallNs);
    this.#hearPauses = options.hearPauses;
  }

  /** An event with a generated fragment was completed by the chunk in this row. Once an event. */
  onGenerated(row: number): void {
    const chunks = this.#chunks;
    const lastRow = this.#lastRow;
    if (lastRow !== undefined && chunks.receivedAtNs(lastRow) === chunks.receivedAtNs(row)) {
      this.#listener.onCoalesced();
      return;
    }
    const trusted = lastRow !== undefined && this.#settleReceived(lastRow, row);
    this.#lastRow = row;
    this.#readCount += 1;
    // A flushed gap exists only where the received one is trusted: when the relay was too busy to stamp a
    // receipt in time, its flush stamps are no better.
    if (!trusted) return;
    if (chunks.flushedAtNs(row) === null) this.#unflushed.set(row, lastRow);
    else this.#settleFlushed(lastRow, row);
  }

  /** The flush stamp of this row was written into the chunk log. */
  onFlush(row: number): void {
    const lastRow = this.#unflushed.get(row);
    if (lastRow === undefined) return;
    this.#unflushed.delete(row);
    this.#settleFlushed(lastRow, row);
  }

  /** Our socket to the client took no more bytes from this moment on. */
  onBlocked(fromNs: number): void {
    this.#blocked.block(fromNs);
  }

  /** Our socket to the client took bytes again. */
  onUnblocked(toNs: number): void {
    this.#blocked.unblock(toNs);
  }

  /**
   * The relay's thread was held up. Now and then those give way that explained nothing and are over since the
   * last read: a busy relay collects garbage many times a second. When all are still needed, pauses beyond the cap
   * are ignored, see {@link pausesFull}.
   */
  onPause(pause: Pause): void {
    // Pauses of a record are those that were kept.
    if (pause.knownFromRead === undefined && this.#pauses.crowded) this.#forgetPauses();
    this.#pauses.add(pause, this.#readCount);
  }

  /** `blockedNs` of the record: exactly what the meter went by. */
  get blockedNs(): readonly number[] {
    return this.#blocked.edgesNs;
  }

  /** Whether a silence between these moments would be a stall as a gap: as long as one, and not the client's doing. */
  wouldStall(fromNs: number, toNs: number): boolean {
    return toNs - fromNs > this.#stalls.thresholdNs && !this.#blocked.overlaps(fromNs, toNs);
  }

  /** More blocked intervals came than a record keeps: a doubt `log_full`. */
  get blockedFull(): boolean {
    return this.#blocked.full;
  }

  /** `pauses` of the record: exactly what the meter went by. */
  get pauses(): readonly Pause[] {
    return this.#pauses.list();
  }

  get pausesFull(): boolean {
    return this.#pauses.full;
  }

  /** The gap from the last read to the one that begins at `row`; tells whether it can be trusted. */
  #settleReceived(lastRow: number, row: number): boolean {
    const chunks = this.#chunks;
    // What overload took away may have held fragments: no gap, and no taint of the path either.
    if (chunks.lostIn(lastRow + 1, row)) return false;
    const ends = {
      startAtNs: chunks.receivedAtNs(lastRow),
      endAtNs: chunks.receivedAtNs(row),
      startBoundNs: chunks.errorBoundNs(lastRow),
      endBoundNs: chunks.errorBoundNs(row),
      readsBefore: this.#readCount,
    };
    if (!this.#isPlain(ends)) {
      this.#hearPauses?.(Math.min(ends.startAtNs - ends.startBoundNs, ends.endAtNs - ends.endBoundNs));
    }
    const cause = taintCause(ends, this.#blocked, this.#pauses);
    if (cause !== undefined) {
      this.#listener.onTaintedGap(cause, row);
      return false;
    }
    this.#tellReceived(row, ends.endAtNs, ends.endAtNs - ends.startAtNs);
    return true;
  }

  /** Neither tainted by a late stamp nor a stall, so no pause has to do with it. */
  #isPlain({ startAtNs, endAtNs, startBoundNs, endBoundNs }: GapEnds): boolean {
    return isGoodBound(startBoundNs) && isGoodBound(endBoundNs) && endAtNs - startAtNs <= this.#stalls.thresholdNs;
  }

  #tellReceived(chunk: number, atNs: number, gapNs: number): void {
    const { usualNs, thresholdNs } = this.#stalls;
    const stalled = this.#stalls.add(gapNs);
    if (!stalled) this.#listener.onGap('received', { chunk, atNs, gapNs, stalled });
    else this.#listener.onGap('received', { chunk, atNs, gapNs, stalled, usual: { medianNs: usualNs, thresholdNs } });
  }

  /** What the record keeps of pauses and what the meter goes by stay the same, so a replay decides alike. */
  #forgetPauses(): void {
    const row = this.#lastRow;
    // Until the first token only the latest can have spoiled its stamp.
    if (row === undefined) this.#pauses.forget();
    else this.#pauses.forget(this.#chunks.receivedAtNs(row) - this.#chunks.errorBoundNs(row));
  }

  #settleFlushed(lastRow: number, row: number): void {
    const startAtNs = this.#chunks.flushedAtNs(lastRow);
    const endAtNs = this.#chunks.flushedAtNs(row);
    if (startAtNs === null || endAtNs === null || endAtNs < startAtNs) return;
    if (this.#blocked.overlaps(startAtNs, endAtNs)) return;
    this.#listener.onGap('flushed', { chunk: row, atNs: endAtNs, gapNs: endAtNs - startAtNs, stalled: false });
  }
}

export function createGapMeter(options: GapMeterOptions): GapMeter {
  return new GapMeter(options);
}
