// What the container's CPU quota allows and how often it took the CPU away: read from the files that Linux
// keeps for the control group of this process, in both versions of cgroups. Elsewhere nothing is known.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the kernel counts of a quota since the control group began. */
export interface ThrottleCounts {
  /** Enforcement periods (usually 100 ms) in which the group ran. */
  readonly periodCount: number;
  /** Of these, periods in which it had used up its quota and was held back. */
  readonly throttledCount: number;
  /** Time for which it was held back, summed over CPUs. */
  readonly throttledNs: number;
}

/** Where Linux mounts cgroups, and where it says which one a process is in. */
const ROOT = '/sys/fs/cgroup';
const MEMBERSHIP = '/proc/self/cgroup';

export class CpuQuota {
  readonly #folders: readonly string[];

  constructor(root: string = ROOT, membershipFile: string = MEMBERSHIP) {
    this.#folders = foldersOf(root, tryRead(membershipFile) ?? '');
  }

  /** Undefined without a quota, which is when the kernel counts nothing. */
  throttling(): ThrottleCounts | undefined {
    for (const folder of this.#folders) {
      const stat = tryRead(join(folder, 'cpu.stat'));
      const periodCount = countOf(stat, 'nr_periods');
      const throttledCount = countOf(stat, 'nr_throttled');
      if (periodCount === undefined || throttledCount === undefined || periodCount === 0) continue;
      const throttledUs = countOf(stat, 'throttled_usec');
      const throttledNs = throttledUs === undefined ? (countOf(stat, 'throttled_time') ?? 0) : throttledUs * 1e3;
      return { periodCount, throttledCount, throttledNs };
    }
    return undefined;
  }

  /** Cores that the quota is worth; undefined without one. */
  cores(): number | undefined {
    for (const folder of this.#folders) {
      const [quota, period] = (tryRead(join(folder, 'cpu.max')) ?? '').trim().split(/\s+/).map(Number);
      const oldQuota = Number(tryRead(join(folder, 'cpu.cfs_quota_us')) ?? Number.NaN);
      const oldPeriod = Number(tryRead(join(folder, 'cpu.cfs_period_us')) ?? Number.NaN);
      const cores = (quota ?? Number.NaN) > 0 ? (quota as number) / (period ?? Number.NaN) : oldQuota / oldPeriod;
      if (cores > 0) return Math.round(cores * 100) / 100;
    }
    return undefined;
  }
}

/** In a container its own group is mounted as the root; a service of the host is in a folder below. */
function foldersOf(root: string, membership: string): string[] {
  const unified = /^0::(\S+)$/m.exec(membership)?.[1];
  const old = /^\d+:(?:\S+,)?cpu(?:,\S+)?:(\S+)$/m.exec(membership)?.[1];
  const below = [
    ...(unified === undefined ? [] : [join(root, unified)]),
    ...(old === undefined ? [] : [join(root, 'cpu', old)]),
  ];
  return [...new Set([...below, root, join(root, 'cpu')])];
}

function countOf(stat: string | undefined, name: string): number | undefined {
  const digits = new RegExp(`^${name} (\\d+)$`, 'm').exec(stat ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function tryRead(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not Linux, or another version of cgroups: then this is not known, and nothing is said of it.
    return undefined;
  }
}
