// One timer for all waits of a bench: thousands of timers of their own would be a load of their own.
import { nowNs } from '../../../src/base/clock.ts';

/** What is due within a millisecond leaves together, as the writes of an engine's step do. */
const TICK_MS = 1;

export class Pace {
  readonly #waits: { readonly atNs: number; readonly resolve: () => void }[] = [];
  readonly #timer = setInterval(() => this.#tick(), TICK_MS);

  at(atNs: number): Promise<void> {
    return new Promise((resolve) => this.#waits.push({ atNs, resolve }));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const now = nowNs();
    let kept = 0;
    for (const wait of this.#waits) {
      if (wait.atNs <= now) wait.resolve();
      else {
        this.#waits[kept] = wait;
        kept += 1;
      }
    }
    this.#waits.length = kept;
  }
}
