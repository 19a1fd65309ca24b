// A process under measurement, or one that the bench needs beside it: started, asked for its port, ended. What it
// costs is read by `processes.ts`.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { atTheEnd } from '../../support/children.ts';
import { Sidecar } from '../../support/sidecar.ts';
import type { RequestShape } from './light-engine.ts';

export interface Contender {
  readonly name: string;
  /** Where clients connect. */
  readonly port: number;
  /** Absent for the direct way, which has no process of its own. */
  readonly pid: number | undefined;
  /** What a request through it needs beside the usual. */
  readonly request?: RequestShape;
  stop(): Promise<void>;
}

/** A script beside this folder that prints its port as its first line; `onLine` gets what it prints later. */
export async function startScript(
  name: string,
  path: string,
  args: readonly string[],
  nodeArgs: readonly string[] = [],
  onLine: (line: string) => void = () => undefined,
): Promise<Contender> {
  const file = new URL(path, import.meta.url).pathname;
  const command = [...nodeArgs, file, ...args];
  const child: ChildProcess = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  const release = atTheEnd(() => child.kill('SIGKILL'));
  if (child.stdout === null) throw new Error('the script has no output');
  const lines = createInterface(child.stdout);
  const [line] = (await once(lines, 'line')) as [string];
  lines.on('line', onLine);
  return {
    name,
    port: Number(line),
    pid: child.pid,
    async stop() {
      release();
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

export interface RubatoOptions {
  readonly enginePort: number;
  readonly args?: readonly string[];
  /** Port of a collector; without it nothing is pushed. */
  readonly collectorPort?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeArgs?: readonly string[];
}

export type Rubato = Contender & { readonly sidecar: Sidecar };

/** rubato as its users run it, with a record file and, given a collector, traces and metrics. */
export async function startRubato(name: string, options: RubatoOptions): Promise<Rubato> {
  const { enginePort, collectorPort, args = [], nodeArgs = [] } = options;
  const otlp = collectorPort === undefined ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collectorPort}` };
  const sidecar = await Sidecar.start({
    upstream: `http://127.0.0.1:${enginePort}`,
    args,
    nodeArgs,
    env: { ...otlp, OTEL_METRIC_EXPORT_INTERVAL: '2000', ...options.env },
  });
  return { name, port: sidecar.listenPort, pid: sidecar.pid, sidecar, stop: () => sidecar.stop() };
}

export function direct(enginePort: number): Contender {
  return { name: 'direct', port: enginePort, pid: undefined, stop: () => Promise.resolve() };
}
