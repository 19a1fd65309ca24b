// Figures over what the raw sockets saw, and what can be said by eye of the way in which a hop held.
import type { StreamTruth } from './run-stream.ts';

export interface HoldFigures {
  readonly holdP50Ms: number;
  readonly holdP95Ms: number;
  readonly holdMaxMs: number;
  readonly ttftAddedMs: number;
  /** Of the head; the first text comes 300 ms after it. */
  readonly headHoldMs: number;
  /** Reads that completed text, for writes that did. */
  readonly outCount: number;
  readonly inCount: number;
}

/** By nearest rank; of an empty list 0. */
export function rank(values: readonly number[], ratio: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(ratio * sorted.length) - 1)] ?? 0;
}

function ms(ns: number): number {
  return Math.round(ns / 1e4) / 100;
}

export function figuresOf(truth: StreamTruth): HoldFigures {
  return {
    holdP50Ms: ms(rank(truth.holdsNs, 0.5)),
    holdP95Ms: ms(rank(truth.holdsNs, 0.95)),
    holdMaxMs: ms(rank(truth.holdsNs, 1)),
    ttftAddedMs: ms(truth.ttftAddedNs),
    headHoldMs: ms(truth.headHoldNs),
    outCount: truth.outer.length,
    inCount: truth.inner.length,
  };
}
