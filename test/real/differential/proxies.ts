// The proxies that get the same bytes: rubato, nginx, HAProxy and the least that Node's own HTTP makes.
// Each is started with the configuration that a streaming endpoint needs and otherwise its defaults.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../src/client/hops/free-port.ts';
import { atTheEnd } from '../../support/children.ts';
import { Sidecar } from '../../support/sidecar.ts';
import { startListening } from '../engine/listening.ts';

const ROOT = new URL('../../..', import.meta.url).pathname;
const NODE = join(ROOT, 'node_modules/.bin/node');
const START_WAIT_MS = 10_000;

export interface Proxy {
  readonly name: string;
  readonly version: string;
  readonly port: number;
  stop(): Promise<void>;
}

export type StartProxy = (enginePort: number) => Promise<Proxy>;

function stopping(child: ChildProcess): () => Promise<void> {
  const kill = (): boolean => child.kill('SIGKILL');
  const release = atTheEnd(kill);
  return async () => {
    release();
    if (child.exitCode === null && child.signalCode === null) {
      const gone = new Promise((resolve) => child.once('close', resolve));
      kill();
      await gone;
    }
  };
}

const startRubato: StartProxy = async (enginePort) => {
  const sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${enginePort}` });
  return { name: 'rubato', version: 'this version', port: sidecar.listenPort, stop: () => sidecar.stop() };
};

const startNode: StartProxy = async (enginePort) => {
  const child = spawn(NODE, [join(ROOT, 'test/bench/contenders/node-pipe.ts'), String(enginePort)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const port = await new Promise<number>((resolve) => {
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(Number(text)));
  });
  const version = execFileSync(NODE, ['--version'], { encoding: 'utf8' }).trim().slice(1);
  return { name: 'bare Node', version, port, stop: stopping(child) };
};

/** A program with a configuration file; undefined when it is not installed. */
function configured(
  name: string,
  how: { command: string; versionArg: string; args: (file: string) => string[]; config: (ports: Ports) => string },
): StartProxy | undefined {
  // Debian keeps servers where only root looks for programs.
  const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin` };
  const asked = spawnSync(how.command, [how.versionArg], { encoding: 'utf8', env });
  if (asked.error !== undefined) return undefined;
  const version = /\d+\.\d+\.\d+/.exec(asked.stdout + asked.stderr)?.[0] ?? 'unknown';
  return async (engine) => {
    const folder = mkdtempSync(join(tmpdir(), 'rubato-differential-'));
    const file = join(folder, 'proxy.conf');
    const port = await freePort();
    writeFileSync(file, how.config({ port, engine, folder }));
    const end = await startListening(how.command, how.args(file), { port, env, waitMs: START_WAIT_MS });
    const stop = async (): Promise<void> => {
      await end();
      rmSync(folder, { recursive: true, force: true });
    };
    return { name, version, port, stop };
  };
}

interface Ports {
  readonly port: number;
  readonly engine: number;
  readonly folder: string;
}

const NGINX = ({ port, engine, folder }: Ports): string => `
daemon off; master_process off; worker_processes 1; pid ${folder}/pid; error_log /dev/null;
events { worker_connections 64; }
http {
  access_log off; client_header_timeout 1s; client_body_timeout 1s;
  client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c;
  uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://127.0.0.1:${engine}; proxy_http_version 1.1; proxy_set_header Host $http_host;
      proxy_set_header Connection ""; proxy_buffering off; proxy_request_buffering off; proxy_read_timeout 2s;
    }
  }
}
`;

const HAPROXY = ({ port, engine }: Ports): string => `
defaults
  mode http
  option http-no-delay
  timeout connect 1s
  timeout client 1s
  timeout server 2s
  timeout http-request 1s
frontend clients
  bind 127.0.0.1:${port}
  default_backend engine
backend engine
  server engine 127.0.0.1:${engine}
`;

/** In the order of the table's columns; undefined for what is not installed. */
export const PROXIES: Readonly<Record<string, StartProxy | undefined>> = {
  rubato: startRubato,
  nginx: configured('nginx', { command: 'nginx', versionArg: '-v', args: (file) => ['-c', file], config: NGINX }),
  HAProxy: configured('HAProxy', {
    command: 'haproxy',
    versionArg: '-v',
    args: (file) => ['-db', '-f', file],
    config: HAPROXY,
  }),
  'bare Node': startNode,
};
