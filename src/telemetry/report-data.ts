// What a report over record files holds: the contract between `rubato report`, which gathers it, and the page that it
// is shown by. Types only. No text of prompts or answers has a place in it.
import type { HopState } from '../judge/hop/state.ts';
import type { Report } from '../judge/report.ts';
import type { StallCause } from '../record/stall-context.ts';
import type { GapColumn, GapHistogram, LiveAbout } from './live/frame.ts';
import type { ClassSummary } from './summary.ts';

export interface ReportData {
  readonly title: string;
  /** Of the rubato that made the report. */
  readonly version: string;
  readonly madeAtEpochMs: number;
  readonly files: readonly ReportFile[];
  /** First exchange opened → last one ended. */
  readonly fromEpochMs: number;
  readonly toEpochMs: number;
  readonly exchangeCount: number;
  /** Of these, seen before a hop: they are in no class, so that nothing counts twice. */
  readonly edgeCount: number;
  readonly about: Pick<LiveAbout, 'columnMs' | 'columnsMaxCount' | 'gapEdgesNs' | 'stallMs'>;
  readonly columns: readonly GapColumn[];
  readonly histograms: readonly GapHistogram[];
  readonly classes: readonly ClassSummary[];
  readonly causes: readonly CauseRow[];
  readonly hops: readonly HopState[];
  /** The worst first. Chunks of long ones are thinned out. */
  readonly worst: readonly WorstExchange[];
  /** Sentences for people: what was left out, and what figures rest on. */
  readonly notes: readonly string[];
}

export interface ReportFile {
  readonly name: string;
  readonly exchangeCount: number;
  /** Lines that could not be read. */
  readonly unreadableCount: number;
}

/** Stalls of one class by who made them. */
export interface CauseRow {
  readonly class: string;
  readonly cause: StallCause;
  readonly count: number;
  /** Of those whose length was kept. */
  readonly sumNs: number;
  readonly maxNs?: number;
  /** The exchange with the longest. */
  readonly worstId?: string;
}

export interface WorstExchange {
  readonly report: Report;
  /** Chunks were left out, and events with them: the curve is of bytes. */
  readonly isThinned: boolean;
}
