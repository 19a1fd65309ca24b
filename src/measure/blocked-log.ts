// The intervals in which our socket to one client was blocked: it took no more bytes, so we stopped
// reading from the engine. Known live as "from" at once and "to" later; kept in the shape of a record.
import { BLOCKED_MAX_COUNT } from '../base/limits.ts';

export class BlockedLog {
  /** From, to, from, to … An odd length means that the last interval is still open. */
  readonly edgesNs: number[] = [];

  /** More intervals came than a record keeps; the last one kept stays open, see {@link unblock}. */
  full = false;

  get open(): boolean {
    return this.edgesNs.length % 2 === 1;
  }

  /** A second "from" without a "to" is an echo: the interval is open already. */
  block(fromNs: number): void {
    if (!this.open) this.edgesNs.push(fromNs);
  }

  /**
   * Closes the open interval. The last interval that fits is never closed: from then on we do not know
   * when the socket was blocked, and blaming the engine for a client's slowness would be the worse error.
   */
  unblock(toNs: number): void {
    if (!this.open) return;
    if (this.edgesNs.length < 2 * BLOCKED_MAX_COUNT - 1) this.edgesNs.push(toNs);
    else this.full = true;
  }

  /** Whether blocked time falls between two moments. An open interval has no end. */
  overlaps(startAtNs: number, endAtNs: number): boolean {
    const { edgesNs } = this;
    // From the latest backwards: those asked for are nearly always at the end.
    const lastFrom = this.open ? edgesNs.length - 1 : edgesNs.length - 2;
    for (let index = lastFrom; index >= 0; index -= 2) {
      const fromNs = edgesNs[index] as number;
      const toNs = edgesNs[index + 1] ?? Number.POSITIVE_INFINITY;
      if (toNs <= startAtNs) return false;
      if (Math.max(fromNs, startAtNs) < Math.min(toNs, endAtNs)) return true;
    }
    return false;
  }
}
