// What rubato knows of itself, gathered from the parts that know it.
import type { Observer } from '../observe/observer.ts';
import type { SelfSources } from '../telemetry/self-metrics.ts';
import type { LagWindow } from './lag-window.ts';
import type { Outlets } from './outlets.ts';
import type { RelaySupervisor } from './relay-supervisor.ts';

export interface SelfParts {
  readonly observer: Observer;
  readonly supervisor: RelaySupervisor;
  readonly lags: LagWindow;
  readonly outlets: Outlets;
}

export function selfSources({ observer, supervisor, lags, outlets }: SelfParts): SelfSources {
  const { otel, recordFile } = outlets;
  return {
    openExchanges: () => observer.openExchanges(),
    loopLagNs: () => lags.longest(),
    tapeDropped() {
      const { droppedBytesCount, droppedChunkCount, lostEntryCount } = supervisor.tapeCounts();
      return [
        { kind: 'bytes', count: droppedBytesCount },
        { kind: 'chunk', count: droppedChunkCount },
        { kind: 'mark', count: lostEntryCount + observer.unfollowedCount },
      ];
    },
    readerDetachedCount: () => observer.detachedCount,
    exportDropped: () => [
      { signal: 'traces', count: otel.spanStats()?.droppedCount ?? 0 },
      { signal: 'metrics', count: otel.failedMetricExportCount() },
      { signal: 'records', count: recordFile?.stats().droppedCount ?? 0 },
    ],
    cpuNs() {
      const { user, system } = process.cpuUsage();
      return (user + system) * 1e3;
    },
  };
}
