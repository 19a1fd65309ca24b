// What an exchange says of the batch job it belongs to (`x-job-id`, `x-job-size`), as plain data. All that a verdict
// on a job rests on stands in the records of its exchanges. The id is for spans and records and never a label.
import type { JobTerms } from './objective.ts';

export interface JobFacts {
  /** As the client named it: letters, digits and `._:-`, at most 64. */
  readonly id: string;
  /** Documents of the whole job, as the client stated; absent when it did not. */
  readonly size?: number;
  /** Where in its job the exchange stands; absent when too many jobs were open for another to be followed. */
  readonly run?: JobRun;
  /** What the class promised of its jobs when the exchange ended; absent where it promised nothing. */
  readonly terms?: JobTerms;
}

/** One run of a job: a name may come again, tomorrow, for another one. */
export interface JobRun {
  /** Wall time at which its first exchange was opened, ms since 1970: with the id it names the run. */
  readonly startedAtEpochMs: number;
  /** Its first exchange was opened → this one was. */
  readonly openedAfterNs: number;
}
