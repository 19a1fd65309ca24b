// The wall time at which exchanges open. The process's own anchor is finer than the relay's stamp, but it is stale
// once the wall clock was stepped.
import { anchorNow, epochMsOf, type ClockAnchor } from '../base/clock.ts';
import type { OpenEntry } from '../tape/entries.ts';

/** A wall clock that has moved further than this against the monotonic one was stepped. */
const CLOCK_STEP_MS = 2;

export class OpeningTime {
  #anchor: ClockAnchor = anchorNow();

  epochMsOf({ openedAtNs, epochMs }: Pick<OpenEntry, 'openedAtNs' | 'epochMs'>): number {
    const anchored = epochMsOf(this.#anchor, openedAtNs);
    if (Math.abs(anchored - epochMs) <= CLOCK_STEP_MS) return anchored;
    this.#anchor = { atNs: openedAtNs, epochMs };
    return epochMs;
  }
}
