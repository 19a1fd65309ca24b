// Stalls: received gaps far above what the class allows and what this stream usually does. A stream
// that is slow throughout does not stall; a fast one that pauses does.
//
//   stall  ⇔  gap > max(stallNs of the class, 4 × median of the exchange's previous good gaps once it has 8)
import { STALLS_LISTED_MAX_COUNT } from '../base/limits.ts';
import type { MetricSpec } from '../base/metric-spec.ts';
import { STALL_CAUSES } from '../record/stall-context.ts';
import type { Stall } from './figures.ts';
import { RunningMedian } from './running-median.ts';

/** Gaps before the median of so few says something about the stream. */
const MEDIAN_FROM_COUNT = 8;
const MEDIAN_FACTOR = 4;

/** Judges one exchange's good gaps in the order of the reads. */
export class StallMeter {
  readonly #stallNs: number;
  readonly #usual = new RunningMedian();

  constructor(stallNs: number) {
    this.#stallNs = stallNs;
  }

  /** Median of the gaps so far; absent while so few say nothing about the stream. */
  get usualNs(): number | undefined {
    const { count, median } = this.#usual;
    return count < MEDIAN_FROM_COUNT ? undefined : median;
  }

  /** A received gap above this is a stall; the gap judged is not part of it. */
  get thresholdNs(): number {
    return Math.max(this.#stallNs, MEDIAN_FACTOR * (this.usualNs ?? 0));
  }

  add(gapNs: number): boolean {
    const stalled = gapNs > this.thresholdNs;
    this.#usual.add(gapNs);
    return stalled;
  }
}

/** The longest stalls, earlier ones first among equals, handed out in order of time. */
export function worstStalls(stalls: readonly Stall[]): Stall[] {
  return stalls
    .toSorted((a, b) => b.gapNs - a.gapNs || a.atNs - b.atNs)
    .slice(0, STALLS_LISTED_MAX_COUNT)
    .toSorted((a, b) => a.atNs - b.atNs);
}

export const GAPS: MetricSpec = {
  name: 'rubato.gaps',
  type: 'counter',
  unit: '{gap}',
  help:
    'Trusted gaps between the receipt of consecutive reads with generated fragments; stalled means longer than the ' +
    "class's limit and than 4 times the exchange's running median.",
  labels: ['stalled'],
  classed: true,
  startAtZero: { stalled: ['true', 'false'] },
};

export const STALLS: MetricSpec = {
  name: 'rubato.stalls',
  type: 'counter',
  unit: '{stall}',
  help:
    'Stalled gaps between the receipt of consecutive reads with generated fragments, by what caused them. Counted once ' +
    'the cause can be told: up to 2 seconds after the stall, or when the exchange ends.',
  labels: ['cause'],
  classed: true,
  startAtZero: { cause: STALL_CAUSES },
};
