// What a running diagnosis of one engine rests on: the last minutes of a route in slices, what was usual before, and
// what the engine says of itself. Plain data. Lengths in ns; what is not known is absent, never 0.
import type { LogCounts } from './log-counts.ts';

/** A short time of the window, by what happened in it. */
export interface DiagnosisSlice {
  /** Exchanges that opened in it, as far as known by their first token or their end. */
  readonly arrivalCount: number;
  /** Exchanges that ended in it. */
  readonly endCount: number;
  /** Prompt tokens of those that opened in it, where they are known. */
  readonly promptTokens: number;
  /** Gaps as received. */
  readonly gaps: LogCounts;
  /** Sum of these gaps. Divided by the length of the slice it is how many streams were decoding (Little's law). */
  readonly gapSumNs: number;
  /** Most requests at once that the engine had and had given no token. */
  readonly backlogMaxCount: number;
  /** Most that the engine said to be waiting, to be running, and of its KV cache to be used. */
  readonly waitingMaxCount?: number;
  readonly runningMaxCount?: number;
  readonly kvUsedMaxRatio?: number;
}

/** Figures of a longer time, to compare with. */
export interface DiagnosisPeriod {
  readonly ttft: LogCounts;
  /** One value an exchange. */
  readonly tpot: LogCounts;
  readonly gaps: LogCounts;
}

export interface DiagnosisFacts {
  readonly route: string;
  readonly sliceNs: number;
  /** In order of time; the last one may be incomplete. */
  readonly slices: readonly DiagnosisSlice[];
  readonly now: DiagnosisPeriod;
  /** The time before the window; absent until there is enough of it. */
  readonly before?: DiagnosisPeriod;
  /** Gaps of the window as handed to clients. */
  readonly gapsFlushed: LogCounts;
  /** Queue of exchanges whose TTFT was split with evidence, one value each. */
  readonly queue: LogCounts;
  /** Times that the engine threw a request out of its batch within the window. */
  readonly preemptedCount?: number;
  /** Exchanges of the window seen on both sides of a hop, and those of them that it held. */
  readonly hopJudgedCount: number;
  readonly hopHeldCount: number;
  /** Step time that the hardware allows at the present batch and context. */
  readonly floorNs?: number;
}
