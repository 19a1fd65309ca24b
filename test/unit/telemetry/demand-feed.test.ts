// Goal: retries and batch jobs are counted by closed labels, and their ids stand on spans alone.
// Method: reports and ended jobs in, what Prometheus would read out.
import { expect, test } from 'vitest';
import type { JobReport } from '../../../src/judge/job/judge-job.ts';
import { JOB_METRICS } from '../../../src/judge/job/metrics.ts';
import { RETRY_METRICS } from '../../../src/judge/retry-metrics.ts';
import type { JobFacts } from '../../../src/record/job-facts.ts';
import type { ClassSpec } from '../../../src/record/traffic-class.ts';
import { merged } from '../../../src/telemetry/attribute-parts.ts';
import { createDemandFeed, DEMAND_FORGOTTEN, observeDemand } from '../../../src/telemetry/demand-feed.ts';
import { renderMetrics } from '../../support/metrics-text.ts';
import { serverAttributes } from '../../../src/telemetry/span-attributes.ts';
import { createMetricStore } from '../../../src/telemetry/store.ts';
import { parsePrometheus } from '../../support/prometheus.ts';
import { reportOf, usualStream } from './reports.ts';

const TERMS = { deadlineMs: 60_000, outputTokensPerSecondMin: 5, validTarget: 0.9, invalidFinishes: ['length'] };
const CLASSES: readonly ClassSpec[] = [
  { name: 'batch', stallMs: 100, rules: [], job: TERMS },
  { name: 'default', stallMs: 100, rules: [] },
];
const RETRY = { sign: 'body', attempt: 2, of: '0.0-1', first: '0.0-1', sinceFirstNs: 2e9 } as const;

const JOB: JobReport = {
  id: 'nightly-4711',
  class: 'batch',
  startedAtEpochMs: 0,
  size: 10_000,
  exchangeCount: 10_000,
  retryCount: 0,
  answeredCount: 10_000,
  validCount: 10_000,
  invalidCount: 0,
  unknownCount: 0,
  failedCount: 0,
  outputTokens: 1_800_000,
  uncountedCount: 0,
  lengthNs: 500e9,
  tokensPerSecond: 3_600,
  end: 'size',
  met: { deadline: 'true', tokens_per_second: 'true', valid: 'unknown' },
};

function stage(classes: readonly ClassSpec[] = CLASSES) {
  const store = createMetricStore({
    specs: [...JOB_METRICS, ...RETRY_METRICS, DEMAND_FORGOTTEN],
    known: { class: classes.map(({ name }) => name) },
    startEpochMs: 0,
  });
  const feed = createDemandFeed(store, classes);
  const samples = () =>
    parsePrometheus(renderMetrics(store.collect(), {}, 'text')).filter(
      ({ name }) => name.startsWith('rubato') && !name.endsWith('_bucket'),
    );
  const counted = () =>
    Object.fromEntries(
      samples()
        .map(({ name, labels, value }) => [`${name} ${Object.values(labels).join(' ')}`, value] as const)
        .filter(([, value]) => value !== 0),
    );
  return { store, feed, samples, counted };
}

/** An exchange of a job that ended so long after its job began. */
function document(endedS: number, job: Partial<JobFacts> = {}, finish = 'stop') {
  const report = reportOf(
    usualStream(3),
    {
      job: {
        id: 'nightly-4711',
        size: 3,
        terms: TERMS,
        run: { startedAtEpochMs: 0, openedAfterNs: endedS * 1e9 - 1e9 },
        ...job,
      },
      tokens: { output: 30 },
    },
    { class: 'batch' },
  );
  const { record } = report;
  const marks = { ...record.marks, clientEndAtNs: 1e9 };
  return { ...report, record: { ...record, marks, answer: { ...record.answer, finishReasons: [finish] } } };
}

test('a retry is counted by how one knows, and once more when it brought the answer', () => {
  const { feed, counted } = stage();
  const failed = { ...usualStream(3), wire: 'upstream_aborted' } as const;
  feed.onReport?.(reportOf(usualStream(3)), undefined);
  feed.onReport?.(reportOf(failed, { retryOf: RETRY }), undefined);
  feed.onReport?.(reportOf(usualStream(3), { retryOf: RETRY }), undefined);
  feed.onReport?.(reportOf(usualStream(3), { retryOf: { sign: 'stated', attempt: 2 } }), undefined);
  expect(counted()).toEqual({
    'rubato_retries_total default m body': 2,
    'rubato_retries_total default m stated': 1,
    'rubato_retries_recovered_total default m': 1,
  });
});

test('an answer that is given again under the same key recovers nothing', () => {
  const { feed, counted } = stage();
  const retryOf = { ...RETRY, sign: 'idempotency_key', wasAnswered: true } as const;
  feed.onReport?.(reportOf(usualStream(3), { retryOf }), undefined);
  expect(counted()).toEqual({ 'rubato_retries_total default m idempotency_key': 1 });
});

test('documents are counted by what they brought, and tokens of those that were answered in time', () => {
  const { feed, counted } = stage();
  feed.onReport?.(document(1), undefined);
  feed.onReport?.(document(2, {}, 'length'), undefined);
  feed.onReport?.(document(61), undefined);
  feed.onReport?.({ ...document(3), record: { ...document(3).record, job: { id: 'not-followed' } } }, undefined);
  expect(counted()).toEqual({
    'rubato_job_exchanges_total batch valid': 1,
    'rubato_job_exchanges_total batch invalid': 1,
    'rubato_job_exchanges_total batch late': 1,
    'rubato_job_tokens_total batch': 60,
  });
});

test('a job that ended is counted by its end and by each objective', () => {
  const { feed, counted } = stage();
  feed.onJob?.(JOB);
  expect(counted()).toEqual({
    'rubato_job_ended_total batch size': 1,
    'rubato_job_objectives_total batch deadline true': 1,
    'rubato_job_objectives_total batch tokens_per_second true': 1,
    'rubato_job_objectives_total batch valid unknown': 1,
    'rubato_job_length_seconds_count batch size': 1,
    'rubato_job_length_seconds_sum batch size': 500,
    'rubato_job_tokens_per_second_count batch': 1,
    'rubato_job_tokens_per_second_sum batch': 3_600,
  });
});

test('counters are there at 0 for classes with jobs, and for no others', () => {
  const { feed, samples } = stage([]);
  const started = () => samples().filter(({ name }) => name.startsWith('rubato_job'));
  expect(started()).toEqual([]);
  feed.know(CLASSES);
  expect(new Set(started().map(({ labels }) => labels['class']))).toEqual(new Set(['batch']));
  expect(started().length).toBe(5 + 3 + 3 * 3);
});

test('jobs under way are a gauge that stays at 0 behind the last', () => {
  const { store, counted, samples } = stage();
  let open = [{ class: 'batch' }, { class: 'batch' }];
  observeDemand(store, { openJobs: () => open, counts: { triesForgotten: 3, jobsUnfollowed: 4 } });
  expect(counted()).toEqual({
    'rubato_job_open batch': 2,
    'rubato_self_demand_forgotten_total try': 3,
    'rubato_self_demand_forgotten_total job': 4,
  });
  open = [];
  expect(samples().find(({ name }) => name === 'rubato_job_open')?.value).toBe(0);
});

test('ids are on the span and never a label', () => {
  const { feed, samples } = stage();
  const report = document(1);
  const retried = { ...report, record: { ...report.record, retryOf: RETRY } };
  feed.onReport?.(retried, undefined);
  feed.onJob?.(JOB);
  expect(JSON.stringify(samples())).not.toContain('4711');
  expect(merged(serverAttributes(retried))).toMatchObject({
    'rubato.retry.sign': 'body',
    'rubato.retry.attempt': 2,
    'rubato.retry.of': '0.0-1',
    'rubato.retry.first': '0.0-1',
    'rubato.job.id': 'nightly-4711',
    'rubato.job.size': 3,
  });
});
