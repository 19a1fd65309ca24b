// Requests wait for the engine: it says so, or their evidence does, or more arrive than are served. Latency that
// rises because the engine is full is no regression.
import type { DiagnosisSlice } from './facts.ts';
import type { Finding } from './finding.ts';
import { medianOf, rankOf } from '../rank.ts';
import { percentileNs } from './log-counts.ts';
import { leastCorrelation, rankCorrelation } from './trend.ts';
import { largest, percent, spoken, toMs, type DiagnosisView } from './view.ts';

/** A queue that is this much of the TTFT is worth a word. */
const QUEUE_LEAST_RATIO = 0.3;
/**
 * More comes than is served where ever more requests wait for their first token, over the whole window. How many streams
 * run says nothing of it: those of a route that has just begun to serve have not ended yet, which is nobody's queue.
 */
const GROWING_LEAST_CORRELATION = 0.6;
const GROWING_TIMES = 2;
/** At the end of the window so many wait at least. */
const GROWN_LEAST_COUNT = 4;
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
  const growing = growingBacklog(facts.slices);
  const waits = rankOf(waiting, 90) >= WAITING_LEAST_COUNT;
  const reasons: string[] = [];
  if (waits) {
    const bursts = waitingMax >= BURST_RATIO * Math.max(1, usualWaiting) ? ', so it comes in bursts' : '';
    reasons.push(`the engine had ${waitingMax} waiting at most, ${usualWaiting} usually${bursts}`);
  }
  if (queueRatio >= QUEUE_LEAST_RATIO && queue !== undefined)
    reasons.push(`the queue's p95 of ${spoken(queue)} is ${percent(queueRatio)} of that of TTFT`);
  if (growing !== undefined)
    reasons.push(
      `more come than are served, for those without a token went from ${growing.first} to ${growing.last}: rising latency is no regression then`,
    );
  if (reasons.length === 0) return undefined;
  const weights = [
    waits ? 0.25 : 0,
    waits && usualWaiting > 0 ? 0.1 : 0,
    queueRatio >= QUEUE_LEAST_RATIO ? 0.25 + 0.3 * queueRatio : 0,
    // What grows for ten minutes needs no other witness.
    growing === undefined ? 0 : 0.45,
  ];
  return {
    cause: 'queueing',
    weight: Math.min(
      1,
      weights.reduce((sum, weight) => sum + weight, 0),
    ),
    says: `Requests wait for the engine: ${reasons.join('; ')}.`,
    numbers: {
      waitingMax,
      usualWaiting,
      ...(queue !== undefined && { queueP95Ms: toMs(queue) }),
      ...(growing !== undefined && { backlogFirst: growing.first, backlogLast: growing.last }),
    },
  };
}

/** How many wait for a first token at the window's begin and at its end, where that grows all along; else undefined. */
function growingBacklog(slices: readonly DiagnosisSlice[]) {
  const backlogs = slices.map(({ backlogMaxCount }) => backlogMaxCount);
  const correlation = rankCorrelation(backlogs.map((backlog, index) => [index, backlog] as const)) ?? 0;
  if (correlation < Math.max(GROWING_LEAST_CORRELATION, leastCorrelation(slices.length))) return undefined;
  const third = Math.floor(slices.length / 3);
  const [first, last] = [medianOf(backlogs.slice(0, third)), medianOf(backlogs.slice(-third))];
  return last >= GROWN_LEAST_COUNT && last >= GROWING_TIMES * first ? { first, last } : undefined;
}
