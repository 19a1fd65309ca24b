// What the study of causes is held to, the same for both of its sets.
import { beforeAll, expect, it } from 'vitest';
import type { StudySet } from './scenario.ts';
import { study, type StudyResult } from './study.ts';

const TIMEOUT_MS = 600_000;
const CLEAN_FALSE_MOST = 0.01;

export interface StudyAims {
  readonly runCount: number;
  /** Share of the stalls whose cause must be named. */
  readonly rightLeast: number;
}

export function holdToStudy(set: StudySet, { runCount, rightLeast }: StudyAims): void {
  let result: StudyResult;
  beforeAll(() => {
    result = study(set, runCount);
  }, TIMEOUT_MS);

  it(`are right in ${100 * rightLeast} % of the stalls`, () => {
    // Fewer stalls than ten a run would show nothing.
    expect(result.stallCount).toBeGreaterThan(10 * runCount);
    expect(result.rightShare).toBeGreaterThanOrEqual(rightLeast);
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
