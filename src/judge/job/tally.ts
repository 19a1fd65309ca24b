// What the exchanges of one job come to, counted up record by record. The order of the records does not matter, so
// a tally of a record file is the one that was kept live. Pure but for the counts.
import type { JobTerms } from '../../record/objective.ts';
import type { StreamRecord } from '../../record/stream-record.ts';
import { documentState, endedAfterNs } from './document.ts';

/** Counts of documents are of those in time; a document that was tried again is one document. */
export interface JobTally {
  readonly id: string;
  readonly startedAtEpochMs: number;
  /** Class and terms of the exchange that was reported first. */
  readonly class: string;
  readonly terms?: JobTerms;
  size?: number;
  /** Exchanges in time, retries included. */
  exchangeCount: number;
  retryCount: number;
  validCount: number;
  invalidCount: number;
  /** Answered, and nobody can say whether validly. */
  unknownCount: number;
  /** Documents whose first try failed, and failed tries that were answered by a later one. */
  failedFirstCount: number;
  recoveredCount: number;
  outputTokens: number;
  /** Answered documents whose tokens were stated. */
  countedCount: number;
  /** The job's first exchange was opened → the last of its exchanges ended, and the last answered one. */
  lastEndAfterNs: number;
  lastAnswerAfterNs: number;
}

/** Names the run of a job that a record belongs to; undefined for one of no job, or of one not followed. */
export function jobKey({ job, edge }: StreamRecord): string | undefined {
  // Before a hop the same document is seen a second time.
  if (job?.run === undefined || edge !== undefined) return undefined;
  return `${job.id} ${job.run.startedAtEpochMs}`;
}

/** A tally without counts, for the job of this record. */
export function startTally({ job, class: { name } }: StreamRecord): JobTally {
  return {
    id: job?.id ?? '',
    startedAtEpochMs: job?.run?.startedAtEpochMs ?? 0,
    class: name,
    ...(job?.terms === undefined ? {} : { terms: job.terms }),
    exchangeCount: 0,
    retryCount: 0,
    validCount: 0,
    invalidCount: 0,
    unknownCount: 0,
    failedFirstCount: 0,
    recoveredCount: 0,
    outputTokens: 0,
    countedCount: 0,
    lastEndAfterNs: 0,
    lastAnswerAfterNs: 0,
  };
}

/** Adds an exchange of the job; one that came too late changes nothing. */
export function addExchange(tally: JobTally, record: StreamRecord): void {
  const { job, retryOf, tokens } = record;
  if (job === undefined) return;
  const state = documentState(record, job);
  if (state === 'late') return;
  if (job.size !== undefined) tally.size = Math.max(tally.size ?? 0, job.size);
  const endNs = endedAfterNs(record, job);
  tally.exchangeCount += 1;
  tally.lastEndAfterNs = Math.max(tally.lastEndAfterNs, endNs);
  if (retryOf !== undefined) tally.retryCount += 1;
  // The answer that there is already was counted as a document.
  if (retryOf?.wasAnswered === true) return;
  // The try before counted as a document that failed; one that was not seen here counted as nothing.
  const replaces = retryOf?.of !== undefined;
  if (state === 'failed') {
    if (!replaces) tally.failedFirstCount += 1;
    return;
  }
  if (replaces) tally.recoveredCount += 1;
  tally[`${state}Count`] += 1;
  tally.lastAnswerAfterNs = Math.max(tally.lastAnswerAfterNs, endNs);
  if (tokens.output === undefined) return;
  tally.outputTokens += tokens.output;
  tally.countedCount += 1;
}

/** Documents that were answered, validly or not. */
export function answeredCount({ validCount, invalidCount, unknownCount }: JobTally): number {
  return validCount + invalidCount + unknownCount;
}

/** Documents that no try has answered. A try before the job began is none of its own, so more can be recovered. */
export function failedCount({ failedFirstCount, recoveredCount }: JobTally): number {
  return Math.max(0, failedFirstCount - recoveredCount);
}

/** As many documents as the job has are answered. */
export function isComplete(tally: JobTally): boolean {
  return tally.size !== undefined && answeredCount(tally) >= tally.size;
}
