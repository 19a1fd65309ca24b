// A process under measurement, or one that the bench needs beside it: started, asked for its port, looked
// at through /proc, ended. CPU time is in ns from the scheduler, so short runs can be told apart.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Sidecar } from '../../support/sidecar.ts';

export interface Contender {
  readonly name: string;
  /** Where clients connect. */
  readonly port: number;
  /** Absent for the direct way, which has no process of its own. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

export interface CpuTime {
  readonly totalNs: number;
  readonly relayNs: number;
  readonly mainNs: number;
}

/** CPU time of a process so far: of all its threads, of the relay's, of the main one. */
export function cpuTimeOf(pid: number | undefined): CpuTime {
  if (pid === undefined) return { totalNs: 0, relayNs: 0, mainNs: 0 };
  const sum = { totalNs: 0, relayNs: 0, mainNs: 0 };
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${task}`;
    const usedNs = Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]);
    sum.totalNs += usedNs;
    if (readFileSync(`${folder}/comm`, 'utf8').startsWith('relay')) sum.relayNs += usedNs;
    if (task === String(pid)) sum.mainNs += usedNs;
  }
  return sum;
}

export function cpuSince(pid: number | undefined, from: CpuTime): CpuTime {
  const now = cpuTimeOf(pid);
  return { totalNs: now.totalNs - from.totalNs, relayNs: now.relayNs - from.relayNs, mainNs: now.mainNs - from.mainNs };
}

/** A script beside this folder that prints its port as its first line. */
export async function startScript(
  name: string,
  path: string,
  args: readonly string[],
  nodeArgs: readonly string[] = [],
): Promise<Contender> {
  const file = new URL(path, import.meta.url).pathname;
  const command = [...nodeArgs, file, ...args];
  const child: ChildProcess = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (child.stdout === null) throw new Error('the script has no output');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    name,
    port: Number(line),
    pid: child.pid,
    async stop() {
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
