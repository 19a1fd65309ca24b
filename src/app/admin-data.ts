// What the admin port shows, gathered from the parts that know it.
import type { RecentExchange, Report } from '../judge/report.ts';
import type { EngineMetrics } from '../observe/engine-metrics/engine-metrics.ts';
import type { FloorWatch } from '../observe/floor/floor-watch.ts';
import type { Observer } from '../observe/observer.ts';
import type { AdminData } from '../telemetry/admin-answers.ts';
import { openDetail } from './open-sights.ts';
import type { Outlets } from './outlets.ts';
import type { UpstreamWatch } from './upstream-watch.ts';

export interface AdminParts {
  readonly outlets: Outlets;
  readonly polling: EngineMetrics;
  readonly floors: FloorWatch;
  readonly observer: Observer;
  readonly watch: UpstreamWatch;
  readonly state: { readonly draining: boolean };
}

export function adminData({ outlets, polling, floors, observer, watch, state }: AdminParts): AdminData {
  return {
    ready() {
      const reasons = watch.unreachable.map((origin) => `the upstream ${origin} cannot be reached`);
      if (state.draining) reasons.unshift('shutting down');
      return { ok: reasons.length === 0, reasons };
    },
    openExchanges: () => observer.openExchanges(),
    recent: () => outlets.recent.list().toReversed().map(recentOf),
    openDetail: (id) => openDetail(observer, id),
    isSettling: (id) => observer.closing.isSettling(id),
    record: (id) => outlets.recent.find(id),
    metricsText: (accept) => outlets.metricsText(accept),
    summary: () => outlets.summary.read(),
    engines: () => polling.states(),
    floors: () => floors.states(),
    diagnoses: () => outlets.diagnosis.read((route) => floors.floorNs(route)),
    hops: () => observer.hops(),
    jobs: () => ({ open: observer.demand.openJobs(), recent: observer.demand.recentJobs() }),
    pairing: (query) => observer.answerPeer(query),
  };
}

export function recentOf(report: Report): RecentExchange {
  const { id, end } = report.record;
  return { id, outcome: end.outcome, wireEnd: end.wire, report };
}
