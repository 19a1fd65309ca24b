// Runs a function at a moment of the monotonic clock: never before it and as soon after it as the
// loop allows. Schedules are kept as absolute moments, so lateness of one does not shift the next.
import { nowNs } from '../base/clock.ts';

const NS_PER_MS = 1e6;

/** Longest sleep Node's timers take; longer waits are made of several. */
const SLEEP_MAX_MS = 2 ** 31 - 1;

/**
 * Calls `run` once the clock has reached `atNs`; returns how to call it off.
 *
 * Node's timers count whole milliseconds and may fire up to one early or late. The last part of a
 * millisecond is therefore spent turning the loop, which goes on serving sockets meanwhile.
 */
export function atMoment(atNs: number, run: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  const look = (): void => {
    const remainingNs = atNs - nowNs();
    if (remainingNs <= 0) run();
    else if (remainingNs < NS_PER_MS) immediate = setImmediate(look);
    else timer = setTimeout(look, Math.min(SLEEP_MAX_MS, Math.floor(remainingNs / NS_PER_MS)));
  };
  // Always in a later turn: a caller that sets several moments sees all of them set before any runs.
  immediate = setImmediate(look);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}
