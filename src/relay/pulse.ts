// The relay's heartbeat, which main takes for its life and by which lost CPU time is noticed, and its
// garbage collections, which may have spoiled stamps.
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { nowNs } from '../base/clock.ts';
import type { Relay } from './relay.ts';

/** While nothing is open: often enough for a sign of life. */
const HEARTBEAT_MS = 50;
/** While streams run: a loss of CPU is noticed when it is longer than this, and its bound is too large by this. */
const HEARTBEAT_OPEN_MS = 10;
/** Collections shorter than this cannot taint a gap: half of what a stamp may be off at least. */
const PAUSE_MIN_MS = 0.5;

export function keepHeartbeat(relay: Relay): void {
  let dueAtNs = nowNs();
  const turn = (): void => {
    const atNs = nowNs();
    relay.noteLag(Math.max(0, Math.round((atNs - dueAtNs) / 1e3)));
    const periodMs = relay.openCount > 0 ? HEARTBEAT_OPEN_MS : HEARTBEAT_MS;
    dueAtNs = atNs + periodMs * 1e6;
    relay.beat(dueAtNs);
    setTimeout(turn, periodMs);
  };
  turn();
}

export function watchCollections(relay: Relay): void {
  // Entry times count from this thread's own origin.
  const originNs = nowNs() - performance.now() * 1e6;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      if (duration < PAUSE_MIN_MS) continue;
      const startAtNs = Math.round(originNs + startTime * 1e6);
      relay.notePause(startAtNs, startAtNs + Math.round(duration * 1e6));
    }
  }).observe({ entryTypes: ['gc'] });
}
