// What an exchange is to its job: a document that was answered, validly or not, or one that failed. Pure.
import { durationNs } from '../../measure/duration.ts';
import type { JobFacts } from '../../record/job-facts.ts';
import type { StreamRecord } from '../../record/stream-record.ts';
import { validityOf } from '../valid-answer.ts';

/** `unknown`: an answer whose finish nobody could read. `late`: it ended after the job's deadline. */
export const DOCUMENT_STATES = ['valid', 'invalid', 'unknown', 'failed', 'late'] as const;
export type DocumentState = (typeof DOCUMENT_STATES)[number];

export function documentState(record: StreamRecord, job: JobFacts): DocumentState {
  if (isLate(record, job)) return 'late';
  return record.end.outcome === 'ok' ? validityOf(record, job.terms?.invalidFinishes ?? []) : 'failed';
}

/** The job's first exchange was opened → this one ended. */
export function endedAfterNs(record: StreamRecord, job: JobFacts): number {
  return (job.run?.openedAfterNs ?? 0) + durationNs(record);
}

function isLate(record: StreamRecord, job: JobFacts): boolean {
  return job.terms !== undefined && endedAfterNs(record, job) > job.terms.deadlineMs * 1e6;
}
