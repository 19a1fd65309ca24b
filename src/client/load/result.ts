// What a run of `rubato load` came to: plain data, without a key, a query or a text of the conversation. Lengths in
// integer ns; absent means unknown, never 0.
import type { Met } from '../../judge/slo/verdict.ts';
import type { ObjectiveKind } from '../../record/objective.ts';
import type { PeerFigures } from './peer-figures.ts';
import type { TallySpread } from './tally.ts';

export const LOAD_SCHEMA = 1;

/** One request with what came of it. */
export interface LoadExchange {
  readonly ordinal: number;
  readonly class: string;
  /** When it was due and when it was given to the socket, ns since the run began. */
  readonly dueAtNs: number;
  readonly sentAtNs: number;
  /** Due → sent: it waited for room, or this generator was late. */
  readonly waitNs: number;
  /** There was room → sent: this generator's own lateness, and part of the wait. */
  readonly lateNs: number;
  /** Wall time at which it was sent. */
  readonly sentEpochMs: number;
  readonly outcome: string;
  readonly status?: number;
  readonly error?: string;
  /** From sent. */
  readonly ttftNs?: number;
  readonly ttfoNs?: number;
  readonly headNs?: number;
  readonly lastTextNs?: number;
  readonly tpotNs?: number;
  readonly durationNs: number;
  /** Gaps between reads with generated text whose ends can be trusted, in order of time. */
  readonly gapsNs: readonly number[];
  readonly gapMaxNs?: number;
  readonly gapP99Ns?: number;
  readonly taintedCount: number;
  readonly stallCount: number;
  /** Events of any kind. */
  readonly eventCount: number;
  /** Events with generated text. */
  readonly textEventCount: number;
  readonly plannedPromptTokens: number;
  readonly plannedOutputTokens: number;
  /** As the engine stated them. */
  readonly promptTokens?: number;
  readonly outputTokens?: number;
  /** Whether it kept every objective, from due; absent where there is none. */
  readonly good?: Met;
  readonly missed: readonly string[];
  readonly traceId?: string;
  readonly requestId?: string;
}

/** Lengths by both clocks. In a closed loop nothing is due before it is sent, and they are alike. */
export interface BothClocks {
  readonly fromDue: TallySpread;
  readonly fromSent: TallySpread;
}

export interface ClassFigures {
  readonly class: string;
  readonly sentCount: number;
  readonly okCount: number;
  readonly outcomeCounts: Readonly<Record<string, number>>;
  /** Of those that had their first token. */
  readonly ttft: BothClocks;
  /** Of all, from due: what failed before its first token, or was never sent, never had one. */
  readonly ttftOfAll: TallySpread;
  readonly ttfo: BothClocks;
  readonly duration: BothClocks;
  /** Of all, from due: what failed never ended well. */
  readonly durationOfAll: TallySpread;
  /** Every gap of the class together. */
  readonly gaps: TallySpread;
  /** The worst gap of each exchange. */
  readonly gapMax: TallySpread;
  /** The p99 of each exchange that has a hundred gaps. */
  readonly gapP99: TallySpread;
  readonly tpot: TallySpread;
  /** Due → sent. */
  readonly wait: TallySpread;
  readonly stallCount: number;
  readonly taintedCount: number;
  readonly textEventCount: number;
  readonly outputTokenCount: number;
  /** Exchanges whose engine stated no output tokens, which are missing in rates of tokens. */
  readonly unstatedCount: number;
  /** Beginning of the first of them → end of the last. */
  readonly spanNs: number;
  readonly requestsPerSecond?: number;
  readonly outputTokensPerSecond?: number;
  readonly goodCount?: number;
  readonly goodTokenCount?: number;
  readonly goodPerSecond?: number;
  readonly goodTokensPerSecond?: number;
}

/** An objective over the whole run. `unknown`: too few requests, or too much of it cannot be judged. */
export interface LoadVerdict {
  readonly class: string;
  readonly objective: string;
  readonly kind: ObjectiveKind;
  readonly limitNs?: number;
  readonly target: number;
  readonly met: Met;
  /** Exchanges, or gaps of a pooled percentile. */
  readonly of: 'exchanges' | 'gaps';
  readonly keptCount: number;
  readonly missedCount: number;
  readonly unknownCount: number;
}

export interface GeneratorFigures {
  /** There was room → sent. */
  readonly late: TallySpread;
  readonly warnings: readonly string[];
}

export interface LoadResult {
  readonly schema: typeof LOAD_SCHEMA;
  /** Without user, password and query. */
  readonly url: string;
  readonly api: string;
  readonly model: string;
  readonly schedule: string;
  readonly seed: number;
  readonly startedAtEpochMs: number;
  readonly warmupMs: number;
  /** Beginning of what is counted → last end. */
  readonly measuredNs: number;
  /** Sent in the warm-up, and not counted. */
  readonly warmupCount: number;
  /** Due within the run, and not sent before it was over: each counts as what never came. */
  readonly unsentCount: number;
  /** Still open when the run was stopped by hand: in no figure. */
  readonly openCount: number;
  /** Sent again because a kept connection had been closed meanwhile. */
  readonly resentCount: number;
  readonly mostOpenCount: number;
  readonly stopped: boolean;
  readonly classes: readonly ClassFigures[];
  /** All classes together; absent where there is but one. */
  readonly all?: ClassFigures;
  readonly verdicts: readonly LoadVerdict[];
  readonly generator: GeneratorFigures;
  /** What a rubato before the engine saw of the same requests. */
  readonly peer?: PeerFigures;
}
