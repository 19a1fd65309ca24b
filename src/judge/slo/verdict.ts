// What an exchange's objectives came to. Plain data: it goes into the record file and onto the span, and a
// replay must come to the same.

export const MET_WORDS = ['true', 'false', 'unknown'] as const;
/** `unknown`: it cannot be judged. Never kept by default, never counted as kept. */
export type Met = (typeof MET_WORDS)[number];

/** Gaps of one exchange against the limit of a pooled objective. */
export interface GapTally {
  readonly within: number;
  readonly beyond: number;
  /** Gaps whose ends cannot be trusted. */
  readonly unknown: number;
}

export interface ObjectiveVerdict {
  /** Value of the label `objective`. */
  readonly name: string;
  /** Of a pooled objective: whether the exchange's own gaps would keep it. */
  readonly met: Met;
  /** The length that was held against the limit, where there is one. */
  readonly valueNs?: number;
  /** Of a pooled objective, which is judged over the gaps of the whole class. */
  readonly gaps?: GapTally;
}

export interface SloVerdict {
  /** Those that are for this exchange, in the order of the class, then what its client asked for. */
  readonly objectives: readonly ObjectiveVerdict[];
  /** Whether every one of them was kept; absent where nothing was promised. */
  readonly good?: Met;
  /**
   * What failed counts as infinitely late in series that are not of survivors only: its first token, or, where
   * that had come, the rest.
   */
  readonly never?: 'first_token' | 'rest';
}
