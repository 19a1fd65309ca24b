// What happened between two polls: growth of counters, with engines that began anew in between, and the
// means and shares made of it. Pure.
import type { EngineWindow } from '../../judge/engine-state.ts';
import { defined } from '../../measure/defined.ts';
import type { EngineReading, MeanReading, Series, ShareReading } from './reading.ts';

/** One successful look at an engine's metrics. Its counters are from some moment between the two stamps. */
export interface Poll {
  readonly askedAtNs: number;
  readonly answeredAtNs: number;
  readonly reading: EngineReading;
}

const NS_PER_SECOND = 1e9;

/** Figures of the time between two polls. */
export function windowBetween(before: Poll, after: Poll): EngineWindow {
  const windowNs = after.answeredAtNs - before.answeredAtNs;
  const [old, now] = [before.reading, after.reading];
  const generated = sameLife(old, now) ? steadyGrowth(old.generated, now.generated) : undefined;
  return {
    windowNs,
    ...defined({
      queueMeanNs: meanNs(meanOf(before, after, 'queue')),
      prefillMeanNs: meanNs(meanOf(before, after, 'prefill')),
      stepMeanNs:
        now.step !== undefined && 'lengthS' in now.step
          ? Math.round(now.step.lengthS * NS_PER_SECOND)
          : meanNs(meanOf(before, after, 'step')),
      prefixHitRatio: ratioOf(before, after, 'prefixHit'),
      draftAcceptedRatio: ratioOf(before, after, 'draftAccepted'),
      generatedPerSecond: generated === undefined || windowNs <= 0 ? undefined : (generated / windowNs) * NS_PER_SECOND,
    }),
  };
}

/** How much a sum of durations and their number grew. */
export interface MeanGrowth {
  readonly sumS: number;
  readonly count: number;
  readonly observedAt: MeanReading['observedAt'];
}

/** Undefined when one of the polls does not have it, or the engine began anew in between. */
export function meanOf(
  before: Poll,
  after: Poll,
  name: 'queue' | 'prefill' | 'whole' | 'step',
): MeanGrowth | undefined {
  const [old, now] = [before.reading[name], after.reading[name]];
  if (old === undefined || now === undefined || !('count' in old) || !('count' in now)) return undefined;
  if (!sameLife(before.reading, after.reading)) return undefined;
  const count = steadyGrowth(old.count, now.count);
  const sumS = steadyGrowth(old.sum, now.sum);
  return count === undefined || sumS === undefined ? undefined : { sumS, count, observedAt: now.observedAt };
}

/**
 * Preemptions between two polls. An engine may have begun anew: a series that has become smaller started
 * from 0, and so did all when the process is another one.
 */
export function preemptedBetween({ reading: before }: Poll, { reading: after }: Poll): number | undefined {
  if (before.preempted === undefined || after.preempted === undefined) return undefined;
  const alive = sameLife(before, after);
  let sum = 0;
  for (const [key, value] of after.preempted) {
    const earlier = alive ? (before.preempted.get(key) ?? 0) : 0;
    sum += value >= earlier ? value - earlier : value;
  }
  return sum;
}

/** Growth of series that only grew; undefined when one shrank or went, for then nobody knows what was lost. */
function steadyGrowth(old: Series | undefined, now: Series | undefined): number | undefined {
  if (old === undefined || now === undefined) return undefined;
  for (const key of old.keys()) if (!now.has(key)) return undefined;
  let sum = 0;
  for (const [key, value] of now) {
    // A series comes into being with its first observation, so one that was not there stood at 0.
    const grown = value - (old.get(key) ?? 0);
    if (grown < 0) return undefined;
    sum += grown;
  }
  return sum;
}

/** The engine was started anew between two polls: it says so, or its counters began again. */
export function beganAnew({ reading: old }: Poll, { reading: now }: Poll): boolean {
  if (!sameLife(old, now)) return true;
  const fell = (before: Series | undefined, after: Series | undefined): boolean =>
    before !== undefined && after !== undefined && steadyGrowth(before, after) === undefined;
  return fell(old.generated, now.generated) || fell(old.prefill?.count, now.prefill?.count);
}

/** Both pages come from one process, as far as it says when it started. */
function sameLife(before: EngineReading, after: EngineReading): boolean {
  return before.engine === after.engine && before.processStartedEpochS === after.processStartedEpochS;
}

function meanNs(mean: MeanGrowth | undefined): number | undefined {
  return mean === undefined || mean.count === 0 ? undefined : Math.round((mean.sumS / mean.count) * NS_PER_SECOND);
}

function ratioOf(before: Poll, after: Poll, name: 'prefixHit' | 'draftAccepted'): number | undefined {
  const [old, now] = [before.reading[name], after.reading[name]];
  if (now === undefined) return undefined;
  // The engine's own share, over whatever time it takes.
  if ('ratio' in now) return now.ratio;
  if (old === undefined || 'ratio' in old || !sameLife(before.reading, after.reading)) return undefined;
  return shareOf(old, now);
}

type SeriesShare = Exclude<ShareReading, { readonly ratio: number }>;

function shareOf(old: SeriesShare, now: SeriesShare): number | undefined {
  const part = steadyGrowth(old.part, now.part);
  const other = steadyGrowth(old.other, now.other);
  if (part === undefined || other === undefined) return undefined;
  const whole = now.otherIs === 'whole' ? other : part + other;
  // The two counters are not read at the same instant by every engine, so a part can be ahead of its whole.
  return whole === 0 ? undefined : Math.min(1, part / whole);
}
