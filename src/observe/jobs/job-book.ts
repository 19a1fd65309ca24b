// Which batch jobs are under way: an exchange finds its place in one when it is opened, counts for it when it is
// reported, and the job is told when it ends. What a job came to is for judge/job to say.
import {
  JOB_IDLE_MAX_MS,
  JOB_LOOK_EVERY_MS,
  JOB_PENDING_MAX_MS,
  JOB_SETTLE_MS,
  JOBS_LATE_MAX_COUNT,
  JOBS_OPEN_MAX_COUNT,
  JOBS_RECENT_MAX_COUNT,
} from '../../base/demand-limits.ts';
import { judgeJob, type JobEnd, type JobFigures, type JobReport, openJob } from '../../judge/job/judge-job.ts';
import { addExchange, isComplete, jobKey, type JobTally, startTally } from '../../judge/job/tally.ts';
import type { JobRun } from '../../record/job-facts.ts';
import type { StreamRecord } from '../../record/stream-record.ts';

/** One run of a job, while it is open and as long as late exchanges of it are expected. */
interface Running {
  readonly id: string;
  readonly startedAtNs: number;
  readonly startedAtEpochMs: number;
  /** Made of the exchange that is reported first. */
  tally: JobTally | undefined;
  /** Exchanges of it that are not reported yet. */
  pendingCount: number;
  /** One of them was opened or reported. */
  lastSeenAtNs: number;
  isEnded: boolean;
}

const NS_PER_MS = 1e6;

export interface JobBookOptions {
  readonly nowNs: () => number;
  readonly onEnded: (job: JobReport) => void;
  readonly openMaxCount?: number;
}

export class JobBook {
  readonly #options: JobBookOptions;
  readonly #openMaxCount: number;
  /** By id; those that are ended stay for a while, so that nothing late starts them anew. */
  readonly #running = new Map<string, Running>();
  readonly #recent: JobReport[] = [];
  #openCount = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Exchanges of jobs that were not followed, because too many were open. */
  unfollowedCount = 0;

  constructor(options: JobBookOptions) {
    this.#options = options;
    this.#openMaxCount = options.openMaxCount ?? JOBS_OPEN_MAX_COUNT;
  }

  /** An exchange of this job was opened. */
  opened(id: string, openedAtNs: number, openedAtEpochMs: number): JobRun | undefined {
    const job = this.#find(id, openedAtNs) ?? this.#start(id, openedAtNs, openedAtEpochMs);
    if (job === undefined) {
      this.unfollowedCount += 1;
      return undefined;
    }
    job.pendingCount += 1;
    job.lastSeenAtNs = Math.max(job.lastSeenAtNs, openedAtNs);
    // Two relays tell of what they saw one after the other: the second to tell may have been the first.
    return { startedAtEpochMs: job.startedAtEpochMs, openedAfterNs: Math.max(0, openedAtNs - job.startedAtNs) };
  }

  /** The exchange is over and its record frozen; called once for each that was opened and has a place. */
  reported(record: StreamRecord): void {
    const job = this.#jobOf(record);
    if (job === undefined) return;
    job.pendingCount -= 1;
    job.lastSeenAtNs = Math.max(job.lastSeenAtNs, this.#options.nowNs());
    if (job.isEnded) return;
    job.tally ??= startTally(record);
    addExchange(job.tally, record);
    if (isComplete(job.tally)) this.#end(job, 'size');
  }

  open(): JobFigures[] {
    const atNs = this.#options.nowNs();
    return [...this.#running.values()].flatMap(({ tally, isEnded, startedAtNs }) =>
      tally === undefined || isEnded ? [] : [openJob(tally, Math.max(0, atNs - startedAtNs))],
    );
  }

  /** Ended jobs, the latest first. */
  recent(): JobReport[] {
    return this.#recent.toReversed();
  }

  /** Judges what has run out of time, and forgets what nothing comes of any more. */
  look(): void {
    const atNs = this.#options.nowNs();
    for (const job of this.#running.values()) {
      const isIdle = isQuiet(job, atNs);
      const deadlineMs = job.tally?.terms?.deadlineMs;
      const settledAtNs = job.startedAtNs + ((deadlineMs ?? Infinity) + JOB_SETTLE_MS) * NS_PER_MS;
      if (!job.isEnded && atNs >= settledAtNs) this.#end(job, 'deadline');
      // A job that has a deadline may pause until then.
      else if (isIdle && (job.isEnded || deadlineMs === undefined)) this.#drop(job, 'idle');
    }
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #find(id: string, openedAtNs: number): Running | undefined {
    const job = this.#running.get(id);
    if (job === undefined || !job.isEnded) return job;
    // After a job that is done, or was quiet for long, the same id is another job.
    const isLate = !(job.tally !== undefined && isComplete(job.tally));
    return isLate && openedAtNs - job.lastSeenAtNs <= JOB_IDLE_MAX_MS * NS_PER_MS ? job : undefined;
  }

  #start(id: string, openedAtNs: number, openedAtEpochMs: number): Running | undefined {
    if (this.#openCount >= this.#openMaxCount && !this.#makeRoom(openedAtNs)) return undefined;
    if (this.#running.size >= this.#openMaxCount + JOBS_LATE_MAX_COUNT) this.#forgetEnded();
    const job = {
      id,
      startedAtNs: openedAtNs,
      startedAtEpochMs: openedAtEpochMs,
      tally: undefined,
      pendingCount: 0,
      lastSeenAtNs: openedAtNs,
      isEnded: false,
    };
    this.#running.delete(id);
    this.#running.set(id, job);
    this.#openCount += 1;
    this.#timer ??= setInterval(() => this.look(), JOB_LOOK_EVERY_MS).unref();
    return job;
  }

  /** A job that was quiet for long gives way, even where it has a deadline to wait for. */
  #makeRoom(atNs: number): boolean {
    for (const job of this.#running.values()) {
      if (job.isEnded || !isQuiet(job, atNs)) continue;
      this.#drop(job, 'idle');
      return true;
    }
    return false;
  }

  #jobOf(record: StreamRecord): Running | undefined {
    const job = jobKey(record) === undefined ? undefined : this.#running.get(record.job?.id ?? '');
    // An exchange of an earlier run of the same id may be reported when the next has begun.
    return job?.startedAtEpochMs === record.job?.run?.startedAtEpochMs ? job : undefined;
  }

  #end(job: Running, end: JobEnd): void {
    job.isEnded = true;
    this.#openCount -= 1;
    if (job.tally === undefined) return;
    const report = judgeJob(job.tally, end);
    this.#recent.push(report);
    if (this.#recent.length > JOBS_RECENT_MAX_COUNT) this.#recent.shift();
    this.#options.onEnded(report);
  }

  #drop(job: Running, end: JobEnd): void {
    if (!job.isEnded) this.#end(job, end);
    if (this.#running.get(job.id) === job) this.#running.delete(job.id);
  }

  #forgetEnded(): void {
    for (const job of this.#running.values()) {
      if (!job.isEnded) continue;
      this.#running.delete(job.id);
      return;
    }
  }
}

/** An exchange whose reading failed is never reported; it may not keep its job open for ever. */
function isQuiet({ pendingCount, lastSeenAtNs }: Running, atNs: number): boolean {
  const quietMaxMs = pendingCount > 0 ? JOB_PENDING_MAX_MS : JOB_IDLE_MAX_MS;
  return atNs - lastSeenAtNs > quietMaxMs * NS_PER_MS;
}
