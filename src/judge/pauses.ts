// How long our own thread did not run between two moments. Pure.
import type { Pause } from '../record/stream-record.ts';

export function pausedNs(pauses: readonly Pause[], fromNs: number, toNs: number): number {
  let sum = 0;
  for (const { startAtNs, endAtNs } of pauses) {
    sum += Math.max(0, Math.min(endAtNs, toNs) - Math.max(startAtNs, fromNs));
  }
  return sum;
}
