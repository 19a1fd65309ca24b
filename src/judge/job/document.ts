// What an exchange is to its job: a document that was answered, validly or not, or one that failed. Pure.
import { durationNs } from '../../measure/duration.ts';
import type { JobFacts } from '../../record/job-facts.ts';
import type { StreamRecord } from '../../record/stream-record.ts';

/** `unknown`: an answer whose finish nobody could read. `late`: it ended after the job's deadline. */
export const DOCUMENT_STATES = ['valid', 'invalid', 'unknown', 'failed', 'late'] as const;
export type DocumentState = (typeof DOCUMENT_STATES)[number];

export function documentState(record: StreamRecord, job: JobFacts): DocumentState {
  if (isLate(record, job)) return 'late';
  return record.end.outcome === 'ok' ? answerState(record, job.terms?.invalidFinishes ?? []) : 'failed';
}

/** The job's first exchange was opened → this one ended. */
export function endedAfterNs(record: StreamRecord, job: JobFacts): number {
  return (job.run?.openedAfterNs ?? 0) + durationNs(record);
}

function isLate(record: StreamRecord, job: JobFacts): boolean {
  return job.terms !== undefined && endedAfterNs(record, job) > job.terms.deadlineMs * 1e6;
}

function answerState({ answer, doubts }: StreamRecord, invalidFinishes: readonly string[]): DocumentState {
  const { finishReasons, unreadable, dialect } = answer;
  if (finishReasons.some((reason) => invalidFinishes.includes(reason))) return 'invalid';
  // Where nobody could read the body, or parts of it are missing, a clean end of the wire proves little.
  const isRead = unreadable === undefined && dialect !== 'opaque';
  if (!isRead || doubts.includes('tape_bytes') || doubts.includes('tape_chunks')) return 'unknown';
  return invalidFinishes.length > 0 && finishReasons.length === 0 ? 'unknown' : 'valid';
}
