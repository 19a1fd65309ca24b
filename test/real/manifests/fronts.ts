// The servers of other people that stand before rubato in deploy/examples, started with the very files that are shown
// there; only the ports are put in the place of those that a user has.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { freePort } from '../../../src/client/hops/free-port.ts';
import { HOPS_ENV } from '../../hops/installed.ts';
import { ROOT } from '../../support/program.ts';
import { startListening } from '../engine/listening.ts';
import { ask, type Said } from './ask.ts';

const START_WAIT_MS = 10_000;
/** Debian keeps servers where only root looks for programs; Envoy is where .ci/install-hops put it. */
const ENV = {
  ...process.env,
  PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin:${HOPS_ENV['PATH'] ?? ''}`,
};

export interface Ports {
  readonly rubato: number;
  readonly admin: number;
  readonly engine: number;
}

/** A server that is configured by a file. */
export interface Server {
  readonly command: 'nginx' | 'haproxy' | 'envoy';
  /** What stands around an example that is only a part of a file. */
  wrap(text: string, folder: string): string;
  run(file: string, folder: string): readonly string[];
  check(file: string, folder: string): readonly string[];
}

export const NGINX: Server = {
  command: 'nginx',
  wrap: (text, folder) => `
daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 256; }
http {
  access_log off; client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c;
  uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
${text}
}
`,
  run: (file, folder) => ['-p', folder, '-e', 'stderr', '-c', file],
  check: (file, folder) => ['-t', '-p', folder, '-e', 'stderr', '-c', file],
};

export const HAPROXY: Server = {
  command: 'haproxy',
  wrap: (text) => text,
  run: (file) => ['-db', '-f', file],
  check: (file) => ['-c', '-f', file],
};

const ENVOY_QUIET = ['--log-level', 'off', '--concurrency', '1', '--use-dynamic-base-id'];

export const ENVOY: Server = {
  command: 'envoy',
  wrap: (text) => text,
  run: (file) => ['-c', file, ...ENVOY_QUIET],
  check: (file) => ['--mode', 'validate', '-c', file, ...ENVOY_QUIET],
};

export function hasServer({ command }: Server): boolean {
  return (
    spawnSync(command, [command === 'envoy' ? '--version' : '-v'], { env: ENV, stdio: 'ignore' }).error === undefined
  );
}

/** The example with our ports, and where it listens. */
function fill(name: string, ports: Ports, front: number): string {
  const places = { 8080: ports.rubato, 8000: ports.engine, 8081: front, 9464: ports.admin };
  return readFileSync(join(ROOT, 'deploy/examples', name), 'utf8').replaceAll(
    /(127\.0\.0\.1:|127\.0\.0\.1, port_value: |port )(8080|8000|8081|9464)\b/g,
    (_, before: string, port: keyof typeof places) => {
      return `${before}${places[port]}`;
    },
  );
}

/** What the server says of a file; `change` may put a fault into it. */
export function checkExample(server: Server, name: string, change: (text: string) => string = (text) => text): Said {
  const folder = mkdtempSync(join(tmpdir(), 'rubato-front-'));
  const file = join(folder, basename(name));
  writeFileSync(file, server.wrap(change(readFileSync(join(ROOT, 'deploy/examples', name), 'utf8')), folder));
  const said = ask(server.command, server.check(file, folder), { env: ENV });
  rmSync(folder, { recursive: true });
  return said;
}

export interface Front {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startFront(server: Server, name: string, ports: Ports): Promise<Front> {
  const folder = mkdtempSync(join(tmpdir(), 'rubato-front-'));
  const port = await freePort();
  const file = join(folder, basename(name));
  writeFileSync(file, server.wrap(fill(name, ports, port), folder));
  const end = await startListening(server.command, server.run(file, folder), {
    port,
    env: ENV,
    waitMs: START_WAIT_MS,
  });
  return {
    port,
    stop: async () => {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
