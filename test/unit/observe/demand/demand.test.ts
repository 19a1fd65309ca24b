// Goal: a record says of what it is a retry and where in which job it stands, and keeps no key; jobs are told of
// behind the reports that they rest on. Method: exchanges played to an observer, moments in seconds.
import { expect, test } from 'vitest';
import type { JobReport } from '../../../../src/judge/job/judge-job.ts';
import { createClassifier } from '../../../../src/observe/classifier.ts';
import type { ObserverOptions } from '../../../../src/observe/observer-options.ts';
import { catchSink, CHAT_FIELDS, CLASSES, createStage, DONE, FINISH, OPENED_AT_NS, text } from '../tape-play.ts';

const CHAT = { model: 'm', stream: true, messages: [{ role: 'user', content: 'hello' }] };
const FAILED = { wireEnd: 'upstream_aborted' } as const;

interface Asked {
  readonly atS: number;
  readonly fields?: readonly string[];
  readonly body?: object;
  readonly fails?: boolean;
  readonly routeIndex?: number;
}

/** Exchanges of half a second, one after the other; the records in the order of their ends. */
function played(asked: readonly Asked[], changes: Partial<ObserverOptions> = {}) {
  const stage = createStage(changes);
  asked.forEach(({ atS, fields = [], body = CHAT, fails = false, routeIndex = 0 }, index) => {
    const play = stage.exchange(index + 1, {
      openedAtNs: OPENED_AT_NS + atS * 1e9,
      fields: [...CHAT_FIELDS, ...fields],
      routeIndex,
    });
    play.request(body).head(50).chunk(100, text('a'));
    if (fails) play.end(500, FAILED);
    else play.chunk(110, FINISH + DONE).end(500);
  });
  // Before a hop the report waits for the other sight.
  stage.observer.settleAll();
  expect(stage.faults).toEqual([]);
  return { ...stage, records: stage.sink.reports.map(({ record }) => record) };
}

test('the same body after a failed try is a retry of it', () => {
  const { records } = played([{ atS: 0, fails: true }, { atS: 2 }, { atS: 4 }]);
  expect(records.map(({ retryOf }) => retryOf)).toEqual([
    undefined,
    { sign: 'body', attempt: 2, of: '0.0-1', first: '0.0-1', sinceFirstNs: 2e9 },
    undefined,
  ]);
});

test('the same key after a failed try is a retry of it, and is kept nowhere', () => {
  const key = ['Idempotency-Key', 'stainless-node-retry-4711'];
  const { records } = played([
    { atS: 0, fails: true, fields: key },
    { atS: 2, fields: key, body: { ...CHAT, n: 2 } },
  ]);
  expect(records[1]?.retryOf).toMatchObject({ sign: 'idempotency_key', of: '0.0-1' });
  expect(JSON.stringify(records)).not.toContain('4711');
});

test('samples of one prompt are no retries, before a success or behind it', () => {
  const { records } = played([{ atS: 0 }, { atS: 0.1 }, { atS: 3 }]);
  expect(records.map(({ retryOf }) => retryOf)).toEqual([undefined, undefined, undefined]);
});

test('what a gateway passes on is no retry of what came to it', () => {
  const routes = [
    { name: 'main', engine: undefined },
    { name: 'edge:gateway', engine: undefined, edge: 'gateway' },
  ];
  const { records } = played([{ atS: 0, fails: true, routeIndex: 1 }, { atS: 2 }], { routes });
  expect(records.map(({ retryOf }) => retryOf)).toEqual([undefined, undefined]);
});

test('a job is told of behind the report that ended it', () => {
  const sink = catchSink();
  const jobs: JobReport[] = [];
  const told = { ...sink, onJob: (job: JobReport) => void (jobs.push(job), sink.calls.push(`job ${job.id}`)) };
  const classes = CLASSES.map((each) => ({
    ...each,
    job: { deadlineMs: 60_000, outputTokensPerSecondMin: 1, validTarget: 0.9, invalidFinishes: ['length'] },
  }));
  const fields = ['X-Job-Id', 'nightly', 'X-Job-Size', '2'];
  const { observer } = played(
    [
      { atS: 0, fields },
      { atS: 7, fields },
    ],
    { sinks: [told], classifier: createClassifier('x-traffic-class', classes) },
  );
  expect(sink.reports.map(({ record }) => record.job)).toEqual(
    [0, 7e9].map((openedAfterNs) => ({
      id: 'nightly',
      size: 2,
      run: { startedAtEpochMs: 1_796_000_000_000, openedAfterNs },
      terms: classes[0]?.job,
    })),
  );
  expect(sink.calls.slice(-2)).toEqual(['report 0.0-2 ok', 'job nightly']);
  expect(jobs).toMatchObject([{ id: 'nightly', end: 'size', answeredCount: 2, lengthNs: 7.5e9 }]);
  expect(jobs[0]?.met).toEqual({ deadline: 'true', tokens_per_second: 'unknown', valid: 'true' });
  expect(observer.demand.recentJobs()).toEqual(jobs);
  expect(observer.demand.openJobs()).toEqual([]);
});

test('before a hop a document has no place in its job, for it is seen again behind it', () => {
  const routes = [{ name: 'edge:gateway', engine: undefined, edge: 'gateway' }];
  const { records, observer } = played([{ atS: 0, fields: ['X-Job-Id', 'nightly'] }], { routes });
  expect(records[0]?.job).toEqual({ id: 'nightly' });
  expect(observer.demand.openJobs()).toEqual([]);
});
