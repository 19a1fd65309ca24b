// Reads the tapes at the main thread's own pace: often while something comes, seldom while nothing
// does. The relay never wakes it.
import type { TapeHandler } from '../tape/entries.ts';
import type { TapeReader } from '../tape/reader.ts';

const BUSY_MS = 5;
const IDLE_MS = 50;
/** Entries between two looks at the other work of the loop: a few ms of it. */
const BATCH_COUNT = 1_000;

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
    while (this.#read(reader, handler) > 0);
    this.#sources.delete(reader);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
  }

  readonly #turn = (): void => {
    let count = 0;
    let full = false;
    for (const [reader, handler] of this.#sources) {
      const read = this.#read(reader, handler);
      count += read;
      full ||= read >= BATCH_COUNT;
    }
    if (full) {
      this.#timer = undefined;
      this.#immediate = setImmediate(this.#turn);
    } else this.#schedule(count > 0);
  };

  #read(reader: TapeReader, handler: TapeHandler): number {
    try {
      return reader.drain(handler, BATCH_COUNT);
    } catch (fault) {
      // The entry that caused it is behind us; the next turn goes on.
      this.#onFault(fault);
      return 1;
    }
  }

  #schedule(busy: boolean): void {
    if (this.#stopped) return;
    this.#immediate = undefined;
    this.#timer = setTimeout(this.#turn, busy ? BUSY_MS : IDLE_MS);
  }
}
