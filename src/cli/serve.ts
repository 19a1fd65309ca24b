// `rubato serve`: configuration → a running sidecar → its end. Knows flags and what signals mean; what a
// sidecar is made of stands in app/.
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { boundHeap } from '../app/heap.ts';
import type { Running } from '../app/serve.ts';
import { createLog } from '../base/log.ts';
import { giveWay } from '../base/thread-priority.ts';
import type { Config } from '../config/config.ts';
import { type Loaded, loadConfig } from '../config/load.ts';
import { checkOtelEnvironment } from '../telemetry/otel-environment.ts';
import { addConfigFlags, givenFlags, strayArguments } from './config-flags.ts';
import { configurationFailure, listenFailure } from './failures.ts';
import type { Io } from './io.ts';
import { Signals } from './signals.ts';

const HELP = `
Each flag is also the environment variable in brackets and a key of the YAML file; a flag wins over
the variable, the variable over the file. OTEL_… variables work as OpenTelemetry says; without an
OTLP endpoint nothing is pushed.

Examples:
  rubato serve --upstream http://127.0.0.1:8000
  rubato serve --upstream https://api.example.com --listen 0.0.0.0:8080 --record records.jsonl
  OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 rubato serve --upstream http://127.0.0.1:8000
  rubato serve --config rubato.yaml

Which hop holds the stream? Stand on both sides of it: the gateway's upstream becomes --listen, and clients go
to the edge. /api/hops on the admin port then says what the gateway does, and what cures it:
  rubato serve --upstream http://127.0.0.1:8000 --edge gateway@127.0.0.1:8081=http://127.0.0.1:4000

SIGHUP has the YAML file read again without cutting a stream; a file with faults changes nothing.
SIGTERM or Ctrl-C lets open streams finish, for as long as --drain says; a second one cuts them.

A YAML file with routes, edges and classes:
  listen: 0.0.0.0:8080
  routes:                                # the first that matches wins
    - { name: chat, prefix: /v1/chat, upstream: "http://127.0.0.1:8000" }
    - { name: rest, upstream: "http://127.0.0.1:8001" }
  edges:                                 # listeners before gateways, which lead to "listen"
    - { name: gateway, listen: "0.0.0.0:8081", upstream: "http://127.0.0.1:4000" }
  classes:                               # interactive, batch and default always exist
    - name: agents
      stall_ms: 250
      match:                             # any of these rules
        - header: { name: user-agent, prefix: "agent/" }
        - body: { field: service_tier, equals: flex }`;

export function serveCommand(command: Command, io: Io): (command: Command) => Promise<number> {
  addConfigFlags(command)
    .description('forward requests to an engine and measure every stream')
    .usage('--upstream URL [flags]')
    .addHelpText('after', HELP);
  return async (given) => {
    const signals = io.signals ?? new Signals();
    try {
      const load = loading(given, io);
      const running = await start(checked(load()), io);
      signals.serve({
        reload: () => void running.reload(load),
        drain(signal) {
          if (io.stdout.isTTY === true) io.err(`${signal}: letting open streams finish. Once more cuts them.`);
          void running.close('signal');
        },
        cut: () => void running.close('done'),
      });
      // The log says it too, for machines; this line is for whoever started it by hand.
      if (io.stdout.isTTY === true)
        io.out(`rubato listens on ${running.listen}, metrics are on ${running.admin}/metrics.`);
      return await running.finished;
    } finally {
      signals.close();
    }
  };
}

/** Reads everything again at each call: flags and environment stay, files may have changed. */
function loading(command: Command, io: Io): () => Loaded {
  const stray = strayArguments(command);
  const flags = givenFlags(command);
  return () =>
    loadConfig({
      flags,
      env: io.env,
      execArgv: io.execArgv,
      platform: io.platform,
      readFile: (path) => readFileSync(path, 'utf8'),
      checks: [() => stray, checkOtelEnvironment],
    });
}

function checked(loaded: Loaded): Config {
  if ('faults' in loaded) throw configurationFailure(loaded.faults);
  if (loaded.warnings.length > 0) {
    const log = createLog({ level: loaded.config.logLevel });
    for (const warning of loaded.warnings) log.warn(warning);
    log.flushSync();
  }
  return loaded.config;
}

async function start(config: Config, io: Io): Promise<Running> {
  boundHeap(io);
  try {
    // Loaded only now: help and faults of the configuration need not wait for everything else.
    const { startServe } = await import('../app/serve.ts');
    // Relays go first wherever CPU is scarce: whatever this thread makes of their words can wait on the tape.
    return await startServe(config, { onAllBegun: giveWay });
  } catch (error) {
    const { listen, edges, admin, otlpListen } = config;
    throw (
      listenFailure(error, [
        { flag: '--listen', ...listen },
        ...edges.map(({ listen: { host, port }, upstream }) => ({
          flag: '--edge',
          host,
          port,
          rest: `=${upstream.origin}`,
        })),
        { flag: '--admin', ...admin },
        ...(otlpListen === undefined ? [] : [{ flag: '--otlp-listen', ...otlpListen }]),
      ]) ?? error
    );
  }
}
