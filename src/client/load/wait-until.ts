// Waits for a moment of the monotonic clock, or for a signal: never before it, and as soon after it as the loop
// allows. Tells the stamps' bound that the loop only turned meanwhile.
import { nowNs } from '../../base/clock.ts';
import type { TurnBound } from './turn-bound.ts';

const NS_PER_MS = 1e6;
/** Longest sleep Node's timers take; longer waits are made of several. */
const SLEEP_MAX_MS = 2 ** 31 - 1;

export function waitUntil(atNs: number, bound: TurnBound, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const look = (): void => {
      const remainingNs = atNs - nowNs();
      if (remainingNs <= 0 || signal.aborted) {
        signal.removeEventListener('abort', onAbort);
        resolve();
      } else if (remainingNs < NS_PER_MS) {
        // Timers count whole milliseconds; the rest is spent turning the loop, which serves sockets meanwhile.
        bound.turned();
        setImmediate(look);
      } else timer = setTimeout(look, Math.min(SLEEP_MAX_MS, Math.floor(remainingNs / NS_PER_MS)));
    };
    const onAbort = (): void => {
      if (timer === undefined) return;
      clearTimeout(timer);
      look();
    };
    signal.addEventListener('abort', onAbort);
    look();
  });
}
