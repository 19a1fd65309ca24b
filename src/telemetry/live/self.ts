// What rubato costs and whether it is well, as the live feed tells it: cumulative counts become rates, and what grew
// within the last minute becomes a sentence. Knows nothing of where the counts are kept.
import { LIVE_SELF_LOOKS_COUNT } from '../../base/live-limits.ts';
import { defined } from '../../measure/defined.ts';
import type { ExportCounts } from '../export-metrics.ts';
import type { LiveSelf } from './frame.ts';

/** Counts and CPU time are since the start. */
export interface SelfCounts {
  readonly atNs: number;
  /** Longest turn of each loop lately; relays and `main`. */
  readonly lags: readonly { readonly thread: string; readonly lagNs: number }[];
  readonly cpuNs: number;
  readonly rssBytes: number;
  readonly relayCount: number;
  readonly chunkCount: number;
  readonly tapeDropped: Readonly<Record<string, number>>;
  readonly taintedGaps: Readonly<Record<string, number>>;
  readonly shed: Readonly<Record<string, number>>;
  readonly exports: readonly ExportCounts[];
  readonly readerDetachedCount: number;
  /** Undefined without a CPU quota. */
  readonly cpuThrottledNs: number | undefined;
}

const NS_PER_MS = 1e6;
const NS_PER_SECOND = 1e9;
/** A relay that was busy for so long has kept chunks waiting that long. */
const RELAY_LAG_MS = 50;
/** Main's work comes later by so much; no stream does. */
const MAIN_LAG_MS = 500;

export class SelfView {
  /** One every ten seconds, oldest first. */
  readonly #looks: SelfCounts[] = [];
  #before: SelfCounts;

  constructor(start: SelfCounts) {
    this.#before = start;
    this.#looks.push(start);
  }

  /** To be called every ten seconds. */
  look(now: SelfCounts): void {
    this.#looks.push(now);
    if (this.#looks.length > LIVE_SELF_LOOKS_COUNT) this.#looks.shift();
  }

  /** To be called once a state. */
  read(now: SelfCounts, watcherCount: number): LiveSelf {
    const before = this.#before;
    this.#before = now;
    const passedNs = Math.max(now.atNs - before.atNs, 1);
    return {
      ...defined({ relayLagMs: longestMs(now, (thread) => thread !== 'main') }),
      ...defined({ mainLagMs: longestMs(now, (thread) => thread === 'main') }),
      cpuRatio: (now.cpuNs - before.cpuNs) / passedNs,
      rssBytes: now.rssBytes,
      relayCount: now.relayCount,
      watcherCount,
      chunkCount: now.chunkCount,
      chunksPerSecond: ((now.chunkCount - before.chunkCount) * NS_PER_SECOND) / passedNs,
      tapeDropped: now.tapeDropped,
      taintedGaps: now.taintedGaps,
      shed: now.shed,
      exports: now.exports.map(({ signal, droppedCount, rest }) => ({
        signal,
        ...defined({ exportedCount: rest?.exportedCount }),
        droppedCount,
      })),
      readerDetachedCount: now.readerDetachedCount,
      warnings: warningsOf(now, this.#looks[0] ?? before),
    };
  }
}

function longestMs({ lags }: SelfCounts, which: (thread: string) => boolean): number | undefined {
  const those = lags.filter(({ thread }) => which(thread)).map(({ lagNs }) => lagNs);
  return those.length === 0 ? undefined : Math.max(...those) / NS_PER_MS;
}

function warningsOf(now: SelfCounts, minuteAgo: SelfCounts): string[] {
  const relayLagMs = longestMs(now, (thread) => thread !== 'main') ?? 0;
  const mainLagMs = longestMs(now, (thread) => thread === 'main') ?? 0;
  const throttledMs = ((now.cpuThrottledNs ?? 0) - (minuteAgo.cpuThrottledNs ?? 0)) / NS_PER_MS;
  const lostCount = sum(now.tapeDropped) - sum(minuteAgo.tapeDropped);
  const refusedCount = sum(now.shed) - sum(minuteAgo.shed);
  const told = [
    throttledMs > 0 &&
      `The CPU quota of the container held this process back for ${whole(throttledMs)} ms in the last minute. Give it more CPU, or no limit.`,
    relayLagMs >= RELAY_LAG_MS &&
      `A relay's loop was busy for ${whole(relayLagMs)} ms at a stretch, and chunks waited for it. Is the CPU taken by others?`,
    mainLagMs >= MAIN_LAG_MS &&
      `The main thread was busy for ${whole(mainLagMs)} ms at a stretch. Figures come later for it, streams do not.`,
    lostCount > 0 &&
      `The main thread did not keep up: detail of ${things(lostCount, 'entry', 'entries')} was lost in the last minute. No stream was touched.`,
    refusedCount > 0 &&
      `${things(refusedCount, 'request or connection was', 'requests or connections were')} refused for want of room in the last minute.`,
    ...now.exports.map(({ signal, droppedCount }) => {
      const count = droppedCount - (minuteAgo.exports.find((each) => each.signal === signal)?.droppedCount ?? 0);
      return count > 0 && `Of ${signal}, ${count} did not reach their destination in the last minute.`;
    }),
    now.readerDetachedCount > 0 &&
      `${things(now.readerDetachedCount, 'time', 'times')} since the start, the reader of a body or a sink failed; the log says why.`,
  ];
  return told.filter((sentence) => sentence !== false);
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}

function whole(lengthMs: number): string {
  return String(Math.max(1, Math.round(lengthMs)));
}

function things(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`;
}
