// The relay's heartbeat, which main takes for its life, and its garbage collections, which may have
// spoiled stamps.
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { nowNs } from '../base/clock.ts';
import type { Relay } from './relay.ts';

const HEARTBEAT_MS = 50;
/** Collections shorter than this cannot taint a gap: half of what a stamp may be off at least. */
const PAUSE_MIN_MS = 0.5;

export function keepHeartbeat(relay: Relay): void {
  let dueAtNs = nowNs() + HEARTBEAT_MS * 1e6;
  setInterval(() => {
    const atNs = nowNs();
    relay.noteLag(Math.max(0, Math.round((atNs - dueAtNs) / 1e3)));
    dueAtNs = atNs + HEARTBEAT_MS * 1e6;
    relay.beat();
  }, HEARTBEAT_MS);
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
