// Reads the tapes at the main thread's own pace: often while something comes, seldom while nothing
// does. The relay never wakes it.
import { nowNs } from '../base/clock.ts';
import type { TapeHandler } from '../tape/entries.ts';
import type { TapeReader } from '../tape/reader.ts';

/**
 * Often enough for whoever looks at a figure, and for the tape, which holds some hundred such whiles of a busy relay.
 * Each look costs a wake-up and a cold cache: with 5 ms it was 4 µs of main's CPU more for each of 5,000 chunks a
 * second.
 */
const BUSY_MS = 20;
const IDLE_MS = 50;
/** Between two looks at the other work of the loop, whichever comes first: a clock that does not run is no excuse. */
const TURN_MAX_NS = 1e6;
const TURN_MAX_COUNT = 1_000;
/** Entries between two looks at the clock: a chunk takes some 10 µs. The end of a stream takes up to 1 ms. */
const UNLOOKED_COUNT = 8;
/** Entries of one tape before the next tape has its turn. */
const BATCH_COUNT = 40;

export class TapeDrain {
  readonly #sources = new Map<TapeReader, TapeHandler>();
  readonly #onFault: (fault: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #stopped = false;

  constructor(onFault: (fault: unknown) => void) {
    this.#onFault = onFault;
  }

  add(reader: TapeReader, handler: TapeHandler): void {
    this.#sources.set(reader, handler);
    if (this.#timer === undefined && this.#immediate === undefined) this.#schedule(false);
  }

  /** Reads what is left of a tape whose writer is gone, and forgets it. */
  finish(reader: TapeReader): void {
    const handler = this.#sources.get(reader);
    if (handler === undefined) return;
    while (this.#read(reader, handler, Number.POSITIVE_INFINITY) > 0);
    this.#sources.delete(reader);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
  }

  readonly #turn = (): void => {
    const untilNs = nowNs() + TURN_MAX_NS;
    let count = 0;
    let full: boolean;
    do {
      full = false;
      for (const [reader, handler] of this.#sources) {
        const read = this.#read(reader, handler, untilNs);
        count += read;
        full ||= read >= BATCH_COUNT;
      }
    } while (full && count < TURN_MAX_COUNT && nowNs() < untilNs);
    // Out of time means that there may be more.
    if (full || nowNs() >= untilNs) {
      this.#timer = undefined;
      this.#immediate = setImmediate(this.#turn);
    } else this.#schedule(count > 0);
  };

  #read(reader: TapeReader, handler: TapeHandler, untilNs: number): number {
    let count = 0;
    try {
      while (count < BATCH_COUNT && nowNs() < untilNs) {
        const read = reader.drain(handler, UNLOOKED_COUNT, true);
        if (read === 0) break;
        count += read;
      }
    } catch (fault) {
      // The entry that caused it is behind us; the next turn goes on.
      this.#onFault(fault);
      count += 1;
    }
    return count;
  }

  #schedule(busy: boolean): void {
    if (this.#stopped) return;
    this.#immediate = undefined;
    this.#timer = setTimeout(this.#turn, busy ? BUSY_MS : IDLE_MS);
  }
}
