// Puts a sidecar together and takes it apart again, both in the order of travel:
//
//   clients → relays → tapes → observer → outlets → the world        (admin looks on)
//
// Up: the far end first, so that nothing arrives where nobody is. Down: the near end first, so that
// whatever was begun still gets through.
import { createLog, faultFields, type Log } from '../base/log.ts';
import type { Config, HostPort } from '../config/config.ts';
import type { Report, Sink } from '../judge/report.ts';
import { ClientSockets } from '../observe/client-sockets.ts';
import { createClassifier } from '../observe/classifier.ts';
import { Calibrations } from '../observe/calibrations.ts';
import { Observer } from '../observe/observer.ts';
import type { EngineMetrics } from '../observe/engine-metrics/engine-metrics.ts';
import type { OtlpReceiver } from '../observe/otlp/receiver.ts';
import { TapeDrain } from '../observe/tape-drain.ts';
import { startAdmin, type AdminData, type AdminServer } from '../telemetry/admin.ts';
import type { Environment } from '../telemetry/otel-environment.ts';
import { observeEngines } from '../telemetry/engine-metrics.ts';
import { observeSelf } from '../telemetry/self-metrics.ts';
import { createEnginePolling } from './engine-polling.ts';
import { LagWindow } from './lag-window.ts';
import { createOtlpIntake } from './otlp-intake.ts';
import { createOutlets, type Outlets } from './outlets.ts';
import { relaySettings, samplerSettings } from './relay-settings.ts';
import { RelaySupervisor } from './relay-supervisor.ts';
import { selfSources } from './self-sources.ts';
import { UpstreamWatch } from './upstream-watch.ts';

export interface Running {
  /** Where clients connect, as `host:port`. */
  readonly listen: string;
  /** Where the admin port is. */
  readonly admin: string;
  /** Ends it: `signal` lets open streams finish within the drain limit, `done` cuts them at once. */
  close(reason: 'signal' | 'done'): Promise<void>;
  /** Exit code, once everything has ended. */
  readonly finished: Promise<number>;
}

export interface ServeExtras {
  /** Further listeners to what happens. */
  readonly sinks?: readonly Sink[];
  readonly env?: Environment;
}

/** Starts a sidecar; rejects with the system's error when a port cannot be had. */
export async function startServe(config: Config, extras: ServeExtras = {}): Promise<Running> {
  const env = extras.env ?? process.env;
  const log = createLog({ level: config.logLevel });
  const outlets = await createOutlets(config, env, log);
  const otlp = await createOtlpIntake(config, env, log);
  const parts = createParts(config, env, { log, outlets, otlp, sinks: extras.sinks ?? [] });
  try {
    return await start(config, parts);
  } catch (error) {
    await stop(parts, 0);
    throw error;
  }
}

interface Parts {
  readonly log: Log;
  readonly outlets: Outlets;
  readonly otlp: OtlpReceiver | undefined;
  readonly polling: EngineMetrics;
  readonly observer: Observer;
  readonly drain: TapeDrain;
  readonly supervisor: RelaySupervisor;
  readonly lags: LagWindow;
  readonly watch: UpstreamWatch;
  readonly clientSockets: ClientSockets;
  readonly state: { draining: boolean; admin: AdminServer | undefined };
}

interface Given {
  readonly log: Log;
  readonly outlets: Outlets;
  readonly otlp: OtlpReceiver | undefined;
  readonly sinks: readonly Sink[];
}

function createParts(config: Config, env: Environment, { log, outlets, otlp, sinks }: Given): Parts {
  const told = new Set<string>();
  // Evidence and observer know of each other: who polls must see who is open, and asks only later.
  const polling = createEnginePolling(config, log, function* openRoutes() {
    for (const { opening } of observer.openObserved()) yield opening.routeIndex;
  });
  observeEngines(outlets.store, polling);
  const calibrations = new Calibrations({ running: (route) => polling.view.running(route) });
  const observer = new Observer({
    sinks: [...outlets.sinks, polling.sink, ...sinks],
    classifier: createClassifier(config.classHeader, config.classes),
    routes: config.routes.map(({ name, engine }) => ({ name, engine: engine.name })),
    lateSources: [...(otlp === undefined ? [] : [otlp.source]), ...polling.lateSources],
    evidenceWaitMs: config.evidenceWaitMs,
    engineByMetrics: (route) => polling.view.engine(route),
    estimator: calibrations,
    models: config.models,
    promptBucketEdges: config.promptBucketEdges,
    outputBucketEdges: config.outputBucketEdges,
    onFault(where, fault) {
      // The counter tells how often; the log tells once what it was.
      if (told.has(where)) return;
      told.add(where);
      log.error('a part of the observer failed and was detached', { where, ...faultFields(fault) });
    },
  });
  const drain = new TapeDrain((fault) => log.error('a tape entry could not be read', faultFields(fault)));
  const supervisor = new RelaySupervisor({
    count: config.relayCount,
    listen: config.listen,
    settings: relaySettings(config, outlets.tracing ? samplerSettings(env) : undefined),
    observer,
    drain,
    log,
  });
  const lags = new LagWindow(() => supervisor.takeLoopLags());
  const classNames = config.classes.map(({ name }) => name);
  observeSelf(outlets.store, selfSources({ observer, supervisor, lags, outlets, otlp, calibrations }), classNames);
  const watch = new UpstreamWatch(log);
  const clientSockets = new ClientSockets(() => observer.openObserved());
  const state = { draining: false, admin: undefined };
  return { log, outlets, otlp, polling, observer, drain, supervisor, lags, watch, clientSockets, state };
}

async function start(config: Config, parts: Parts): Promise<Running> {
  const { log, otlp, supervisor, watch, state } = parts;
  if (config.upstreamTls.insecure) {
    log.warn('certificates of upstreams are not verified (upstream-insecure): keys and prompts go to whoever answers');
  }
  const listen = await supervisor.start();
  const otlpListen = await otlp?.start();
  state.admin = await startAdmin({
    host: config.admin.host,
    port: config.admin.port,
    allowedHosts: config.adminAllowHosts,
    data: adminData(parts),
    log,
  });
  const address = { listen: textOf(listen), admin: textOf({ host: config.admin.host, port: state.admin.port }) };
  log.info('rubato is listening', { ...address, ...(otlpListen && { otlp: textOf(otlpListen) }) });
  parts.polling.start();
  void watch.start(config.routes.map(({ upstream }) => upstream));

  let closing: Promise<void> | undefined;
  let finish: (exitCode: number) => void = () => undefined;
  const finished = new Promise<number>((resolve) => {
    finish = resolve;
  });
  const end = async (withinMs: number): Promise<void> => {
    await stop(parts, withinMs);
    log.info('rubato has ended');
    log.flushSync();
    finish(0);
  };
  return {
    ...address,
    finished,
    close(reason) {
      closing ??= end(reason === 'signal' ? config.drainMs : 0);
      return closing;
    },
  };
}

async function stop(parts: Parts, withinMs: number): Promise<void> {
  const { log, outlets, otlp, drain, supervisor, lags, watch, clientSockets, state } = parts;
  state.draining = true;
  watch.close();
  await supervisor.close(withinMs);
  clientSockets.close();
  drain.stop();
  parts.observer.settleAll();
  await parts.polling.close();
  lags.close();
  await Promise.all([otlp?.close(), outlets.close()]);
  await state.admin?.close();
  log.flushSync();
}

function adminData({ outlets, polling, observer, supervisor, watch, state }: Parts): AdminData {
  return {
    health() {
      const relays = supervisor.health();
      return { ok: relays.every(({ ok }) => ok), relays };
    },
    ready() {
      const reasons = watch.unreachable.map((origin) => `the upstream ${origin} cannot be reached`);
      if (state.draining) reasons.unshift('shutting down');
      return { ok: reasons.length === 0, reasons };
    },
    openExchanges: () => observer.openExchanges(),
    recent: () => outlets.recent.list().toReversed().map(recentOf),
    record: (id) => outlets.recent.find(id),
    metricsText: (accept) => outlets.metricsText(accept),
    summary: () => outlets.summary.read(),
    engines: () => polling.states(),
  };
}

function recentOf(report: Report) {
  const { id, end } = report.record;
  return { id, outcome: end.outcome, wireEnd: end.wire, report };
}

function textOf({ host, port }: HostPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
