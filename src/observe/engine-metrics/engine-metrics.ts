// Puts the polling together: one target a place, however many routes lead there; the two sources of
// evidence made of polls; and what others may know of the engines.
import { isDeepStrictEqual } from 'node:util';
import { nowNs } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { EngineState, GpuState } from '../../judge/engine-state.ts';
import type { Sink } from '../../judge/report.ts';
import type { EngineName } from '../../record/engines.ts';
import type { EngineSample } from '../../record/stall-context.ts';
import type { LateSource } from '../late-evidence.ts';
import { EngineTarget } from './engine-target.ts';
import { FaultLedger, type RouteFault } from './fault-ledger.ts';
import { GpuTarget } from './gpu-target.ts';
import { IsolatedCounters } from './isolated-counters.ts';
import { type ClientOptions, MetricsClient } from './metrics-client.ts';
import { PerfMetrics } from './perf-metrics.ts';

/** By then the engine has counted what made a stall that has just ended. */
const LOOK_AFTER_STALL_MS = 200;

export interface PolledRoute {
  readonly name: string;
  readonly upstream: { readonly origin: string };
  readonly engine: {
    readonly name: EngineName | undefined;
    /** `auto`, `off` or a URL. */
    readonly metrics: string;
    readonly perfMetricsUrl: string | undefined;
  };
}

/** What may change while it runs. */
export interface PollSettings {
  readonly routes: readonly PolledRoute[];
  readonly intervalMs: number;
  readonly gpuMetricsUrl: string | undefined;
  readonly tls: ClientOptions;
}

export interface EngineMetricsOptions extends PollSettings {
  readonly log: Log;
  /** Routes of the exchanges now open, one an exchange. */
  readonly openRoutes: () => Iterable<string>;
}

/** What a model of an engine's times may know of it. */
export interface EngineView {
  /** Requests of all clients in the engine's batch at the last good poll, and how long ago that was. */
  running(route: string): { readonly count: number; readonly ageMs: number } | undefined;
  /** How often the engine was seen to have begun anew; the number only grows. */
  startCount(route: string): number;
  /** Whose metrics a route's upstream serves. */
  engine(route: string): EngineName | undefined;
  /** What the latest looks at a route's engine showed of its load, the latest last. */
  samples(route: string): readonly EngineSample[];
  /** Has a route's engine looked at soon, if it is known where. */
  askSoon(route: string): void;
}

export class EngineMetrics {
  readonly #log: Log;
  /** By route. */
  readonly #targets = new Map<string, EngineTarget>();
  readonly #perfMetrics: PerfMetrics;
  readonly #ledger = new FaultLedger((route) => [
    this.#targets.get(route)?.faultCounts,
    this.#perfMetrics.faultCounts(route),
  ]);
  #settings: PollSettings;
  #client: MetricsClient;
  #gpu: GpuTarget | undefined;
  #started = false;
  /** In the order of their rank. Each knows nothing where nothing is configured for it. */
  readonly lateSources: readonly LateSource[];
  /** Learns from reports where it is worth looking for metrics. */
  readonly sink: Sink;
  readonly view: EngineView;

  constructor(options: EngineMetricsOptions) {
    this.#log = options.log;
    this.#settings = options;
    this.#client = new MetricsClient(options.tls);
    this.#perfMetrics = new PerfMetrics(options.log);
    const isolated = new IsolatedCounters({ targets: this.#targets, openRoutes: options.openRoutes });
    this.lateSources = [this.#perfMetrics, isolated];
    this.sink = searchSink(this.#targets);
    this.view = viewOf(this.#targets);
    this.#arrange(options, this.#client);
  }

  /** One a route whose engine's metrics are known of. */
  states(): readonly EngineState[] {
    return [...this.#targets].flatMap(([route, target]) => target.state(route) ?? []);
  }

  gpus(): { readonly gpus: readonly GpuState[]; readonly ageNs: number } | undefined {
    return this.#gpu?.read();
  }

  /** Polls that brought nothing, by route and kind. */
  faults(): readonly RouteFault[] {
    return this.#ledger.faults();
  }

  start(): void {
    this.#started = true;
    for (const target of new Set(this.#targets.values())) target.start();
    this.#gpu?.start();
  }

  /** Polls by these settings from now on; what is asked as before goes on with all that it knows. */
  async reconfigure(settings: PollSettings): Promise<void> {
    const before = this.#client;
    if (!isDeepStrictEqual(settings.tls, this.#settings.tls)) this.#client = new MetricsClient(settings.tls);
    this.#arrange(settings, before);
    if (this.#started) this.start();
    if (before !== this.#client) await before.close();
  }

  async close(): Promise<void> {
    for (const target of this.#targets.values()) target.close();
    this.#perfMetrics.close();
    this.#gpu?.close();
    await this.#client.close();
  }

  #arrange(settings: PollSettings, clientBefore: MetricsClient): void {
    const before = this.#settings;
    this.#settings = settings;
    const { routes, intervalMs, gpuMetricsUrl: url } = settings;
    this.#ledger.during(
      routes.map(({ name }) => name),
      () => {
        this.#arrangeTargets(settings);
        const urls = routes.flatMap(({ name, engine }) =>
          engine.perfMetricsUrl === undefined ? [] : [[name, engine.perfMetricsUrl] as const],
        );
        this.#perfMetrics.arrange(new Map(urls), this.#client);
      },
    );
    const isSame = url === before.gpuMetricsUrl && intervalMs === before.intervalMs && clientBefore === this.#client;
    if (isSame && this.#gpu !== undefined) return;
    this.#gpu?.close();
    this.#gpu =
      url === undefined ? undefined : new GpuTarget({ url, intervalMs, client: this.#client, log: this.#log });
  }

  /** Routes with the same place share a target, so that an engine is asked once. */
  #arrangeTargets({ routes, intervalMs }: PollSettings): void {
    const before = new Set(this.#targets.values());
    const byPlace = new Map<string, EngineTarget>();
    this.#targets.clear();
    for (const { name, upstream, engine } of routes) {
      if (engine.metrics === 'off') continue;
      const options = {
        url: engine.metrics === 'auto' ? undefined : engine.metrics,
        upstreamOrigin: upstream.origin,
        engine: engine.name,
        intervalMs,
        client: this.#client,
        log: this.#log,
      };
      const place = options.url ?? `auto ${upstream.origin}`;
      const known = [...before].find((target) => isSameLook(target.options, options));
      const target = byPlace.get(place) ?? known ?? new EngineTarget(options);
      byPlace.set(place, target);
      this.#targets.set(name, target);
    }
    const kept = new Set(byPlace.values());
    for (const target of before) if (!kept.has(target)) target.close();
  }
}

type Look = EngineTarget['options'];

/** An upstream matters only where the page has to be found there. */
function isSameLook(one: Look, other: Look): boolean {
  const same: (keyof Look)[] = ['url', 'engine', 'intervalMs', 'client'];
  if (one.url === undefined) same.push('upstreamOrigin');
  return same.every((name) => one[name] === other[name]);
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
    startCount: (route) => targets.get(route)?.startCount ?? 0,
    engine: (route) => targets.get(route)?.engine,
    samples: (route) => targets.get(route)?.samples ?? [],
    askSoon: (route) => targets.get(route)?.askSoon(LOOK_AFTER_STALL_MS),
  };
}
