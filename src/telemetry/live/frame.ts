// What `/api/live` says, event by event: the contract between the sidecar and whoever watches it (the page in a
// browser, `rubato top`). Types only, so that both sides share one file and neither brings the other along.
// Everything in an event can be applied twice without harm: bins are set and not added to, rows have ids.
import type { Diagnosis } from '../../judge/diagnosis/finding.ts';
import type { GapShape } from '../../judge/diagnosis/gap-shape.ts';
import type { EngineState } from '../../judge/engine-state.ts';
import type { FloorState } from '../../judge/floor/live.ts';
import type { HopState } from '../../judge/hop/state.ts';
import type { JobFigures, JobReport } from '../../judge/job/judge-job.ts';
import type { OpenExchange } from '../../judge/report.ts';
import type { StallCause } from '../../record/stall-context.ts';
import type { RecentRow } from '../admin-rows.ts';
import type { ClassSummary } from '../summary.ts';

/** Event `hello`: the first of each connection, and again after beats had to be left out for a slow reader. */
export interface LiveHello {
  readonly about: LiveAbout;
  readonly state: LiveState;
  /** With all that is remembered: ten minutes of columns, strips of their whole length, recent exchanges. */
  readonly beat: LiveBeat;
}

/** What does not change while the process runs, or only by a reload of its configuration. */
export interface LiveAbout {
  /** Names this process: after a restart it is another one, and what was known before is void. */
  readonly process: string;
  readonly version: string;
  readonly startedAtEpochMs: number;
  /** Between two events `beat`, and between two events `state`. */
  readonly beatMs: number;
  readonly stateMs: number;
  /** Time that one character of a strip stands for, and that a whole strip covers. */
  readonly binMs: number;
  readonly stripMs: number;
  /** Time that one column of the heatmap stands for, and how many are remembered. */
  readonly columnMs: number;
  readonly columnsMaxCount: number;
  /** Upper bounds of the heatmap's rows, ascending; one row more lies above the last. */
  readonly gapEdgesNs: readonly number[];
  /** Smallest gap that can be a stall, by class. */
  readonly stallMs: Readonly<Record<string, number>>;
  /** Where clients connect; the host may be a wildcard. */
  readonly listen?: { readonly host: string; readonly port: number; readonly isTls: boolean };
  readonly upstreams: readonly { readonly route: string; readonly origin: string }[];
  /** Where a trace is looked at, with `{traceId}` in it; absent unless configured. */
  readonly traceUrl?: string;
  /** Grafana; absent unless configured. */
  readonly dashboardUrl?: string;
}

/** Event `beat`: what happened since the one before. */
export interface LiveBeat {
  /** Counts up by one; a reader that misses one asks anew by connecting again. */
  readonly seq: number;
  readonly atEpochMs: number;
  /** Columns that were completed, the oldest first. */
  readonly columns: readonly GapColumn[];
  /** All open exchanges; `open` lists as many of them as a beat may carry, those that are silent longest first. */
  readonly openCount: number;
  readonly open: readonly LiveOpen[];
  /** Exchanges that ended, the latest last. */
  readonly ended: readonly LiveEnded[];
}

/** Gaps as received, not tainted, of all models, that ended within one column's time. */
export interface GapColumn {
  readonly atEpochMs: number;
  /** By class; a class without gaps is absent. As many counts as edges, and one more. */
  readonly counts: Readonly<Record<string, readonly number[]>>;
}

export interface LiveOpen extends OpenExchange {
  /** As the figure of an ended one; absent before the first token reached the client. */
  readonly ttftMs?: number;
  /** Longest gap so far, tainted or not; absent before the second read with generated fragments. */
  readonly gapMaxMs?: number;
  readonly stallCount: number;
  /**
   * Those that the strip reaches back to, and the latest in any case, oldest first; those whose cause is not told yet
   * have none. `/api/streams/{id}` has more.
   */
  readonly stalls: readonly LiveStall[];
  /** Bins since the last beat; absent where nothing came. */
  readonly strip?: LiveStrip;
}

export interface LiveStall {
  /** When it ended. */
  readonly endedAtEpochMs: number;
  readonly gapMs: number;
  readonly cause?: StallCause;
  readonly confidence?: number;
}

/** Chunks by bin: one character a bin, in base 36, `z` for 35 and more. */
export interface LiveStrip {
  /** Number of the first bin: epoch ms divided by `binMs`, floored. */
  readonly fromBin: number;
  readonly received: string;
  readonly flushed: string;
}

export interface LiveEnded extends RecentRow {
  readonly stalls: readonly LiveStall[];
  /** Bins up to its end that no beat may have told while it was open; absent where nothing came in them. */
  readonly strip?: LiveStrip;
}

/** Event `state`: what moves slowly, whole each time. `classes` is that of `/api/summary`, figure by figure. */
export interface LiveState {
  readonly atEpochMs: number;
  /** What a reload changed; absent while all is as `hello` or a state before said. */
  readonly about?: LiveAbout;
  readonly ready: { readonly ok: boolean; readonly reasons: readonly string[] };
  readonly classes: readonly ClassSummary[];
  readonly histograms: readonly GapHistogram[];
  readonly engines: readonly EngineState[];
  readonly floors: readonly FloorState[];
  readonly diagnoses: readonly Diagnosis[];
  readonly hops: readonly HopState[];
  readonly jobs: { readonly open: readonly JobFigures[]; readonly recent: readonly JobReport[] };
  readonly self: LiveSelf;
}

/** Recent gaps of one class in fine bins, and where they heap up. */
export interface GapHistogram {
  readonly class: string;
  readonly count: number;
  /** In order of length, empty ones left out. */
  readonly bins: readonly { readonly fromNs: number; readonly toNs: number; readonly count: number }[];
  /** Absent where there are too few gaps. */
  readonly shape?: GapShape;
}

/** What rubato costs and whether it is well. Counts are since the start; absent means unknown. */
export interface LiveSelf {
  /** Longest time that a loop was busy at a stretch, within the last three seconds. */
  readonly relayLagMs?: number;
  readonly mainLagMs?: number;
  /** CPU time of the whole process over time, since the state before: 1 is one core. */
  readonly cpuRatio: number;
  readonly rssBytes: number;
  readonly relayCount: number;
  readonly watcherCount: number;
  readonly chunkCount: number;
  /** Since the state before. */
  readonly chunksPerSecond: number;
  /** Tape detail that overload took, by kind (bytes, chunk, mark). */
  readonly tapeDropped: Readonly<Record<string, number>>;
  /** Gaps kept out of the figures, by cause. */
  readonly taintedGaps: Readonly<Record<string, number>>;
  readonly shed: Readonly<Record<string, number>>;
  /** By signal (traces, metrics, records, logs): what left the process and what was lost. */
  readonly exports: readonly {
    readonly signal: string;
    readonly exportedCount?: number;
    readonly droppedCount: number;
  }[];
  readonly readerDetachedCount: number;
  /** Sentences for people; empty when all is well. */
  readonly warnings: readonly string[];
}

/** Event `busy`: the main thread did not answer in time. Streams are not touched by that. */
export interface LiveBusy {
  readonly atEpochMs: number;
}
