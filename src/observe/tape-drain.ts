// Reads the tapes at the main thread's own pace: soon while something comes, seldom while nothing does, and seldom as
// well while so much comes that each look costs more than what it finds. The relay never wakes it.
import { nowNs } from '../base/clock.ts';
import type { TapeHandler } from '../tape/entries.ts';
import type { TapeReader } from '../tape/reader.ts';

/** Soon enough for whoever looks at a figure. */
const BUSY_MS = 20;
const IDLE_MS = 50;
/**
 * Of a crowd. Each look wakes a thread up whose caches others have filled meanwhile: what is read in many short looks
 * costs up to three times as much CPU as what is read in one (`npm run bench -- main-cost --look-ms 20,100`).
 */
const CROWD_MS = 100;
/** Entries a second, of all tapes, that are a crowd; a chunk makes two. */
const CROWD_MIN_PER_S = 4_000;
/** A tape found fuller than this is looked at soon: in such a while it may get four times as full and lose nothing. */
const CROWD_FILL_MAX_RATIO = 1 / 8;
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
  /** Of the look under way: it ends when all tapes were found empty, maybe some turns of the loop later. */
  #look = { count: 0, fillRatio: 0 };
  #lookEndNs = nowNs();
  /** All that relays had said by this moment has been read. */
  #readUpToNs = nowNs();

  constructor(onFault: (fault: unknown) => void) {
    this.#onFault = onFault;
  }

  /** The moment that is known whole: what is told of open exchanges is told as of then. */
  get readUpToNs(): number {
    return this.#readUpToNs;
  }

  add(reader: TapeReader, handler: TapeHandler): void {
    this.#sources.set(reader, handler);
    if (this.#timer === undefined && this.#immediate === undefined) this.#schedule(IDLE_MS);
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
    if (this.#immediate === undefined) this.#beginLook();
    let count = 0;
    let passNs: number;
    let full: boolean;
    do {
      full = false;
      passNs = nowNs();
      for (const [reader, handler] of this.#sources) {
        const read = this.#read(reader, handler, untilNs);
        count += read;
        full ||= read >= BATCH_COUNT;
      }
    } while (full && count < TURN_MAX_COUNT && nowNs() < untilNs);
    this.#look.count += count;
    // Out of time means that there may be more.
    if (full || nowNs() >= untilNs) {
      this.#timer = undefined;
      this.#immediate = setImmediate(this.#turn);
      return;
    }
    this.#readUpToNs = passNs;
    this.#schedule(this.#pauseMs(passNs));
  };

  #beginLook(): void {
    let fillRatio = 0;
    for (const reader of this.#sources.keys()) fillRatio = Math.max(fillRatio, reader.fillRatio());
    this.#look = { count: 0, fillRatio };
  }

  /** Until the next look, by what the one that ends has found since the one before. */
  #pauseMs(atNs: number): number {
    const { count, fillRatio } = this.#look;
    const seconds = (atNs - this.#lookEndNs) / 1e9;
    this.#lookEndNs = atNs;
    if (count === 0) return IDLE_MS;
    return count >= CROWD_MIN_PER_S * seconds && fillRatio <= CROWD_FILL_MAX_RATIO ? CROWD_MS : BUSY_MS;
  }

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

  #schedule(pauseMs: number): void {
    if (this.#stopped) return;
    this.#immediate = undefined;
    this.#timer = setTimeout(this.#turn, pauseMs);
  }
}
