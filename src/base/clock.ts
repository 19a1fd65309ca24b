// The one place that reads a clock. Everything else takes moments as arguments.
// Moments are integers in nanoseconds since a base that all threads of the process share, so
// that stamps taken on a relay thread and on the main thread can be subtracted.
import { performance } from 'node:perf_hooks';

const NS_PER_SECOND = 1e9;
const NS_PER_MS = 1e6;

/** Whole seconds of the monotonic clock that count as moment zero; every thread must use the same. */
let baseSeconds = process.hrtime()[0];

/** Makes this thread's moments comparable with those of the thread that handed `seconds` over. */
export function shareClockBase(seconds: number): void {
  baseSeconds = seconds;
}

/** The base to hand to a worker, see {@link shareClockBase}. */
export function clockBase(): number {
  return baseSeconds;
}

/** Now, in ns since the shared base, from the monotonic clock. Costs about 50 ns. */
export function nowNs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return (seconds - baseSeconds) * NS_PER_SECOND + nanoseconds;
}

/** The same in ms, with a fraction: for limits and pauses of our own, which no step of the wall clock may move. */
export function nowMs(): number {
  return nowNs() / NS_PER_MS;
}

/** Wall time in ms since 1970. Only for anchors of spans and for people; never for a difference. */
export function epochMs(): number {
  return Date.now();
}

/** Wall time less monotonic time, in ms: it moves when the wall clock is stepped, or slewed. */
export function wallOffsetMs(): number {
  return Date.now() - nowNs() / NS_PER_MS;
}

/**
 * One moment on both clocks. `epochMs` has a fraction; a double holds it to about 0.25 µs.
 * Spans get wall time only through such an anchor.
 */
export interface ClockAnchor {
  readonly atNs: number;
  readonly epochMs: number;
}

/** An anchor as the process sees it now; wall time at its start plus monotonic time since then. */
export function anchorNow(): ClockAnchor {
  const before = nowNs();
  const elapsedMs = performance.now();
  const after = nowNs();
  return { atNs: Math.round((before + after) / 2), epochMs: performance.timeOrigin + elapsedMs };
}

/** Wall time (ms since 1970, with fraction) of a monotonic moment, by an anchor. */
export function epochMsOf(anchor: ClockAnchor, atNs: number): number {
  return anchor.epochMs + (atNs - anchor.atNs) / NS_PER_MS;
}

/** Total time this thread's loop has waited for events, in ns. Costs about 35 ns. */
export function loopIdleNs(): number {
  return performance.nodeTiming.idleTime * NS_PER_MS;
}

/** How many turns this thread's loop has made. Costs about 70 ns: call it only to settle a doubt. */
export function loopTurnCount(): number {
  return performance.nodeTiming.uvMetricsInfo.loopCount;
}

/** CPU time that this thread has had, in ns, to the µs; undefined where Node does not tell. Costs about 600 ns. */
export function threadCpuNs(): number | undefined {
  // Node before 23.9 has no such function.
  const usage = (process as { threadCpuUsage?: () => NodeJS.CpuUsage }).threadCpuUsage?.();
  return usage === undefined ? undefined : (usage.user + usage.system) * 1e3;
}
