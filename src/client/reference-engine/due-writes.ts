// Writes that are due at moments: each at its own, none before the one that was asked for earlier. Knows
// nothing of what is written.
import { nowNs } from '../../base/clock.ts';
import { atMoment } from '../at-moment.ts';

export class DueWrites {
  readonly #waiting: { readonly atNs: number; readonly write: () => void }[] = [];
  #cancel: (() => void) | undefined;

  /** Writes at once where the moment has come and nothing waits before it. */
  add(atNs: number, write: () => void): void {
    if (this.#waiting.length === 0 && atNs <= nowNs()) return write();
    this.#waiting.push({ atNs, write });
    if (this.#waiting.length === 1) this.#wait();
  }

  /** Forgets all that is not written. */
  close(): void {
    this.#cancel?.();
    this.#waiting.length = 0;
  }

  #wait(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#cancel = atMoment(next.atNs, () => {
      this.#waiting.shift();
      next.write();
      this.#wait();
    });
  }
}
