// What the study of causes is held to, the same for both of its sets.
import { beforeAll, expect, it } from 'vitest';
import { study, type StudyResult } from './study.ts';

const TIMEOUT_MS = 600_000;
const RIGHT_LEAST = 0.95;
const CLEAN_FALSE_MOST = 0.01;
/** Fewer stalls than this would show nothing. */
const STALLS_LEAST = 2_000;

export function holdToStudy(set: 'development' | 'held_out'): void {
  let result: StudyResult;
  beforeAll(() => {
    result = study(set);
  }, TIMEOUT_MS);

  it('are right in 95 % of the stalls', () => {
    expect(result.runCount).toBe(200);
    expect(result.stallCount).toBeGreaterThan(STALLS_LEAST);
    expect(result.rightShare).toBeGreaterThanOrEqual(RIGHT_LEAST);
  });

  it('are false in at most 1 % of the stalls of clean runs', () => {
    expect(result.cleanStallCount).toBeGreaterThan(0);
    expect(result.cleanFalseCount).toBeLessThanOrEqual(CLEAN_FALSE_MOST * result.cleanStallCount);
  });

  it('are told of once a stall', () => {
    expect(result.miscountedRuns).toEqual([]);
  });

  it('are the same from the record alone', () => {
    expect(result.unlikeInReplay).toEqual([]);
  });
}
