// The shape of all figures read from one record. Lengths in integer ns. Absent means unknown or
// not applicable, never 0.
import type { NoFirstTokenReason } from '../base/outcome.ts';
import type { StreamTokenSteps } from './token-steps.ts';

/** The gaps of one exchange at one point. Percentiles by nearest rank over the untainted gaps. */
export interface GapFigures {
  /** Untainted gaps. */
  readonly count: number;
  readonly sumNs: number;
  readonly maxNs?: number;
  readonly minNs?: number;
  readonly p50Ns?: number;
  /** Absent below 20 gaps. */
  readonly p95Ns?: number;
  /** Absent below 100 gaps. */
  readonly p99Ns?: number;
}

export const TAINT_CAUSES = ['gc', 'loop', 'cpu', 'clock', 'backpressure'] as const;
export type TaintCause = (typeof TAINT_CAUSES)[number];

export interface Stall {
  /** Row in the chunk log at which the gap ends. */
  readonly chunk: number;
  /** Moment at which the gap ends, ns since the exchange opened. */
  readonly atNs: number;
  readonly gapNs: number;
}

/** TTFT split without remainder (design §4): the parts sum to `ttftNs` exactly. */
export interface Split {
  readonly basis: 'exact' | 'model' | 'none';
  readonly queueNs?: number;
  readonly prefillNs?: number;
  /** upload + connect + wire + client */
  readonly networkNs: number;
  readonly network: {
    readonly uploadNs: number;
    readonly connectNs: number;
    readonly wireNs?: number;
    readonly clientNs: number;
  };
  /** forward + hold + wait */
  readonly rubatoNs: number;
  readonly rubato: { readonly forwardNs: number; readonly holdNs: number; readonly waitNs?: number };
  /** Rest of the engine's window when queue and prefill are both known. */
  readonly otherNs?: number;
  /** Rest of the engine's window when one or both are unknown. */
  readonly engineNs?: number;
  readonly rounded: boolean;
  readonly contradicted: boolean;
}

export interface Figures {
  /** Request head received → chunk with the first token accepted by the kernel for the client. */
  readonly ttftNs?: number;
  /** Request head received → chunk with the first non-reasoning fragment accepted by the kernel. */
  readonly ttfoNs?: number;
  /** First token → first visible token, both accepted by the kernel; absent when the first token is visible. */
  readonly thinkingNs?: number;
  /** TTFT per 1,000 prompt tokens that no cache held. */
  readonly ttftPer1kNs?: number;
  /** Output tokens by event and by read; absent unless the engine states a running count throughout. */
  readonly tokenSteps?: StreamTokenSteps;
  /** Request head received → response head received. */
  readonly headNs?: number;
  /** Request head received → read that completed the first event of any kind. */
  readonly firstEventNs?: number;
  /** Request head received → read with the last generated fragment. */
  readonly lastTokenNs?: number;
  readonly noFirstToken?: NoFirstTokenReason;
  readonly split?: Split;
  readonly gapsReceived: GapFigures;
  readonly gapsFlushed: GapFigures;
  readonly taintedCounts: Readonly<Record<TaintCause, number>>;
  readonly stallCount: number;
  /** The worst stalls in order of time, at most 16. */
  readonly stalls: readonly Stall[];
  /** Generated events beyond the first of their read. */
  readonly coalescedCount: number;
  readonly tpotNs?: number;
  /** Read's first stamp → kernel accepted, largest over the chunks. */
  readonly holdMaxNs?: number;
  readonly holdP50Ns?: number;
  /** Time in which our socket to the client was blocked. */
  readonly backpressureNs: number;
  readonly outputTokensPerSecond?: number;
  /** Upper bound of how late any stamp is that these figures rest on; absent when none is known. */
  readonly stampErrorMaxNs?: number;
  /** Request head received → the end on the client's side. */
  readonly durationNs: number;
}
