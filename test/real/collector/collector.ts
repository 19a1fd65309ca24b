// A real OpenTelemetry Collector, made by its own builder from the manifest that is shipped, and run with the
// configurations that are shipped. Minutes of compiling the first time; then it lies in the cache.
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { freePort } from '../../../src/client/hops/free-port.ts';
import { ROOT } from '../../support/program.ts';
import { installed } from '../engine/cache.ts';
import { runCommand } from '../engine/command.ts';
import { EngineProcess } from '../engine/engine-process.ts';
import { GO_ENV, needGo } from '../engine/go.ts';

const MANIFEST = join(ROOT, 'deploy/collector/builder.yaml');
const BINARY = 'otelcol-rubato';
/** Half an hour of two cores that others use as well, at the worst; see the table in test/real/README.md. */
const BUILD_CAP_MS = 28 * 60_000;
/** Sources and compiled packages; what stays in the cache is the program alone. */
const BUILD_DISK_BYTES = 5e9;
const START_CAP_MS = 60_000;

interface Manifest {
  readonly dist: { readonly name: string; readonly version: string; readonly output_path: string };
}

/** The program, made now if it is not there. Throws `MissingError` when it cannot be. */
export async function collectorProgram(): Promise<string> {
  const text = readFileSync(MANIFEST, 'utf8');
  const manifest = parse(text) as Manifest;
  // By what is in it, too: a component more makes another program of the same version.
  const sign = createHash('sha256').update(JSON.stringify(manifest)).digest('hex').slice(0, 8);
  const folder = await installed({
    name: `collector-${manifest.dist.version}-${sign}`,
    capMs: BUILD_CAP_MS,
    diskBytes: BUILD_DISK_BYTES,
    make: (staging, deadlineAtMs) => build(manifest, staging, deadlineAtMs),
  });
  return join(folder, BINARY);
}

async function build(manifest: Manifest, folder: string, deadlineAtMs: number): Promise<void> {
  const work = join(folder, 'work');
  mkdirSync(work);
  // The builder runs Go as well.
  const options = { cwd: work, deadlineAtMs, env: { ...GO_ENV, GOBIN: work } };
  await needGo(options)('install', `go.opentelemetry.io/collector/cmd/builder@v${manifest.dist.version}`);
  const here = { ...manifest, dist: { ...manifest.dist, output_path: join(work, 'made') } };
  writeFileSync(join(work, 'builder.yaml'), stringify(here));
  await runCommand(join(work, 'builder'), ['--config', 'builder.yaml'], options);
  copyFileSync(join(work, 'made', manifest.dist.name), join(folder, BINARY));
  rmSync(work, { recursive: true });
}

export interface Judged {
  readonly code: number | null;
  readonly said: string;
}

/** What the Collector itself says of a configuration, without running it. */
export function validate(program: string, configFile: string): Judged {
  const { status, stdout, stderr } = spawnSync(program, ['validate', '--config', configFile], { encoding: 'utf8' });
  return { code: status, said: `${stdout}${stderr}` };
}

export interface CollectorOptions {
  readonly program: string;
  /** Below the top of the repository. */
  readonly config: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Keys of the configuration that are other here, such as `exporters::prometheus::endpoint`. */
  readonly sets?: Readonly<Record<string, string>>;
}

export interface Collector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly otlpUrl: string;
  log(): string;
  stop(): Promise<void>;
}

/** Runs it with a shipped configuration as it is, but for ports that this machine has free. */
export async function startCollector({ program, config, env = {}, sets = {} }: CollectorOptions): Promise<Collector> {
  const [httpPort, grpcPort] = [await freePort(), await freePort()];
  const ports = (healthPort: number): Record<string, string> => ({
    'receivers::otlp::protocols::http::endpoint': `127.0.0.1:${httpPort}`,
    'receivers::otlp::protocols::grpc::endpoint': `127.0.0.1:${grpcPort}`,
    'extensions::health_check::endpoint': `127.0.0.1:${healthPort}`,
    // Its own metrics would want a port that another Collector here may have.
    'service::telemetry::metrics::level': 'none',
  });
  const collector = await EngineProcess.start(
    {
      command: program,
      args: (port) => [
        '--config',
        join(ROOT, config),
        ...Object.entries({ ...ports(port), ...sets }).map(([key, value]) => `--set=${key}=${value}`),
      ],
      env,
      healthPath: '/',
      startCapMs: START_CAP_MS,
    },
    () => undefined,
  );
  return {
    otlpUrl: `http://127.0.0.1:${httpPort}`,
    log: () => collector.log(),
    stop: () => collector.stop(),
  };
}
