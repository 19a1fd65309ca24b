// One more relay than are needed: booted and rehearsed, so that it listens a few ms after it is asked to.
// It holds no tape, no settings and no socket until then.
import type { RelayLife } from './relay-life.ts';

/** It boots when those who listen have begun their work, and takes no time from their first requests. */
const BOOT_AFTER_MS = 1_000;

export class SpareRelay {
  readonly #boot: () => RelayLife;
  #onFirst: (() => void) | undefined;
  #life: RelayLife | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** `onFirst`: the first one has begun to boot. */
  constructor(boot: () => RelayLife, onFirst?: () => void) {
    this.#boot = boot;
    this.#onFirst = onFirst;
  }

  /** The spare, if there is one now. */
  take(): RelayLife | undefined {
    const life = this.#life;
    this.#life = undefined;
    return life;
  }

  /** Sees to it that there is one before long. */
  keep(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#closed || this.#life !== undefined) return;
      const life = this.#boot();
      this.#life = life;
      void life.ended.then(() => this.#onEnded(life));
      this.#onFirst?.();
      this.#onFirst = undefined;
    }, BOOT_AFTER_MS);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.take()?.end();
  }

  #onEnded(life: RelayLife): void {
    if (this.#life !== life) return;
    this.#life = undefined;
    if (!this.#closed) this.keep();
  }
}
