// What a change may not break, as ratios of rubato to a bare @fastify/http-proxy in one short run: bounds so wide that
// no figure of a sound build comes near them, and what a careless change does is beyond. Pure.
import { median } from '../harness/stats.ts';
import type { Results } from './figures.ts';
import { judge, type Judgement, type Target } from './targets.ts';

const BARE = 'http-proxy';

export const BOUNDS: readonly Target[] = [
  {
    // Seen 1.7 with others at work and 2.1 alone: streams are short here, and main's account of their ends is in it.
    what: 'CPU a chunk, whole process',
    of: ['steady', 'rubato', 'cpuUsPerChunk'],
    against: ['steady', BARE, 'cpuUsPerChunk'],
    how: 'ratio',
    limit: 4,
  },
  {
    // Seen 0.5 to 0.9 of some 40 µs. To wake another thread for each chunk takes 35 µs more, which is far beyond.
    what: 'CPU a chunk, relay thread',
    of: ['steady', 'rubato', 'relayUsPerChunk'],
    against: ['steady', BARE, 'cpuUsPerChunk'],
    how: 'ratio',
    limit: 1.2,
  },
  {
    // A busy machine joins reads in either process; a proxy that gathers joins each second one at the least.
    what: 'reads an event, share by which it differs',
    of: ['steady', 'rubato', 'readsPerEvent'],
    against: ['steady', BARE, 'readsPerEvent'],
    how: 'deviation',
    limit: 0.15,
  },
  {
    // Seen 0.7 of 79 KiB. Two buffers of 64 KiB kept for each stream are beyond.
    what: 'memory of a stream that waits',
    of: ['idle', 'rubato', 'kibPerStream'],
    against: ['idle', BARE, 'kibPerStream'],
    how: 'ratio',
    limit: 2,
  },
];

/** Cores that other processes may take before a figure beyond its bound proves nothing. */
export const OTHERS_MAX_CORES = 0.5;

export interface RatioVerdict {
  readonly judgements: readonly Judgement[];
  readonly othersCores: number;
  readonly isBusy: boolean;
  /** Something is beyond its bound, and the machine was quiet enough to say so. */
  readonly isFailed: boolean;
}

export function ratioVerdict(results: Results): RatioVerdict {
  const judgements = judge(results, BOUNDS);
  const turns = Object.values(results['steady'] ?? {}).flat();
  const othersCores = median(turns.flatMap(({ othersShare }) => othersShare ?? []));
  const isBusy = othersCores > OTHERS_MAX_CORES;
  const isBeyond = judgements.some(({ word }) => word === 'MISS');
  // A side that could not be measured is no proof of anything on a busy machine, and a fault on a quiet one.
  const isMissing = judgements.some(({ word }) => word === 'NONE');
  return { judgements, othersCores, isBusy, isFailed: !isBusy && (isBeyond || isMissing) };
}
