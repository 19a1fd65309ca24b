// Jaeger 2, a trace back end that other people wrote: the Collector with a store of traces behind it. Built from its
// Go module, because no distribution packages it. It keeps traces in memory and is asked by its own HTTP API.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../src/client/hops/free-port.ts';
import { installed } from '../engine/cache.ts';
import { EngineProcess } from '../engine/engine-process.ts';
import { needGo } from '../engine/go.ts';

const MODULE = 'github.com/jaegertracing/jaeger';
const VERSION = '1.76.0';
const PROGRAM = `${MODULE}/cmd/jaeger`;
const BINARY = 'jaeger';
/** Some two thousand packages: 22 minutes of two cores on which four others compiled as well. */
const BUILD_CAP_MS = 25 * 60_000;
const BUILD_DISK_BYTES = 6e9;
const START_CAP_MS = 60_000;
const TRACES_MAX_COUNT = 1_000;

export interface Jaeger {
  /** OTLP over HTTP, and over gRPC. */
  readonly otlpPort: number;
  readonly otlpGrpcPort: number;
  /** Of its query API. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Builds it the first time. Throws `MissingError` when that cannot be done here. */
export async function startJaeger(): Promise<Jaeger> {
  const folder = await installed({
    name: `jaeger-${VERSION}`,
    capMs: BUILD_CAP_MS,
    diskBytes: BUILD_DISK_BYTES,
    make: build,
  });
  const [otlpPort, otlpGrpcPort, grpcPort] = [await freePort(), await freePort(), await freePort()];
  const running = await EngineProcess.start(
    {
      command: join(folder, BINARY),
      // JSON is YAML, and the Collector below it takes a whole configuration as an argument.
      args: (port) => ['--config', `yaml:${JSON.stringify(configOf({ port, otlpPort, otlpGrpcPort, grpcPort }))}`],
      healthPath: '/api/services',
      startCapMs: START_CAP_MS,
    },
    () => undefined,
  );
  return { otlpPort, otlpGrpcPort, url: running.url, stop: () => running.stop() };
}

async function build(folder: string, deadlineAtMs: number): Promise<void> {
  const work = join(folder, 'work');
  mkdirSync(work);
  const go = needGo({ cwd: work, deadlineAtMs });
  await go('mod', 'init', 'rubato.test/jaeger');
  // A module of our own that names one version: Jaeger's replaces a package, and so cannot be installed by name.
  await go('get', '-tool', `${PROGRAM}@v${VERSION}`);
  await go('build', '-trimpath', '-ldflags=-s -w', '-o', join(folder, BINARY), PROGRAM);
  rmSync(work, { recursive: true });
}

interface Ports {
  readonly port: number;
  readonly otlpPort: number;
  readonly otlpGrpcPort: number;
  readonly grpcPort: number;
}

/** Its own `all-in-one`, without what nobody asks here and would listen on a port of its own. */
function configOf({ port, otlpPort, otlpGrpcPort, grpcPort }: Ports): unknown {
  const at = (each: number) => ({ endpoint: `127.0.0.1:${each}` });
  return {
    service: {
      extensions: ['jaeger_storage', 'jaeger_query'],
      pipelines: { traces: { receivers: ['otlp'], exporters: ['jaeger_storage_exporter'] } },
      telemetry: { metrics: { level: 'none' }, logs: { level: 'warn' } },
    },
    extensions: {
      jaeger_query: { storage: { traces: 'memory' }, http: at(port), grpc: at(grpcPort) },
      jaeger_storage: { backends: { memory: { memory: { max_traces: TRACES_MAX_COUNT } } } },
    },
    receivers: { otlp: { protocols: { http: at(otlpPort), grpc: at(otlpGrpcPort) } } },
    exporters: { jaeger_storage_exporter: { trace_storage: 'memory' } },
  };
}
