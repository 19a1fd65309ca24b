// What the live feed tells, gathered from the parts that know it.
import { nowNs } from '../base/clock.ts';
import type { Config } from '../config/config.ts';
import { defined } from '../measure/defined.ts';
import { GAPS_TAINTED } from '../measure/taint.ts';
import type { SelfSources } from '../telemetry/self-metrics.ts';
import type { LiveSources } from '../telemetry/live/feed.ts';
import type { SelfCounts } from '../telemetry/live/self.ts';
import type { MetricStore } from '../telemetry/store.ts';
import { adminData, type AdminParts, recentOf } from './admin-data.ts';
import type { LagWindow } from './lag-window.ts';
import { openSights } from './open-sights.ts';
import type { RelaySupervisor } from './relay-supervisor.ts';
import { packageVersion } from './version.ts';

export interface LiveParts extends AdminParts {
  readonly supervisor: RelaySupervisor;
  readonly lags: LagWindow;
  readonly selfSources: SelfSources;
  readonly state: AdminParts['state'] & {
    /** The one that holds. */
    readonly config: Config;
  };
}

/** What is lately, for the longest turns of loops: as long as a state is apart from the next, and a second that runs. */
const LATELY_SECONDS = 3;

export function liveSources(parts: LiveParts): LiveSources {
  const { outlets, observer, state, supervisor } = parts;
  const { recent, store, summary } = outlets;
  const version = packageVersion();
  return {
    store,
    data: adminData(parts),
    gaps: () => summary.gaps(),
    about: () => ({
      version,
      ...(supervisor.listen && { listen: { ...supervisor.listen, isTls: state.config.listenTls !== undefined } }),
      ...defined({ traceUrl: state.config.traceUrl, dashboardUrl: state.config.dashboardUrl }),
      stallMs: Object.fromEntries(state.config.classes.map(({ name, stallMs }) => [name, stallMs])),
      upstreams: state.config.routes.map(({ name, upstream }) => ({ route: name, origin: upstream.origin })),
    }),
    open: (maxCount) => openSights(observer, maxCount),
    ended(totalCount) {
      const newCount = Math.min(recent.totalCount - totalCount, recent.list().length);
      const latest = newCount > 0 ? recent.list().slice(-newCount) : [];
      return { totalCount: recent.totalCount, recent: latest.map((report) => recentOf(report)) };
    },
    self: () => selfCounts(parts),
  };
}

function selfCounts({ selfSources: self, supervisor, observer, lags, outlets }: LiveParts): SelfCounts {
  return {
    atNs: nowNs(),
    lags: [...lags.longest(LATELY_SECONDS)],
    cpuNs: self.cpuNs(),
    rssBytes: process.memoryUsage.rss(),
    relayCount: supervisor.pulses().length,
    chunkCount: observer.chunkCount,
    tapeDropped: tapeDropped(self),
    taintedGaps: taintedGaps(outlets.store),
    shed: self.shed(),
    exports: self.exports(),
    readerDetachedCount: self.readerDetachedCount(),
    cpuThrottledNs: self.cpuThrottledNs(),
  };
}

function tapeDropped(self: SelfSources): Record<string, number> {
  return Object.fromEntries(Array.from(self.tapeDropped(), ({ kind, count }) => [kind, count]));
}

/** By cause, of all classes and models. */
function taintedGaps(store: MetricStore): Record<string, number> {
  const { labelNames, scalars } = store.read(GAPS_TAINTED);
  const causeAt = labelNames.indexOf('cause');
  const counts: Record<string, number> = {};
  for (const { labelValues, value } of scalars) {
    const cause = labelValues[causeAt] ?? '';
    counts[cause] = (counts[cause] ?? 0) + value;
  }
  return counts;
}
