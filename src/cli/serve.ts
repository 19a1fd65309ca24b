// `rubato serve`: configuration → a running sidecar → its end. Knows flags and signals; what a
// sidecar is made of stands in app/.
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Running } from '../app/serve.ts';
import { createLog } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { checkOtelEnvironment } from '../telemetry/otel-environment.ts';
import { addConfigFlags, givenFlags, strayArguments } from './config-flags.ts';
import { configurationFailure, listenFailure } from './failures.ts';
import type { Io } from './io.ts';

const HELP = `
Each flag is also the environment variable in brackets and a key of the YAML file; a flag wins over
the variable, the variable over the file. OTEL_… variables work as OpenTelemetry says; without an
OTLP endpoint nothing is pushed.

Examples:
  rubato serve --upstream http://127.0.0.1:8000
  rubato serve --upstream https://api.example.com --listen 0.0.0.0:8080 --record records.jsonl
  OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 rubato serve --upstream http://127.0.0.1:8000
  rubato serve --config rubato.yaml

A YAML file with routes and classes:
  listen: 0.0.0.0:8080
  routes:                                # the first that matches wins
    - { name: chat, prefix: /v1/chat, upstream: "http://127.0.0.1:8000" }
    - { name: rest, upstream: "http://127.0.0.1:8001" }
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
    const config = configFrom(given, io);
    const running = await start(config);
    // The log says it too, for machines; this line is for whoever started it by hand.
    if (io.stdout.isTTY === true)
      io.out(`rubato listens on ${running.listen}, metrics are on ${running.admin}/metrics.`);
    return await untilEnd(running, io);
  };
}

function configFrom(command: Command, io: Io): Config {
  const stray = strayArguments(command);
  const loaded = loadConfig({
    flags: givenFlags(command),
    env: io.env,
    execArgv: io.execArgv,
    platform: io.platform,
    readFile: (path) => readFileSync(path, 'utf8'),
    checks: [() => stray, checkOtelEnvironment],
  });
  if ('faults' in loaded) throw configurationFailure(loaded.faults);
  if (loaded.warnings.length > 0) {
    const log = createLog({ level: loaded.config.logLevel });
    for (const warning of loaded.warnings) log.warn(warning);
    log.flushSync();
  }
  return loaded.config;
}

async function start(config: Config): Promise<Running> {
  try {
    // Loaded only now: help and faults of the configuration need not wait for everything else.
    const { startServe } = await import('../app/serve.ts');
    return await startServe(config);
  } catch (error) {
    const { listen, admin, otlpListen } = config;
    throw (
      listenFailure(error, [
        { flag: '--listen', ...listen },
        { flag: '--admin', ...admin },
        ...(otlpListen === undefined ? [] : [{ flag: '--otlp-listen', ...otlpListen }]),
      ]) ?? error
    );
  }
}

/** The first signal drains; a second one finds no handler of ours and ends the process at once. */
async function untilEnd(running: Running, io: Io): Promise<number> {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  const onSignal = (signal: string): void => {
    for (const each of signals) process.removeListener(each, onSignal);
    if (io.stdout.isTTY === true) io.err(`${signal}: letting open streams finish. Once more ends at once.`);
    void running.close('signal');
  };
  for (const signal of signals) process.on(signal, onSignal);
  try {
    return await running.finished;
  } finally {
    for (const signal of signals) process.removeListener(signal, onSignal);
  }
}
