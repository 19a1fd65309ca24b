// Puts the polling together: one target a place, however many routes lead there; the two sources of
// evidence made of polls; and what others may know of the engines.
import { nowNs } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { POLL_FAULTS, type EngineState, type GpuState, type PollFault } from '../../judge/engine-state.ts';
import type { Sink } from '../../judge/report.ts';
import type { EngineName } from '../../record/engines.ts';
import type { LateSource } from '../late-evidence.ts';
import { EngineTarget } from './engine-target.ts';
import { GpuTarget } from './gpu-target.ts';
import { IsolatedCounters } from './isolated-counters.ts';
import { type ClientOptions, MetricsClient } from './metrics-client.ts';
import { PerfMetrics } from './perf-metrics.ts';

export interface EngineMetricsOptions {
  readonly routes: readonly {
    readonly name: string;
    readonly upstream: { readonly origin: string };
    readonly engine: {
      readonly name: EngineName | undefined;
      /** `auto`, `off` or a URL. */
      readonly metrics: string;
      readonly perfMetricsUrl: string | undefined;
    };
  }[];
  readonly intervalMs: number;
  readonly gpuMetricsUrl: string | undefined;
  readonly tls: ClientOptions;
  readonly log: Log;
  /** Routes of the exchanges now open, one an exchange. */
  readonly openRoutes: () => Iterable<string>;
}

/** What a model of an engine's times may know of it. */
export interface EngineView {
  /** Requests of all clients in the engine's batch at the last good poll, and how long ago that was. */
  running(route: string): { readonly count: number; readonly ageMs: number } | undefined;
  /** Whose metrics a route's upstream serves. */
  engine(route: string): EngineName | undefined;
}

export interface EngineMetrics {
  /** In the order of their rank. */
  readonly lateSources: readonly LateSource[];
  /** Learns from reports where it is worth looking for metrics. */
  readonly sink: Sink;
  readonly view: EngineView;
  /** One a route whose engine's metrics are known of. */
  states(): readonly EngineState[];
  gpus(): { readonly gpus: readonly GpuState[]; readonly ageNs: number } | undefined;
  /** Polls that brought nothing, by route and kind. */
  faults(): readonly { readonly route: string; readonly fault: PollFault; readonly count: number }[];
  start(): void;
  close(): Promise<void>;
}

export function createEngineMetrics(options: EngineMetricsOptions): EngineMetrics {
  const client = new MetricsClient(options.tls);
  const targets = targetsOf(options, client);
  const perfUrls = options.routes.flatMap(({ name, engine }) =>
    engine.perfMetricsUrl === undefined ? [] : [[name, engine.perfMetricsUrl] as const],
  );
  const { intervalMs, gpuMetricsUrl, log } = options;
  const perfMetrics = new PerfMetrics({ urls: new Map(perfUrls), client, log });
  const isolated = new IsolatedCounters({ targets, openRoutes: options.openRoutes });
  const gpu = gpuMetricsUrl === undefined ? undefined : new GpuTarget({ url: gpuMetricsUrl, intervalMs, client, log });
  return {
    lateSources: [...(perfUrls.length === 0 ? [] : [perfMetrics]), ...(targets.size === 0 ? [] : [isolated])],
    sink: searchSink(targets),
    view: viewOf(targets),
    states: () => [...targets].flatMap(([route, target]) => target.state(route) ?? []),
    gpus: () => gpu?.read(),
    faults: () =>
      options.routes.flatMap(({ name }) => {
        const counts = [targets.get(name)?.faultCounts, perfMetrics.faultCounts(name)];
        return faultsOf(name, counts);
      }),
    start() {
      for (const target of new Set(targets.values())) target.start();
      gpu?.start();
    },
    async close() {
      for (const target of targets.values()) target.close();
      perfMetrics.close();
      gpu?.close();
      await client.close();
    },
  };
}

/** Counts of several targets of one route together. */
function faultsOf(route: string, counts: readonly (ReadonlyMap<PollFault, number> | undefined)[]) {
  return POLL_FAULTS.flatMap((fault) => {
    const count = counts.reduce((sum, each) => sum + (each?.get(fault) ?? 0), 0);
    return count === 0 ? [] : [{ route, fault, count }];
  });
}

/** Targets by route. Routes with the same place share one, so that an engine is asked once. */
function targetsOf(
  { routes, intervalMs, log }: EngineMetricsOptions,
  client: MetricsClient,
): ReadonlyMap<string, EngineTarget> {
  const byPlace = new Map<string, EngineTarget>();
  const targets = new Map<string, EngineTarget>();
  for (const { name, upstream, engine } of routes) {
    if (engine.metrics === 'off') continue;
    const url = engine.metrics === 'auto' ? undefined : engine.metrics;
    const place = url ?? `auto ${upstream.origin}`;
    const target =
      byPlace.get(place) ??
      new EngineTarget({ url, upstreamOrigin: upstream.origin, engine: engine.name, intervalMs, client, log });
    byPlace.set(place, target);
    targets.set(name, target);
  }
  return targets;
}

function searchSink(targets: ReadonlyMap<string, EngineTarget>): Sink {
  return {
    name: 'engine metrics',
    onReport({ record }) {
      if (record.end.outcome === 'ok' && record.answer.streamed) {
        targets.get(record.route)?.noteAnswer(record.engine?.name);
      }
    },
  };
}

function viewOf(targets: ReadonlyMap<string, EngineTarget>): EngineView {
  return {
    running(route) {
      const poll = targets.get(route)?.polls.at(-1);
      const count = poll?.reading.runningCount;
      if (poll === undefined || count === undefined) return undefined;
      return { count, ageMs: (nowNs() - poll.answeredAtNs) / 1e6 };
    },
    engine: (route) => targets.get(route)?.engine,
  };
}
