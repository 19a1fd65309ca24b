// What several rules of the diagnosis look at, computed once.
import type { DiagnosisFacts, DiagnosisSlice } from './facts.ts';
import { shapeOf, type GapShape } from './gap-shape.ts';
import { countOf, percentileNs, shareAbove } from './log-counts.ts';
import { rankCorrelation } from './trend.ts';

/** A slice with enough gaps to have a median and a share. */
export interface BusySlice {
  readonly slice: DiagnosisSlice;
  readonly medianNs: number;
  /** Gaps in slow modes, of all of the slice; 0 where the window has none. */
  readonly slowRatio: number;
  /** Streams that were decoding on average: the time of all gaps over the length of the slice. */
  readonly runningCount: number;
}

export interface DiagnosisView {
  readonly facts: DiagnosisFacts;
  readonly shape: GapShape | undefined;
  readonly busy: readonly BusySlice[];
}

const SLICE_LEAST_GAP_COUNT = 20;

export function viewOf(facts: DiagnosisFacts): DiagnosisView {
  const shape = shapeOf(facts.now.gaps);
  const busy = facts.slices.flatMap((slice): BusySlice[] => {
    const medianNs = countOf(slice.gaps) < SLICE_LEAST_GAP_COUNT ? undefined : percentileNs(slice.gaps, 50);
    if (medianNs === undefined) return [];
    const slowRatio = shape?.slowFromNs === undefined ? 0 : shareAbove(slice.gaps, shape.slowFromNs);
    return [{ slice, medianNs, slowRatio, runningCount: slice.gapSumNs / facts.sliceNs }];
  });
  return { facts, shape, busy };
}

/** How two figures of the busy slices go together. */
export function together(
  { busy }: DiagnosisView,
  one: (slice: BusySlice) => number,
  other: (slice: BusySlice) => number,
): number | undefined {
  return rankCorrelation(busy.map((slice) => [one(slice), other(slice)] as const));
}

export const largest = (values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
};

export const toMs = (lengthNs: number): number => Math.round(lengthNs / 1e4) / 100;

/** In words, as short as it can be: `12 ms`, `1.2 s`. */
export function spoken(lengthNs: number): string {
  return lengthNs < 1e9
    ? `${Number((lengthNs / 1e6).toPrecision(3))} ms`
    : `${Number((lengthNs / 1e9).toPrecision(3))} s`;
}

export function percent(ratio: number): string {
  return `${Number((100 * ratio).toPrecision(2))} %`;
}
