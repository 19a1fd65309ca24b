// The sink that counts retries and what becomes of batch jobs. Decides nothing.
import type { MetricSpec } from '../base/metric-spec.ts';
import { documentState, DOCUMENT_STATES } from '../judge/job/document.ts';
import { JOB_ENDS, JOB_OBJECTIVES, type JobFigures, type JobReport } from '../judge/job/judge-job.ts';
import {
  JOB_ENDED,
  JOB_EXCHANGES,
  JOB_LENGTH,
  JOB_OBJECTIVE,
  JOB_OPEN,
  JOB_RATE,
  JOB_TOKENS,
} from '../judge/job/metrics.ts';
import { jobKey } from '../judge/job/tally.ts';
import type { Report, Sink } from '../judge/report.ts';
import { RETRIES, RETRIES_RECOVERED } from '../judge/retry-metrics.ts';
import { MET_WORDS } from '../judge/slo/verdict.ts';
import type { ClassSpec } from '../record/traffic-class.ts';
import type { MetricStore } from './store.ts';

/** What of it hit a cap. */
export interface DemandCounts {
  /** Failed tries forgotten before their time, so that a retry of theirs counts as new demand. */
  readonly triesForgotten: number;
  /** Exchanges of jobs beyond those that are followed. */
  readonly jobsUnfollowed: number;
}

export const DEMAND_FORGOTTEN: MetricSpec = {
  name: 'rubato.self.demand_forgotten',
  type: 'counter',
  unit: '{exchange}',
  help: 'Failed tries forgotten before their time (`try`: a retry of theirs counts as new demand), and exchanges of batch jobs beyond those that are followed (`job`).',
  labels: ['kind'],
  classed: false,
};

export interface DemandFeed extends Sink {
  /** These classes are configured from now on. */
  know(classes: readonly ClassSpec[]): void;
}

export function createDemandFeed(store: MetricStore, classes: readonly ClassSpec[]): DemandFeed {
  startJobSeries(store, classes);
  return {
    name: 'demand metrics',
    know: (now) => startJobSeries(store, now),
    onReport(report) {
      countRetry(store, report);
      if (jobKey(report.record) !== undefined) countDocument(store, report);
    },
    onJob: (job) => countJob(store, job),
  };
}

function countRetry(store: MetricStore, { record, labels }: Report): void {
  const { retryOf, end } = record;
  if (retryOf === undefined) return;
  const series = { class: labels.class, model: labels.model };
  store.counter(RETRIES, { ...series, reason: retryOf.sign }).add(1);
  const hadFailed = retryOf.of !== undefined && retryOf.wasAnswered === undefined;
  if (hadFailed && end.outcome === 'ok') store.counter(RETRIES_RECOVERED, series).add(1);
}

function countDocument(store: MetricStore, { record, labels }: Report): void {
  const { job, tokens } = record;
  if (job === undefined) return;
  const kind = documentState(record, job);
  store.counter(JOB_EXCHANGES, { class: labels.class, kind }).add(1);
  const isAnswered = kind !== 'failed' && kind !== 'late';
  if (isAnswered && tokens.output !== undefined) store.counter(JOB_TOKENS, { class: labels.class }).add(tokens.output);
}

function countJob(store: MetricStore, { class: name, end, met, lengthNs, tokensPerSecond }: JobReport): void {
  store.counter(JOB_ENDED, { class: name, reason: end }).add(1);
  store.histogram(JOB_LENGTH, { class: name, reason: end }).record(lengthNs);
  if (tokensPerSecond !== undefined) store.histogram(JOB_RATE, { class: name }).record(Math.round(tokensPerSecond));
  for (const objective of JOB_OBJECTIVES) {
    const word = met[objective];
    if (word !== undefined) store.counter(JOB_OBJECTIVE, { class: name, objective, met: word }).add(1);
  }
}

/** Counters of the classes that promise something of their jobs are there at 0 before the first job. */
function startJobSeries(store: MetricStore, classes: readonly ClassSpec[]): void {
  for (const { name, job } of classes) {
    if (job === undefined) continue;
    for (const kind of DOCUMENT_STATES) store.counter(JOB_EXCHANGES, { class: name, kind });
    for (const reason of JOB_ENDS) store.counter(JOB_ENDED, { class: name, reason });
    for (const objective of JOB_OBJECTIVES) {
      if (objective === 'tokens_per_second' && job.outputTokensPerSecondMin === undefined) continue;
      for (const met of MET_WORDS) store.counter(JOB_OBJECTIVE, { class: name, objective, met });
    }
  }
}

export interface DemandSource {
  openJobs(): readonly Pick<JobFigures, 'class'>[];
  readonly counts: DemandCounts;
}

/** Has the jobs under way counted at each collection; a class that had one stays, at 0. */
export function observeDemand(store: MetricStore, source: DemandSource): void {
  store.observe(DEMAND_FORGOTTEN, () => [
    { labels: { kind: 'try' }, value: source.counts.triesForgotten },
    { labels: { kind: 'job' }, value: source.counts.jobsUnfollowed },
  ]);
  const seen = new Set<string>();
  store.observe(JOB_OPEN, () => {
    const jobs = source.openJobs();
    for (const job of jobs) seen.add(job.class);
    return [...seen].map((name) => ({
      labels: { class: name },
      value: jobs.filter((job) => job.class === name).length,
    }));
  });
}
