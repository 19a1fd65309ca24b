// What a window of a turn cost: CPU of the contender, of the load tool itself, and of all else on the machine.
import { nowNs } from '../../../src/base/clock.ts';
import { cpuSince, cpuTimeOf, machineNs, type CpuTime } from '../harness/processes.ts';
import type { Values } from './figures.ts';

export interface Account {
  /** Undefined for the direct way, which has no process. */
  readonly cpu: CpuTime | undefined;
  readonly seconds: number;
  /** Cores that the load tool's own thread and all other processes were busy with. */
  readonly shares: Values;
}

/** Begins a window; the function it gives ends it. */
export function openAccount(pids: readonly number[]): () => Account {
  const own = cpuTimeOf(process.pid);
  const machine = machineNs();
  const cpu = cpuTimeOf(pids);
  const beganAtNs = nowNs();
  return () => {
    const tookNs = nowNs() - beganAtNs;
    const spent = cpuSince(pids, cpu);
    const tool = cpuSince(process.pid, own);
    const othersNs = Math.max(0, machineNs() - machine - spent.totalNs - tool.totalNs);
    const shares = { toolShare: tool.mainNs / tookNs, othersShare: othersNs / tookNs };
    return { cpu: pids.length > 0 ? spent : undefined, seconds: tookNs / 1e9, shares };
  };
}

/** CPU of so many chunks; parts only where there are such threads. */
export function perChunk({ cpu, shares }: Account, count: number): Values {
  if (cpu === undefined) return shares;
  const us = (ns: number): number => ns / 1_000 / count;
  const parts = cpu.relayNs > 0 ? { relayUsPerChunk: us(cpu.relayNs), mainUsPerChunk: us(cpu.mainNs) } : {};
  return { cpuUsPerChunk: us(cpu.totalNs), ...parts, ...shares };
}

export function perRequest({ cpu, shares }: Account, count: number): Values {
  if (cpu === undefined) return shares;
  const us = (ns: number): number => ns / 1_000 / count;
  const parts = cpu.relayNs > 0 ? { relayUsPerRequest: us(cpu.relayNs) } : {};
  return { cpuUsPerRequest: us(cpu.totalNs), ...parts, ...shares };
}
