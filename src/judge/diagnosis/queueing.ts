// Requests wait for the engine: it says so, or their evidence does, or more arrive than are finished. Latency that
// rises because the engine is full is no regression.
import type { Finding } from './finding.ts';
import { rankOf } from '../rank.ts';
import { percentileNs } from './log-counts.ts';
import { largest, percent, spoken, toMs, type DiagnosisView } from './view.ts';

/** A queue that is this much of the TTFT is worth a word. */
const QUEUE_LEAST_RATIO = 0.3;
/** Arrivals above ends by more than this over the window: the work piles up. */
const PILING_RATIO = 1.05;
const PILING_LEAST_COUNT = 20;
/** A queue that is this much longer at its worst than usually comes in bursts. */
const BURST_RATIO = 8;

export function findQueueing({ facts }: DiagnosisView): Finding | undefined {
  const waiting = facts.slices.flatMap(({ waitingMaxCount }) => waitingMaxCount ?? []);
  const waitingMax = largest(waiting) ?? 0;
  const usualWaiting = rankOf(waiting, 50);
  const queue = percentileNs(facts.queue, 95);
  const ttft = percentileNs(facts.now.ttft, 95);
  const queueRatio = queue === undefined || ttft === undefined ? 0 : Math.min(1, queue / ttft);
  const arrivals = facts.slices.reduce((sum, { arrivalCount }) => sum + arrivalCount, 0);
  const ends = facts.slices.reduce((sum, { endCount }) => sum + endCount, 0);
  const piles = arrivals >= PILING_LEAST_COUNT && arrivals > PILING_RATIO * ends;
  const reasons: string[] = [];
  if (waitingMax > 0) {
    const bursts = waitingMax >= BURST_RATIO * Math.max(1, usualWaiting) ? ', so it comes in bursts' : '';
    reasons.push(`the engine had ${waitingMax} waiting at most, ${usualWaiting} usually${bursts}`);
  }
  if (queueRatio >= QUEUE_LEAST_RATIO && queue !== undefined)
    reasons.push(`the queue's p95 of ${spoken(queue)} is ${percent(queueRatio)} of that of TTFT`);
  if (piles) reasons.push(`${arrivals} exchanges came and ${ends} ended`);
  if (reasons.length === 0) return undefined;
  const weights = [
    waitingMax > 0 ? 0.25 : 0,
    usualWaiting > 0 ? 0.1 : 0,
    queueRatio >= QUEUE_LEAST_RATIO ? 0.25 + 0.3 * queueRatio : 0,
    // What piles up for ten minutes needs no other witness.
    piles ? 0.45 : 0,
  ];
  return {
    cause: 'queueing',
    weight: Math.min(
      1,
      weights.reduce((sum, weight) => sum + weight, 0),
    ),
    says: `Requests wait for the engine: ${reasons.join('; ')}.`,
    numbers: { waitingMax, usualWaiting, arrivals, ends, ...(queue !== undefined && { queueP95Ms: toMs(queue) }) },
  };
}
