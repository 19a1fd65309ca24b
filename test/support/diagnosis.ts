// Facts for a diagnosis, written down as lengths of time instead of counts in buckets.
import type { DiagnosisFacts, DiagnosisPeriod, DiagnosisSlice } from '../../src/judge/diagnosis/facts.ts';
import { addInto, bucketOf, LOG_BUCKET_COUNT } from '../../src/judge/diagnosis/log-counts.ts';

const NS_PER_MS = 1e6;
export const SLICE_NS = 10e9;

/** Pairs of a length in ms and how often it occurred. */
export type Lengths = readonly (readonly [lengthMs: number, times: number])[];

export function counts(lengths: Lengths = []): Uint32Array {
  const sum = new Uint32Array(LOG_BUCKET_COUNT);
  for (const [lengthMs, times] of lengths) {
    const bucket = bucketOf(lengthMs * NS_PER_MS);
    sum[bucket] = (sum[bucket] ?? 0) + times;
  }
  return sum;
}

export interface SliceSpec extends Partial<Omit<DiagnosisSlice, 'gaps' | 'gapSumNs'>> {
  readonly gapsMs: Lengths;
}

export function slice({ gapsMs, ...rest }: SliceSpec): DiagnosisSlice {
  const gapSumNs = gapsMs.reduce((sum, [lengthMs, times]) => sum + lengthMs * times * NS_PER_MS, 0);
  return { arrivalCount: 0, endCount: 0, promptTokens: 0, backlogMaxCount: 0, gaps: counts(gapsMs), gapSumNs, ...rest };
}

export interface FactsSpec {
  readonly slices: readonly DiagnosisSlice[];
  readonly ttftMs?: Lengths;
  readonly tpotMs?: Lengths;
  readonly queueMs?: Lengths;
  /** As received where they are not stated. */
  readonly flushedMs?: Lengths;
  readonly before?: { readonly ttftMs: Lengths; readonly tpotMs?: Lengths; readonly gapsMs: Lengths };
  readonly more?: Partial<DiagnosisFacts>;
}

export function facts({ slices, ttftMs, tpotMs, queueMs, flushedMs, before, more }: FactsSpec): DiagnosisFacts {
  const gaps = new Uint32Array(LOG_BUCKET_COUNT);
  for (const each of slices) addInto(gaps, each.gaps);
  const then: DiagnosisPeriod | undefined = before && {
    ttft: counts(before.ttftMs),
    tpot: counts(before.tpotMs),
    gaps: counts(before.gapsMs),
  };
  return {
    route: 'default',
    sliceNs: SLICE_NS,
    slices,
    now: { ttft: counts(ttftMs), tpot: counts(tpotMs), gaps },
    ...(then !== undefined && { before: then }),
    gapsFlushed: flushedMs === undefined ? gaps : counts(flushedMs),
    queue: counts(queueMs),
    hopJudgedCount: 0,
    hopHeldCount: 0,
    ...more,
  };
}
