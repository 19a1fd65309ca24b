// What whoever reads the figures of a run must know of them: that the generator was late, or that the run was too
// small to say what it seems to say. One sentence each. Pure.
import { showCount, showMs } from '../spread.ts';
import type { LoadOptions } from './options.ts';
import type { ClassFigures } from './result.ts';
import type { TallySpread } from './tally.ts';

/** Beyond it a user of the figures would take our lateness for the engine's. */
const LATE_P99_MAX_NS = 5_000_000;
const TAINTED_MAX_SHARE = 0.01;

export interface RunShape {
  readonly all: ClassFigures;
  readonly late: TallySpread;
  readonly mostOpenCount: number;
  readonly unsentCount: number;
  readonly options: Pick<LoadOptions, 'concurrency' | 'schedule'>;
}

export function warningsOf(shape: RunShape): string[] {
  return [floor(shape), lateness(shape), tainted(shape), room(shape), unsent(shape)].filter(
    (warning) => warning !== undefined,
  );
}

function floor({ all, mostOpenCount }: RunShape): string | undefined {
  if (all.sentCount === 1) {
    return 'Only one request was measured. That is the floor, what an idle engine does for one reader; it says nothing about load.';
  }
  if (mostOpenCount > 1 || all.sentCount === 0) return undefined;
  return 'There was never more than one request at a time. That is the floor, what an idle engine does for one reader; it says nothing about load.';
}

function lateness({ late }: RunShape): string | undefined {
  const worstNs = late.p99Ns ?? late.maxNs;
  if (typeof worstNs !== 'number' || worstNs <= LATE_P99_MAX_NS) return undefined;
  const which = late.p99Ns === undefined ? 'up to' : 'p99';
  return `This generator itself sent late (${which} ${showMs(worstNs)} ms): the machine is too busy for this load. Figures from due hold that, those from sent do not.`;
}

function tainted({ all }: RunShape): string | undefined {
  const gapCount = all.gaps.count + all.taintedCount;
  if (all.taintedCount <= TAINTED_MAX_SHARE * gapCount) return undefined;
  return `${showCount(all.taintedCount)} of ${showCount(gapCount)} gaps were left out, because this machine was too busy to stamp their ends.`;
}

function room({ mostOpenCount, options }: RunShape): string | undefined {
  if (options.schedule.kind === 'closed' || mostOpenCount < options.concurrency) return undefined;
  return `All ${showCount(options.concurrency)} places for requests under way were taken at times, so requests waited here before they were sent. Figures from due hold that wait.`;
}

function unsent({ unsentCount }: RunShape): string | undefined {
  if (unsentCount === 0) return undefined;
  return `${showCount(unsentCount)} requests were due and were never sent, for there was no room before the run was over. They count as what never came.`;
}
