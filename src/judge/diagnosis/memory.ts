// The KV cache: requests that were thrown out of the batch, and a cache that is nearly full.
import type { Finding } from './finding.ts';
import { largest, percent, type DiagnosisView } from './view.ts';

/** From here an engine is about to throw out what it has begun. */
const KV_FULL_RATIO = 0.9;

export function findPreemption({ facts }: DiagnosisView): Finding | undefined {
  const { preemptedCount } = facts;
  if (preemptedCount === undefined || preemptedCount === 0) return undefined;
  const endedCount = facts.slices.reduce((sum, { endCount }) => sum + endCount, 0);
  return {
    cause: 'preemption',
    weight: Math.min(1, 0.6 + preemptedCount / Math.max(1, endedCount)),
    says: `The engine threw ${preemptedCount} requests out of its batch while ${endedCount} exchanges ended; each is computed again.`,
    numbers: { preemptedCount, endedCount },
  };
}

export function findKvPressure({ facts }: DiagnosisView): Finding | undefined {
  const used = largest(facts.slices.map(({ kvUsedMaxRatio }) => kvUsedMaxRatio));
  if (used === undefined || used < KV_FULL_RATIO) return undefined;
  return {
    cause: 'kv_pressure',
    weight: Math.min(1, 0.5 + (used - KV_FULL_RATIO) * 5),
    says: `The KV cache was ${percent(used)} full; what has no room waits or is thrown out.`,
    numbers: { kvUsedRatio: used },
  };
}
