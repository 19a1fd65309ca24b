// The lengths of one answer as its truth has them, from which every persona computes what its engine
// would state. Which of them a field means is for the persona to know.
import { strict as assert } from 'node:assert';
import type { RequestTruth } from './truth.ts';

/** Lengths in ns; the first token has been computed. */
export interface AnswerTimes {
  /** Head received → accepted by the scheduler. */
  readonly frontNs: number;
  /** Accepted → the prefill began. */
  readonly queueNs: number;
  /** The prefill began → first token computed. */
  readonly prefillNs: number;
  /** First token computed → latest token computed. */
  readonly generationNs: number;
  /** Head received → latest token computed. */
  readonly totalNs: number;
  /** Positions computed so far. */
  readonly tokenCount: number;
}

/** Moments of the same, on the monotonic clock. */
export interface AnswerMoments {
  readonly arrivedAtNs: number;
  readonly submittedAtNs: number;
  readonly prefillAtNs: number;
  readonly firstTokenAtNs: number;
  readonly lastTokenAtNs: number;
}

export function momentsOf(truth: RequestTruth): AnswerMoments {
  const { arrivedAtNs, submittedAtNs, prefillAtNs, tokenAtNs } = truth;
  const [firstTokenAtNs] = tokenAtNs;
  const lastTokenAtNs = tokenAtNs.at(-1);
  assert(submittedAtNs !== undefined && prefillAtNs !== undefined, 'times are told of an answer that was begun');
  assert(firstTokenAtNs !== undefined && lastTokenAtNs !== undefined, 'times are told once there is a token');
  return { arrivedAtNs, submittedAtNs, prefillAtNs, firstTokenAtNs, lastTokenAtNs };
}

export function timesOf(truth: RequestTruth): AnswerTimes {
  const { arrivedAtNs, submittedAtNs, prefillAtNs, firstTokenAtNs, lastTokenAtNs } = momentsOf(truth);
  return {
    frontNs: submittedAtNs - arrivedAtNs,
    queueNs: prefillAtNs - submittedAtNs,
    prefillNs: firstTokenAtNs - prefillAtNs,
    generationNs: lastTokenAtNs - firstTokenAtNs,
    totalNs: lastTokenAtNs - arrivedAtNs,
    tokenCount: truth.tokenAtNs.length,
  };
}

export function toMs(lengthNs: number): number {
  return lengthNs / 1e6;
}

export function toSeconds(lengthNs: number): number {
  return lengthNs / 1e9;
}
