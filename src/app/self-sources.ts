// What rubato knows of itself, gathered from the parts that know it.
import type { OtlpReceiver } from '../observe/otlp/receiver.ts';
import type { Calibrations } from '../observe/calibrations.ts';
import type { Observer } from '../observe/observer.ts';
import type { SelfSources } from '../telemetry/self-metrics.ts';
import type { LagWindow } from './lag-window.ts';
import type { Outlets } from './outlets.ts';
import type { RelaySupervisor } from './relay-supervisor.ts';
import type { ShedWatch } from './shed-watch.ts';
import type { TimeWatch } from './time-watch.ts';

export interface SelfParts {
  readonly observer: Observer;
  readonly supervisor: RelaySupervisor;
  readonly shedWatch: ShedWatch;
  readonly lags: LagWindow;
  readonly timeWatch: TimeWatch;
  readonly outlets: Outlets;
  readonly otlp: OtlpReceiver | undefined;
  readonly calibrations: Calibrations;
}

export function selfSources({
  observer,
  supervisor,
  shedWatch,
  lags,
  timeWatch,
  outlets,
  otlp,
  calibrations,
}: SelfParts): SelfSources {
  return {
    // A stream that is seen at an edge as well is one stream.
    openExchanges: () => observer.openExchanges().filter(({ edge }) => edge === undefined),
    loopLagNs: () => lags.longest(),
    clockStepCount: () => timeWatch.clockStepCount,
    cpuThrottledNs: () => timeWatch.throttledNs(),
    tapeDropped() {
      const { droppedBytesCount, droppedChunkCount, lostEntryCount } = supervisor.tapeCounts();
      return [
        { kind: 'bytes', count: droppedBytesCount },
        { kind: 'chunk', count: droppedChunkCount },
        { kind: 'mark', count: lostEntryCount + observer.unfollowedCount },
      ];
    },
    shed: () => shedWatch.counts(),
    readerDetachedCount: () => observer.detachedCount,
    exports: () => outlets.exports(),
    upstreamSurplusCount: () => supervisor.tapeCounts().surplusCount,
    refusedCount: () => supervisor.tapeCounts().refusedCount,
    foldedModelCount: () => observer.foldedModelCount,
    settledEarlyCount: () => observer.closing.settledEarlyCount,
    otlp: () => otlp && otlpCounts(otlp),
    calibrations: () => calibrations.counts,
    cpuNs() {
      const { user, system } = process.cpuUsage();
      return (user + system) * 1e3;
    },
  };
}

function otlpCounts(receiver: OtlpReceiver) {
  const { received, forwarded, dropped } = receiver.counts;
  const unclaimed = receiver.unclaimedSpanCount();
  return { received, forwarded, dropped: { ...dropped, unclaimed }, joined: { ...receiver.joins } };
}
