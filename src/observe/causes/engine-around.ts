// What an engine published around a stall, out of the looks that were taken at it. Pure.
import { defined } from '../../measure/defined.ts';
import type { EngineSample, StallEngine } from '../../record/stall-context.ts';
import type { StallMoment } from './pending-stall.ts';

/** `samples` in order of time. Undefined where there are none. */
export function engineAround(
  samples: readonly EngineSample[],
  { startAtNs, endAtNs }: StallMoment,
  openedAtNs: number,
  presentSince: (atNs: number) => number,
): StallEngine | undefined {
  const before = samples.findLast(({ atNs }) => atNs <= startAtNs);
  const after = samples.find(({ atNs }) => atNs >= endAtNs);
  if (before === undefined && after === undefined) return undefined;
  const presentCount = presentSince(before?.atNs ?? startAtNs);
  const known = defined({
    beforeAtNs: before && before.atNs - openedAtNs,
    afterAtNs: after && after.atNs - openedAtNs,
    runningBefore: before?.runningCount,
    runningAfter: after?.runningCount,
    waitingAfter: after?.waitingCount,
    kvUsedRatio: after?.kvUsedRatio ?? before?.kvUsedRatio,
    preemptedCount: grown(before?.preemptedCount, after?.preemptedCount),
    draftAcceptedRatio: after?.draftAcceptedRatio ?? before?.draftAcceptedRatio,
  });
  return { ...known, presentCount };
}

/** A counter that fell began anew in between: nobody knows what it had counted. */
function grown(before: number | undefined, after: number | undefined): number | undefined {
  if (before === undefined || after === undefined || after < before) return undefined;
  return after - before;
}
