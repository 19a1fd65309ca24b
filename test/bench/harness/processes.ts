// What processes cost, read through /proc: CPU time in ns from the scheduler, so that short runs can be told apart,
// memory in RAM, and how busy the machine was with all else. Linux only.
import { cpus } from 'node:os';
import { readdirSync, readFileSync } from 'node:fs';

const NS_PER_MS = 1e6;
/** `/proc/stat` counts in hundredths of a second on every Linux that Node runs on (`USER_HZ`). */
const STAT_TICK_MS = 10;

export interface CpuTime {
  readonly totalNs: number;
  /** Of threads called `relay…`, which are rubato's. */
  readonly relayNs: number;
  /** Of each process's first thread. */
  readonly mainNs: number;
}

/** One process, several that are one server, or none for the direct way. */
export type Pids = number | readonly number[] | undefined;

const listOf = (pids: Pids): readonly number[] => (typeof pids === 'object' ? pids : pids === undefined ? [] : [pids]);

/** CPU time of processes so far: of all their threads, of relays, of main ones. */
export function cpuTimeOf(pids: Pids): CpuTime {
  const sum = { totalNs: 0, relayNs: 0, mainNs: 0 };
  for (const pid of listOf(pids)) {
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      const folder = `/proc/${pid}/task/${task}`;
      const usedNs = Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]);
      sum.totalNs += usedNs;
      if (readFileSync(`${folder}/comm`, 'utf8').startsWith('relay')) sum.relayNs += usedNs;
      if (task === String(pid)) sum.mainNs += usedNs;
    }
  }
  return sum;
}

export function cpuSince(pids: Pids, from: CpuTime): CpuTime {
  const now = cpuTimeOf(pids);
  return { totalNs: now.totalNs - from.totalNs, relayNs: now.relayNs - from.relayNs, mainNs: now.mainNs - from.mainNs };
}

/** Memory in RAM, 0 of none; what several processes of one server share counts once for each, so take differences. */
export function residentKib(pids: Pids): number {
  return listOf(pids).reduce(
    (sum, pid) => sum + Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]),
    0,
  );
}

/** A process and all that came of it: servers have workers. */
export function familyOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(name);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const family = [pid];
  // Grows while it is walked.
  for (const member of family) family.push(...(children.get(member) ?? []));
  return family;
}

/** Undefined when the process has ended meanwhile. */
function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** CPU time that the machine has spent on anything so far, and that others on the same host took from it. */
export function machineNs(): number {
  return spentTicks(readFileSync('/proc/stat', 'utf8')) * STAT_TICK_MS * NS_PER_MS;
}

/** Of the first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal. */
export function spentTicks(stat: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (stat.split('\n')[0] ?? '')
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return user + nice + system + irq + softirq + steal;
}

export const CORE_COUNT = cpus().length;
