// What the machine or the container allows: open files, CPU and its throttling, the clock, the version
// of Node. Linux tells these in files; elsewhere they are left out.
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { nowNs } from '../../base/clock.ts';
import { CpuQuota } from '../../observe/cpu-quota.ts';
import { connectionsWithin, descriptorsWithin } from '../room.ts';
import type { Check, DoctorContext, Finding } from './check.ts';

export const machineCheck: Check = {
  name: 'machine',
  run: (context) => [openFiles(), ...cpu(context), clock(), ...upstreamClock(context), node()],
};

const STREAMS_WANTED = 2_000;

function openFiles(): Finding {
  const limits = tryRead('/proc/self/limits') ?? '';
  const [limit, streams] = [descriptorsWithin(limits), connectionsWithin(limits)];
  if (limit === undefined || streams === undefined) {
    return { check: 'open files', status: 'skip', says: 'this system does not tell the limit' };
  }
  const values = { limit, streams };
  if (streams >= STREAMS_WANTED)
    return { check: 'open files', status: 'ok', says: `${limit}, enough for ${streams} streams at a time`, values };
  return {
    check: 'open files',
    status: 'warn',
    says: `${limit}, enough for only ${streams} streams at a time`,
    cure: 'raise it: ulimit -n 65536, or LimitNOFILE=65536 in the systemd unit',
    values,
  };
}

function cpu({ config }: DoctorContext): Finding[] {
  const cores = os.availableParallelism();
  const files = new CpuQuota();
  const quota = files.cores();
  const usable = Math.min(cores, quota ?? cores);
  const threads = config.relayCount + 1;
  const values = { cores, threads, ...(quota === undefined ? {} : { quotaCores: quota }) };
  const limit = quota === undefined ? 'no quota' : `a quota of ${quota}`;
  const amount: Finding =
    usable >= threads
      ? { check: 'cpu', status: 'ok', says: `${cores} cores, ${limit}, for ${threads} threads`, values }
      : {
          check: 'cpu',
          status: 'warn',
          says: `${cores} cores, ${limit}, for ${threads} threads: they will wait for each other`,
          cure: 'give the container more CPU, or lower --relays',
          values,
        };
  return [amount, ...throttling(files)];
}

function throttling(quota: CpuQuota): Finding[] {
  const counts = quota.throttling();
  if (counts === undefined) return [];
  const { periodCount: periods, throttledCount: throttled } = counts;
  const values = { periods, throttled };
  const says = `the container was throttled in ${throttled} of ${periods} periods`;
  if (throttled / periods <= 0.01) return [{ check: 'cpu throttling', status: 'ok', says, values }];
  const cure = 'raise or drop the CPU limit: a throttled rubato holds every stream for up to 100 ms at a time';
  return [{ check: 'cpu throttling', status: 'warn', says, cure, values }];
}

/** The finest step seen among many readings: stamps cannot be better than that. */
function clock(): Finding {
  let finestNs = Number.POSITIVE_INFINITY;
  let before = nowNs();
  for (let reading = 0; reading < 10_000; reading += 1) {
    const now = nowNs();
    if (now > before) finestNs = Math.min(finestNs, now - before);
    before = now;
  }
  const values = { finestNs };
  if (finestNs <= 10_000)
    return { check: 'clock', status: 'ok', says: `the monotonic clock steps by ${finestNs} ns or less`, values };
  return {
    check: 'clock',
    status: 'warn',
    says: `the monotonic clock steps by ${finestNs} ns, so no stamp is finer`,
    cure: 'see /sys/devices/system/clocksource/clocksource0/current_clocksource: tsc or kvm-clock are fine',
    values,
  };
}

/** `Date` is told in whole seconds, so less than this is no difference. */
const OFFSET_MS = 2_000;

function upstreamClock({ trial }: DoctorContext): Finding[] {
  const offsetMs = trial?.clockOffsetMs;
  if (offsetMs === undefined) return [];
  const seconds = Math.round(Math.abs(offsetMs) / 1000);
  const values = { offsetMs: Math.round(offsetMs) };
  if (Math.abs(offsetMs) <= OFFSET_MS) {
    return [{ check: 'clock of the upstream', status: 'ok', says: 'agrees with the one here to the second', values }];
  }
  const way = offsetMs > 0 ? 'ahead of' : 'behind';
  return [
    {
      check: 'clock of the upstream',
      status: 'note',
      says: `is ${seconds} s ${way} the one here; figures do not depend on it, but spans of both will not line up`,
      cure: 'let both hosts keep time by NTP',
      values,
    },
  ];
}

function node(): Finding {
  return {
    check: 'node',
    status: 'ok',
    says: `${process.version} on ${process.platform} ${process.arch}`,
    values: { version: process.version },
  };
}

function tryRead(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not Linux, or another version of cgroups: then this is not known, and nothing is said of it.
    return undefined;
  }
}
