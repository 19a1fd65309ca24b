// The verdict on a batch job: what was done by its end, how fast, and whether that kept what its class promised.
// A job ends when as many documents are answered as its client stated, or at its deadline. Pure.
import { defined } from '../../measure/defined.ts';
import type { JobTerms } from '../../record/objective.ts';
import type { Met } from '../slo/verdict.ts';
import { answeredCount, failedCount, isComplete, type JobTally } from './tally.ts';

/** What ended a job: all of it was done, its time was up, or nothing came any more. */
export const JOB_ENDS = ['size', 'deadline', 'idle'] as const;
export type JobEnd = (typeof JOB_ENDS)[number];

export const JOB_OBJECTIVES = ['deadline', 'tokens_per_second', 'valid'] as const;
export type JobObjective = (typeof JOB_OBJECTIVES)[number];

export interface JobFigures {
  readonly id: string;
  readonly class: string;
  readonly startedAtEpochMs: number;
  /** Documents, as the client stated. */
  readonly size?: number;
  /** Exchanges that ended in time, retries included. */
  readonly exchangeCount: number;
  readonly retryCount: number;
  readonly answeredCount: number;
  readonly validCount: number;
  readonly invalidCount: number;
  readonly unknownCount: number;
  readonly failedCount: number;
  /** Of the answered documents, as far as the engine stated them. */
  readonly outputTokens: number;
  /** Answered documents whose tokens nobody stated. */
  readonly uncountedCount: number;
  /** First exchange opened → the end of the job, or now. */
  readonly lengthNs: number;
  /** Output tokens over that time; with documents that nobody counted it was at least so many. */
  readonly tokensPerSecond?: number;
  /** Valid documents of all: of as many as were stated, or of those that came to an end. */
  readonly validRatio?: number;
  /** What all documents need by the deadline, if the rest has as many tokens as those that were answered. */
  readonly neededTokensPerSecond?: number;
}

export interface JobReport extends JobFigures {
  readonly end: JobEnd;
  /** Absent where the class promised nothing of the kind; `unknown`: what is known allows for both. */
  readonly met: Readonly<Partial<Record<JobObjective, Met>>>;
}

const NS_PER_SECOND = 1e9;
const NS_PER_MS = 1e6;

/** 10,000 documents of 180 tokens in 600 s need 3,000 tokens per second. */
export function neededTokensPerSecond(documentCount: number, tokensEach: number, deadlineMs: number): number {
  return (documentCount * tokensEach * 1_000) / deadlineMs;
}

/** The figures of a job that is open, `nowAfterNs` after its first exchange was opened. */
export function openJob(tally: JobTally, nowAfterNs: number): JobFigures {
  return figuresOf(tally, nowAfterNs);
}

export function judgeJob(tally: JobTally, end: JobEnd): JobReport {
  const figures = figuresOf(tally, lengthNs(tally, end));
  return { ...figures, end, met: tally.terms === undefined ? {} : metOf(tally, { end, figures, terms: tally.terms }) };
}

function lengthNs({ terms, lastEndAfterNs, lastAnswerAfterNs }: JobTally, end: JobEnd): number {
  if (end === 'size') return lastAnswerAfterNs;
  return end === 'deadline' && terms !== undefined ? terms.deadlineMs * NS_PER_MS : lastEndAfterNs;
}

function figuresOf(tally: JobTally, ofNs: number): JobFigures {
  const { id, class: name, startedAtEpochMs, size, exchangeCount, retryCount } = tally;
  const { validCount, invalidCount, unknownCount, outputTokens, countedCount, terms } = tally;
  const answered = answeredCount(tally);
  const documentCount = documentsOf(tally);
  const deadlineMs = size === undefined || countedCount === 0 ? undefined : terms?.deadlineMs;
  const needed =
    deadlineMs === undefined || size === undefined
      ? undefined
      : neededTokensPerSecond(size, outputTokens / countedCount, deadlineMs);
  return {
    id,
    class: name,
    startedAtEpochMs,
    exchangeCount,
    retryCount,
    answeredCount: answered,
    validCount,
    invalidCount,
    unknownCount,
    failedCount: failedCount(tally),
    outputTokens,
    uncountedCount: answered - countedCount,
    lengthNs: ofNs,
    ...defined({
      size,
      tokensPerSecond: countedCount === 0 || ofNs <= 0 ? undefined : (outputTokens * NS_PER_SECOND) / ofNs,
      validRatio: documentCount === 0 ? undefined : validCount / documentCount,
      neededTokensPerSecond: needed,
    }),
  };
}

/** Failures stay in the denominator, and so does what nobody came to. */
function documentsOf(tally: JobTally): number {
  return Math.max(tally.size ?? 0, answeredCount(tally) + failedCount(tally));
}

interface Ended {
  readonly end: JobEnd;
  readonly figures: JobFigures;
  readonly terms: JobTerms;
}

function metOf(tally: JobTally, { end, figures, terms }: Ended): JobReport['met'] {
  const wanted = terms.outputTokensPerSecondMin;
  return {
    deadline: isComplete(tally) ? 'true' : isMissed(tally, end) ? 'false' : 'unknown',
    ...(wanted === undefined ? {} : { tokens_per_second: isFastEnough(figures, wanted) }),
    valid: isValidEnough(tally, terms.validTarget),
  };
}

/** A job that had to give way before its deadline could still have kept it, for all that is known. */
function isMissed({ size }: JobTally, end: JobEnd): boolean {
  return size !== undefined && end === 'deadline';
}

/** Tokens that nobody counted can only have made it faster. */
function isFastEnough({ tokensPerSecond, answeredCount: answered, uncountedCount }: JobFigures, wanted: number): Met {
  if (tokensPerSecond !== undefined && tokensPerSecond >= wanted) return 'true';
  if (answered === 0) return 'false';
  return uncountedCount > 0 || tokensPerSecond === undefined ? 'unknown' : 'false';
}

/** Judged for what nobody can say at its best and at its worst. */
function isValidEnough(tally: JobTally, target: number): Met {
  const documentCount = documentsOf(tally);
  if (documentCount === 0) return 'unknown';
  // 56 of 100 is 0.56 to the bit, while 0.56 times 100 is above 56.
  const isReached = (validCount: number): boolean => validCount / documentCount >= target;
  if (isReached(tally.validCount)) return 'true';
  return isReached(tally.validCount + tally.unknownCount) ? 'unknown' : 'false';
}
