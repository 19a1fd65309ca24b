// The parts of a sidecar, put together in the order of travel and not yet started. Who starts and ends
// them stands in serve.ts, who changes them while they run in reload.ts.
import { wallOffsetMs } from '../base/clock.ts';
import { faultFields, type Log, type ProcessLog } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import type { Sink } from '../judge/report.ts';
import { Calibrations } from '../observe/calibrations.ts';
import { createClassifier } from '../observe/classifier.ts';
import { backlogs } from '../observe/backlog.ts';
import { ClientSockets } from '../observe/client-sockets.ts';
import { EngineMetrics } from '../observe/engine-metrics/engine-metrics.ts';
import type { FloorWatch } from '../observe/floor/floor-watch.ts';
import type { ObservedExchange } from '../observe/observed-exchange.ts';
import { Observer } from '../observe/observer.ts';
import type { OtlpReceiver } from '../observe/otlp/receiver.ts';
import { PeerPairs } from '../observe/pairing/peer-pairs.ts';
import { TapeDrain } from '../observe/tape-drain.ts';
import type { LiveSettings } from '../relay/settings.ts';
import type { AdminServer } from '../telemetry/admin.ts';
import { observeCauses } from '../telemetry/cause-metrics.ts';
import { observeEngines } from '../telemetry/engine-metrics.ts';
import type { Environment } from '../telemetry/otel-environment.ts';
import { observeDemand } from '../telemetry/demand-feed.ts';
import { LiveFeed } from '../telemetry/live/feed.ts';
import { observeSelf, type SelfSources } from '../telemetry/self-metrics.ts';
import { DiagnosisWatch } from './diagnosis-watch.ts';
import { pollSettings } from './engine-polling.ts';
import { createFloors } from './floors.ts';
import { LagWindow } from './lag-window.ts';
import { liveSources } from './live-sources.ts';
import type { Outlets } from './outlets.ts';
import { relaySettings, samplerSettings } from './relay-settings.ts';
import { RelaySupervisor } from './relay-supervisor.ts';
import { RouteBook } from './route-book.ts';
import { selfSources } from './self-sources.ts';
import { ShedWatch } from './shed-watch.ts';
import { TimeWatch } from './time-watch.ts';
import { TlsFiles } from './tls-files.ts';
import { UpstreamWatch } from './upstream-watch.ts';

export interface Parts {
  readonly env: Environment;
  readonly log: ProcessLog;
  readonly outlets: Outlets;
  readonly otlp: OtlpReceiver | undefined;
  readonly polling: EngineMetrics;
  readonly floors: FloorWatch;
  readonly routeBook: RouteBook;
  readonly observer: Observer;
  /** A rubato behind the hop that is our upstream. */
  readonly peer: PeerPairs | undefined;
  readonly drain: TapeDrain;
  readonly supervisor: RelaySupervisor;
  readonly shedWatch: ShedWatch;
  readonly tlsFiles: TlsFiles | undefined;
  readonly lags: LagWindow;
  readonly timeWatch: TimeWatch;
  readonly watch: UpstreamWatch;
  readonly diagnosisWatch: DiagnosisWatch;
  readonly clientSockets: ClientSockets;
  readonly selfSources: SelfSources;
  readonly live: LiveFeed;
  readonly state: {
    /** The configuration that holds. */
    config: Config;
    draining: boolean;
    admin: AdminServer | undefined;
  };
}

/** What others made, and is part of it all the same. */
export interface Given {
  readonly env: Environment;
  readonly log: ProcessLog;
  readonly outlets: Outlets;
  readonly otlp: OtlpReceiver | undefined;
  readonly sinks: readonly Sink[];
  readonly onAllBegun: (() => void) | undefined;
}

/** Those who make reports of what the tapes say. */
function createObservation(
  config: Config,
  { log, outlets, otlp, sinks }: Given,
  { drain, overflowCount }: { readonly drain: TapeDrain; readonly overflowCount: () => number },
) {
  const routeBook = new RouteBook();
  // Evidence and observer know of each other: who polls must see who is open, and asks only later.
  const polling = new EngineMetrics({
    ...pollSettings(config),
    log,
    *openRoutes() {
      for (const { opening } of observer.openObserved()) yield routeBook.routes[opening.routeIndex]?.place ?? '';
    },
  });
  observeEngines(outlets.store, polling);
  const shedWatch = new ShedWatch(log, overflowCount);
  const calibrations = new Calibrations({
    running: (route) => polling.view.running(route),
    startCount: (route) => polling.view.startCount(route),
  });
  const openObserved = (): Iterable<ObservedExchange> => observer.openObserved();
  const floors = createFloors(config, { polling, routeBook, store: outlets.store, openObserved });
  const { peer: to, upstreamTls: tls } = config;
  const peer = to && new PeerPairs({ hop: to.name, origin: to.admin.origin, tls, log });
  const observer = new Observer({
    sinks: [...outlets.sinks, polling.sink, floors.sink, shedWatch.sink, ...sinks],
    classifier: createClassifier(config.classHeader, config.classes),
    routes: routeBook.routes,
    lateSources: [...(otlp === undefined ? [] : [otlp.source]), ...polling.lateSources],
    evidenceWaitMs: config.evidenceWaitMs,
    engineByMetrics: (route) => polling.view.engine(route),
    estimator: calibrations,
    engineLooks: polling.view,
    models: config.models,
    ...(peer === undefined ? {} : { peer }),
    capturesText: config.captureText,
    promptBucketEdges: config.promptBucketEdges,
    outputBucketEdges: config.outputBucketEdges,
    toldUpToNs: () => drain.readUpToNs,
    wallOffsetMs,
    onFault: tellOnce(log),
  });
  observeCauses(outlets.store, observer.stalls);
  return { routeBook, polling, floors, shedWatch, calibrations, observer, peer };
}

export function createParts(config: Config, given: Given): Parts {
  const { env, log, outlets, otlp } = given;
  const drain = new TapeDrain((fault) => log.error('a tape entry could not be read', faultFields(fault)));
  const overflowCount = (): number => supervisor.tapeCounts().overflowCount;
  const observation = createObservation(config, given, { drain, overflowCount });
  const { routeBook, polling, floors, shedWatch, calibrations, observer, peer } = observation;
  const { listenTls } = config;
  const tlsFiles =
    listenTls && new TlsFiles({ files: listenTls, log, onChange: (pair) => supervisor.replaceTls(pair) });
  const supervisor = new RelaySupervisor({
    count: config.relayCount,
    listen: [config.listen, ...config.edges.map((edge) => edge.listen)],
    settings: settingsOfRelays(config, { env, outlets, routeBook }),
    tls: () => tlsFiles?.pair,
    http2: config.http2,
    drainMs: () => state.config.drainMs,
    observer,
    drain,
    onAllBegun: given.onAllBegun,
    log,
  });
  const lags = new LagWindow(() => supervisor.takeLoopLags());
  const timeWatch = new TimeWatch({ log, openObserved: () => observer.openObserved() });
  const classNames = (): string[] => state.config.classes.map(({ name }) => name);
  const self = selfSources({ observer, supervisor, shedWatch, lags, timeWatch, outlets, otlp, calibrations });
  observeSelf(outlets.store, self, classNames);
  observeDemand(outlets.store, observer.demand);
  const watch = new UpstreamWatch(log);
  const diagnosisWatch = new DiagnosisWatch(
    outlets.diagnosis,
    () => polling.states(),
    () => backlogs(observer.openObserved(), routeBook.routes),
  );
  const clientSockets = new ClientSockets(() => observer.openObserved());
  const state = { config, draining: false, admin: undefined };
  const parts = {
    env,
    log,
    outlets,
    otlp,
    polling,
    floors,
    routeBook,
    observer,
    peer,
    drain,
    supervisor,
    shedWatch,
    tlsFiles,
    lags,
    timeWatch,
    watch,
    diagnosisWatch,
    clientSockets,
    selfSources: self,
    state,
  };
  return { ...parts, live: new LiveFeed(liveSources(parts)) };
}

/** What relays are told of a configuration. */
export function settingsOfRelays(
  config: Config,
  { env, outlets, routeBook }: Pick<Parts, 'env' | 'outlets' | 'routeBook'>,
): LiveSettings {
  const tracing = outlets.takesPartInTraces(config) ? samplerSettings(env) : undefined;
  return relaySettings(config, tracing, (route) => routeBook.idOf(route));
}

/** The counter tells how often; the log tells once what it was. */
function tellOnce(log: Log): (where: string, fault: unknown) => void {
  const told = new Set<string>();
  return (where, fault) => {
    if (told.has(where)) return;
    told.add(where);
    log.error('a part of the observer failed and was detached', { where, ...faultFields(fault) });
  };
}
