// One look at an engine as the search for causes needs it: its load, and counters that only grow. Pure.
import { defined } from '../../measure/defined.ts';
import type { EngineSample } from '../../record/stall-context.ts';
import { type Poll, windowBetween } from './window.ts';

/** `preemptedCount`: since rubato first looked. `before`: the look before, for what is only known of a time. */
export function sampleOf(poll: Poll, before: Poll | undefined, preemptedCount: number | undefined): EngineSample {
  const { runningCount, waitingCount, kvUsedRatio } = poll.reading;
  // The page was made at some moment before it was answered.
  return {
    atNs: poll.answeredAtNs,
    ...defined({
      runningCount,
      waitingCount,
      kvUsedRatio,
      preemptedCount,
      draftAcceptedRatio: before === undefined ? undefined : windowBetween(before, poll).draftAcceptedRatio,
    }),
  };
}
