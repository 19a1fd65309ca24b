// Requests wait for the engine: it says so, or their evidence does, or more arrive than are finished. Latency that
// rises because the engine is full is no regression.
import type { DiagnosisSlice } from './facts.ts';
import type { Finding } from './finding.ts';
import { rankOf } from '../rank.ts';
import { percentileNs } from './log-counts.ts';
import { largest, percent, spoken, toMs, type DiagnosisView } from './view.ts';

/** A queue that is this much of the TTFT is worth a word. */
const QUEUE_LEAST_RATIO = 0.3;
/**
 * The work piles up where in each third of the window more came than ended, by this ratio and beyond chance. In one
 * third alone the streams of a route that has just begun to serve have not ended yet, which is nobody's queue.
 */
const PILING_RATIO = 1.05;
const PILING_THIRDS = 3;
/** Slices of a third: streams seldom last longer. */
const THIRD_LEAST_COUNT = 10;
/** Arrivals and ends each vary by the root of their number; so many deviations, three times over, are no chance. */
const PILING_DEVIATIONS = 1.5;
/** One that is seen to wait may be between two steps; two at once in a tenth of the slices are a queue. */
const WAITING_LEAST_COUNT = 2;
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
  const piles = pilesUp(facts.slices);
  const waits = rankOf(waiting, 90) >= WAITING_LEAST_COUNT;
  const reasons: string[] = [];
  if (waits) {
    const bursts = waitingMax >= BURST_RATIO * Math.max(1, usualWaiting) ? ', so it comes in bursts' : '';
    reasons.push(`the engine had ${waitingMax} waiting at most, ${usualWaiting} usually${bursts}`);
  }
  if (queueRatio >= QUEUE_LEAST_RATIO && queue !== undefined)
    reasons.push(`the queue's p95 of ${spoken(queue)} is ${percent(queueRatio)} of that of TTFT`);
  if (piles) reasons.push(`${arrivals} exchanges came and ${ends} ended`);
  if (reasons.length === 0) return undefined;
  const weights = [
    waits ? 0.25 : 0,
    waits && usualWaiting > 0 ? 0.1 : 0,
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

function pilesUp(slices: readonly DiagnosisSlice[]): boolean {
  const third = Math.floor(slices.length / PILING_THIRDS);
  if (third < THIRD_LEAST_COUNT) return false;
  return Array.from({ length: PILING_THIRDS }, (_, index) =>
    slices.slice(index * third, index === PILING_THIRDS - 1 ? undefined : (index + 1) * third),
  ).every((part) => {
    const arrivals = part.reduce((sum, { arrivalCount }) => sum + arrivalCount, 0);
    const ends = part.reduce((sum, { endCount }) => sum + endCount, 0);
    return arrivals > PILING_RATIO * ends && arrivals - ends > PILING_DEVIATIONS * Math.sqrt(arrivals + ends);
  });
}
