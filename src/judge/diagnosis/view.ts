// What several rules of the diagnosis look at, computed once.
import type { DiagnosisFacts, DiagnosisSlice } from './facts.ts';
import { shapeOf, type GapShape } from './gap-shape.ts';
import { countAbove, countOf, percentileNs } from './log-counts.ts';
import { rankCorrelation } from './trend.ts';
import { sumOf } from '../sum.ts';

/** A slice with enough gaps to have a median and a share. */
export interface BusySlice {
  readonly slice: DiagnosisSlice;
  readonly medianNs: number;
  /**
   * Slow gaps beyond those it would have by the share of all slices, in standard deviations. Shares themselves go up and
   * down with how many gaps there are: among few there is often none.
   */
  readonly slowExcess: number;
  /** Streams that were decoding on average: the time of all gaps over the length of the slice. */
  readonly runningCount: number;
}

export interface DiagnosisView {
  readonly facts: DiagnosisFacts;
  readonly shape: GapShape | undefined;
  /** Where slow gaps begin: at a mode of their own, or at twice the usual gap. Absent without a shape. */
  readonly slowFromNs?: number;
  readonly busy: readonly BusySlice[];
}

const SLICE_LEAST_GAP_COUNT = 20;
/** Prompts of all lengths make gaps of all lengths, which have no mode: then so many usual gaps are a slow one. */
const SLOW_TIMES = 2;
/** Where steps are uneven anyhow, twice the usual gap is nothing: then the longest of them are looked at. */
const TAIL_PERCENT = 97;
/** The plain step of a slice, also where prefill is in more than half of its steps. */
const PLAIN_PERCENT = 25;

export function viewOf(facts: DiagnosisFacts): DiagnosisView {
  const { gaps } = facts.now;
  const shape = shapeOf(gaps);
  const slowFromNs =
    shape && (shape.slowFromNs ?? Math.max(SLOW_TIMES * shape.main.atNs, percentileNs(gaps, TAIL_PERCENT) ?? 0));
  const plainNs = percentileNs(gaps, PLAIN_PERCENT) ?? 0;
  const counted = facts.slices.flatMap((slice) => {
    const gapCount = countOf(slice.gaps);
    const medianNs = percentileNs(slice.gaps, 50);
    const plainHereNs = percentileNs(slice.gaps, PLAIN_PERCENT);
    if (gapCount < SLICE_LEAST_GAP_COUNT || medianNs === undefined || plainHereNs === undefined) return [];
    // A slice in which every step is longer, because more streams run, has no more slow ones for that.
    const limitNs = slowFromNs && (slowFromNs * plainHereNs) / plainNs;
    const slowCount = limitNs === undefined ? 0 : countAbove(slice.gaps, limitNs);
    return [{ slice, medianNs, gapCount, slowCount, runningCount: slice.gapSumNs / facts.sliceNs }];
  });
  const slowRatio = sumOf(counted.map((each) => each.slowCount)) / sumOf(counted.map(({ gapCount }) => gapCount));
  const busy = counted.map(({ slice, medianNs, gapCount, slowCount, runningCount }): BusySlice => {
    const expected = gapCount * slowRatio;
    const deviation = Math.sqrt(expected * (1 - slowRatio));
    return { slice, medianNs, runningCount, slowExcess: deviation === 0 ? 0 : (slowCount - expected) / deviation };
  });
  return { facts, shape, ...(slowFromNs !== undefined && { slowFromNs }), busy };
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
