// What an exchange is within the demand of its clients: a retry of an earlier one, a document of a batch job, or
// neither. Joins both to the record when it is frozen, and follows the jobs by the reports.
import { nowNs } from '../../base/clock.ts';
import type { JobFigures, JobReport } from '../../judge/job/judge-job.ts';
import type { Report, Sink } from '../../judge/report.ts';
import { defined } from '../../measure/defined.ts';
import type { JobFacts, JobRun } from '../../record/job-facts.ts';
import type { StreamRecord } from '../../record/stream-record.ts';
import { JobBook } from '../jobs/job-book.ts';
import { type JobName, jobName } from '../jobs/job-names.ts';
import type { ObservedExchange } from '../observed-exchange.ts';
import { endedTry } from './ended-try.ts';
import { FailedTries } from './failed-tries.ts';

export class Demand implements Sink {
  readonly name = 'demand';
  readonly #tries = new FailedTries();
  readonly #jobs: JobBook;
  readonly #places = new WeakMap<ObservedExchange, JobName & { readonly run?: JobRun }>();

  /** `onJobEnded` is told after whoever else listens to the report that ended the job. */
  constructor(onJobEnded: (job: JobReport) => void) {
    this.#jobs = new JobBook({ nowNs, onEnded: onJobEnded });
  }

  /** `isBeforeEngine`: it is not one that goes to a hop, behind which it is seen again. */
  opened(observed: ObservedExchange, isBeforeEngine: boolean): void {
    const named = jobName(observed.opening.fields);
    if (named === undefined) return;
    const { openedAtEpochMs, opening } = observed;
    const run = isBeforeEngine ? this.#jobs.opened(named.id, opening.openedAtNs, openedAtEpochMs) : undefined;
    this.#places.set(observed, { ...named, ...defined({ run }) });
  }

  /** The record with what is known of it here; called once an exchange, in the order of their ends. */
  ended(observed: ObservedExchange, record: StreamRecord, endedAtNs: number): StreamRecord {
    const retryOf = this.#tries.ended(endedTry(observed, record, endedAtNs));
    const place = this.#places.get(observed);
    const terms = observed.metering.class.job;
    const job: JobFacts | undefined = place === undefined ? undefined : { ...place, ...defined({ terms }) };
    if (retryOf === undefined && job === undefined) return record;
    return { ...record, ...defined({ retryOf, job }) };
  }

  onReport({ record }: Report): void {
    this.#jobs.reported(record);
  }

  openJobs(): JobFigures[] {
    return this.#jobs.open();
  }

  /** The latest first. */
  recentJobs(): JobReport[] {
    return this.#jobs.recent();
  }

  /** What hit a cap. */
  get counts(): { readonly triesForgotten: number; readonly jobsUnfollowed: number } {
    return { triesForgotten: this.#tries.forgottenCount, jobsUnfollowed: this.#jobs.unfollowedCount };
  }
}
