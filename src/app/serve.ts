// Starts a sidecar and takes it apart again, both in the order of travel:
//
//   clients → relays → tapes → observer → outlets → the world        (admin looks on)
//
// Up: the far end first, so that nothing arrives where nobody is. Down: the near end first, so that
// whatever was begun still gets through.
import { setTimeout as delay } from 'node:timers/promises';
import { createLog, faultFields } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import type { Loaded } from '../config/load.ts';
import { hostPortText } from '../config/values.ts';
import type { Sink } from '../judge/report.ts';
import { startAdmin } from '../telemetry/admin.ts';
import type { Environment } from '../telemetry/otel-environment.ts';
import { adminData } from './admin-data.ts';
import { allRoutes } from './edge-routes.ts';
import { tellFloors } from './floors.ts';
import { createOtlpIntake } from './otlp-intake.ts';
import { createOutlets } from './outlets.ts';
import { createParts, type Parts } from './parts.ts';
import { reload } from './reload.ts';
import { roomInDescriptorsCount } from './room.ts';

export interface Running {
  /** Where clients connect, as `host:port`. */
  readonly listen: string;
  /** Where they connect before a hop. */
  readonly edges: readonly RunningEdge[];
  /** Where the admin port is. */
  readonly admin: string;
  /**
   * Ends it: `signal` lets open streams finish within the drain limit, `done` cuts them at once. `done`
   * after `signal` ends the waiting.
   */
  close(reason: 'signal' | 'done'): Promise<void>;
  /** Has it go on by the configuration that `load` reads, if that has no faults. */
  reload(load: () => Loaded): Promise<void>;
  /** Exit code, once everything has ended. */
  readonly finished: Promise<number>;
}

export interface RunningEdge {
  readonly name: string;
  readonly listen: string;
  /** The hop's URL. */
  readonly upstream: string;
}

export interface ServeExtras {
  /** Further listeners to what happens. */
  readonly sinks?: readonly Sink[];
  readonly env?: Environment;
  /** All threads of relays that there are from the start have begun to run. */
  readonly onAllBegun?: () => void;
}

/** Starts a sidecar; rejects with the system's error when a port cannot be had. */
export async function startServe(config: Config, extras: ServeExtras = {}): Promise<Running> {
  const env = extras.env ?? process.env;
  const log = createLog({ level: config.logLevel });
  const outlets = await createOutlets(config, env, log);
  const otlp = await createOtlpIntake(config, env, log);
  const { sinks = [], onAllBegun } = extras;
  const parts = createParts(config, { env, log, outlets, otlp, sinks, onAllBegun });
  try {
    return await start(config, parts);
  } catch (error) {
    await stop(parts, 0);
    throw error;
  }
}

async function start(config: Config, parts: Parts): Promise<Running> {
  const { log, otlp, supervisor, watch, state } = parts;
  if (config.upstreamTls.insecure) {
    log.warn('certificates of upstreams are not verified (upstream-insecure): keys and prompts go to whoever answers');
  }
  tellFloors(config, log);
  const room = roomInDescriptorsCount();
  if (room !== undefined && room < config.admission.maxConnectionCount) {
    const limit = { max_connections: room, configured: config.admission.maxConnectionCount };
    log.info('the limit of open files (ulimit -n) leaves room for fewer connections than max-connections', limit);
  }
  const [listen = config.listen, ...edgePlaces] = await supervisor.start();
  const edges = config.edges.map(({ name, listen: asked, upstream }, index) => {
    return { name, listen: hostPortText(edgePlaces[index] ?? asked), upstream: upstream.origin };
  });
  const otlpListen = await otlp?.start();
  state.admin = await startAdmin({
    host: config.admin.host,
    port: config.admin.port,
    allowedHosts: config.adminAllowHosts,
    data: adminData(parts),
    live: parts.live,
    pulses: supervisor.pulses(),
    log,
  });
  const { admin } = state;
  supervisor.onPulses = () => admin.setPulses(supervisor.pulses());
  const address = {
    listen: hostPortText(listen),
    admin: hostPortText({ host: config.admin.host, port: state.admin.port }),
  };
  for (const edge of edges) {
    log.info('an edge is listening', { edge: edge.name, listen: edge.listen, upstream: edge.upstream });
  }
  log.info('rubato is listening', { ...address, ...(otlpListen && { otlp: hostPortText(otlpListen) }) });
  parts.polling.start();
  void parts.peer?.start();
  void watch.start(allRoutes(config).map(({ upstream }) => upstream));

  return { ...address, edges, ...ending(parts), reload: reloading(parts) };
}

/** One after the other, and none once the end has begun. */
function reloading(parts: Parts): Running['reload'] {
  const { log, state } = parts;
  let last = Promise.resolve();
  return (load) => {
    last = last
      .then(() => (state.draining ? log.warn('the configuration is not read: shutting down') : reload(parts, load())))
      .catch((fault: unknown) => log.error('the configuration could not be read anew', faultFields(fault)));
    return last;
  };
}

function ending(parts: Parts): Pick<Running, 'close' | 'finished'> {
  const { log, supervisor, state } = parts;
  const { promise: finished, resolve: finish } = Promise.withResolvers<number>();
  const hurry = new AbortController();
  let closing: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    state.draining = true;
    // Whoever sends requests here needs a while to see that they are not wanted any more.
    const { drainDelayMs, drainMs } = state.config;
    await delay(drainDelayMs, undefined, { signal: hurry.signal }).catch(() => undefined);
    await stop(parts, hurry.signal.aborted ? 0 : drainMs);
    log.info('rubato has ended');
    log.flushSync();
    finish(0);
  };
  return {
    finished,
    close(reason) {
      if (reason === 'done') hurry.abort();
      if (closing === undefined) closing = end();
      else if (reason === 'done') supervisor.hurry();
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
  parts.tlsFiles?.close();
  parts.shedWatch.close();
  drain.stop();
  parts.observer.settleAll();
  lags.close();
  parts.timeWatch.close();
  parts.diagnosisWatch.close();
  parts.live.close();
  parts.floors.close();
  // Side by side, for each may take its time, and together they may take no more than one of them.
  const threads = supervisor.ended();
  await Promise.all([parts.peer?.close(), parts.polling.close(), otlp?.close(), outlets.close()]);
  await Promise.all([threads, state.admin?.close()]);
  log.flushSync();
}
