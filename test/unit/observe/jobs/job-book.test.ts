// Goal: a job begins with its first exchange and ends with its size, its deadline or its silence, once; ids cannot
// fill the memory. Method: openings and reports told to the book by a clock of the test's own.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { JOB_IDLE_MAX_MS, JOB_SETTLE_MS, JOBS_RECENT_MAX_COUNT } from '../../../../src/base/demand-limits.ts';
import { judgeJob, type JobReport } from '../../../../src/judge/job/judge-job.ts';
import { addExchange, startTally } from '../../../../src/judge/job/tally.ts';
import { JobBook } from '../../../../src/observe/jobs/job-book.ts';
import { jobName } from '../../../../src/observe/jobs/job-names.ts';
import type { JobTerms } from '../../../../src/record/objective.ts';
import type { StreamRecord } from '../../../../src/record/stream-record.ts';
import { buildRecord, read } from '../../../support/record-builder.ts';

const TERMS: JobTerms = { deadlineMs: 60_000, validTarget: 0.9, invalidFinishes: ['length'] };
const TEMPLATE = buildRecord({ reads: [read(1, 'text finish'), read(3, 'done')], tokens: { output: 10 } });
const EPOCH_MS = 1_796_000_000_000;

function stage(openMaxCount?: number) {
  let nowS = 0;
  const ended: JobReport[] = [];
  const book = new JobBook({
    nowNs: () => nowS * 1e9,
    onEnded: (job) => ended.push(job),
    ...(openMaxCount !== undefined && { openMaxCount }),
  });
  return {
    book,
    ended,
    at(seconds: number) {
      nowS = seconds;
    },
    open: (id: string, openedS: number) => book.opened(id, openedS * 1e9, EPOCH_MS + openedS * 1e3),
  };
}

type Staged = ReturnType<typeof stage>;

/** The record of an exchange that was opened at a place and took one second. */
function record(
  run: ReturnType<Staged['open']>,
  { id = 'a', size, terms = TERMS }: { id?: string; size?: number; terms?: JobTerms | null } = {},
): StreamRecord {
  return {
    ...TEMPLATE,
    marks: { ...TEMPLATE.marks, clientEndAtNs: 1e9 },
    job: {
      id,
      ...(size !== undefined && { size }),
      ...(run !== undefined && { run }),
      ...(terms !== null && { terms }),
    },
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('exchanges of a job stand where they were opened after its first', () => {
  const { open } = stage();
  expect(open('a', 10)).toEqual({ startedAtEpochMs: EPOCH_MS + 10_000, openedAfterNs: 0 });
  expect(open('a', 12)).toEqual({ startedAtEpochMs: EPOCH_MS + 10_000, openedAfterNs: 2e9 });
  expect(open('b', 13)).toEqual({ startedAtEpochMs: EPOCH_MS + 13_000, openedAfterNs: 0 });
});

describe('a job ends', () => {
  test('when as many documents are answered as were stated', () => {
    const { book, ended, open } = stage();
    const runs = [open('a', 0), open('a', 1)];
    for (const run of runs) book.reported(record(run, { size: 2 }));
    expect(ended).toMatchObject([{ id: 'a', end: 'size', answeredCount: 2, lengthNs: 2e9, outputTokens: 20 }]);
    expect(book.open()).toEqual([]);
    expect(book.recent()).toEqual(ended);
  });

  test('at its deadline, when exchanges that ended in time had time to be reported', () => {
    const { book, ended, at, open } = stage();
    book.reported(record(open('a', 0), { size: 2 }));
    at(60 + JOB_SETTLE_MS / 1e3 - 1);
    book.look();
    expect(ended).toEqual([]);
    at(60 + JOB_SETTLE_MS / 1e3);
    book.look();
    expect(ended).toMatchObject([{ end: 'deadline', lengthNs: 60e9, met: { deadline: 'false' } }]);
  });

  test('by its silence where its class has no deadline', () => {
    const { book, ended, at, open } = stage();
    const unfinished = open('a', 0);
    book.reported(record(open('a', 0), { terms: null }));
    at(JOB_IDLE_MAX_MS / 1e3 + 1);
    book.look();
    expect(ended).toEqual([]);
    book.reported(record(unfinished, { terms: null }));
    at(2 * (JOB_IDLE_MAX_MS / 1e3 + 1) + 1);
    book.look();
    expect(ended).toMatchObject([{ end: 'idle', answeredCount: 2, met: {} }]);
  });

  test('once: what is late is still its own and changes nothing', () => {
    const { book, ended, at, open } = stage();
    book.reported(record(open('a', 0)));
    at(80);
    book.look();
    const late = open('a', 81);
    expect(late).toEqual({ startedAtEpochMs: EPOCH_MS, openedAfterNs: 81e9 });
    book.reported(record(late));
    expect(ended.length).toBe(1);
    expect(book.open()).toEqual([]);
  });
});

describe('the same id is another job', () => {
  test('when the one before it is done', () => {
    const { book, ended, open } = stage();
    book.reported(record(open('a', 0), { size: 1 }));
    const again = open('a', 5);
    expect(again).toEqual({ startedAtEpochMs: EPOCH_MS + 5_000, openedAfterNs: 0 });
    book.reported(record(again, { size: 1 }));
    expect(ended.map(({ startedAtEpochMs }) => startedAtEpochMs)).toEqual([EPOCH_MS, EPOCH_MS + 5_000]);
  });

  test('when the one before it was quiet for long after its deadline', () => {
    const { book, at, open } = stage();
    book.reported(record(open('a', 0)));
    at(80);
    book.look();
    at(1_000);
    book.look();
    expect(open('a', 1_000)).toMatchObject({ openedAfterNs: 0 });
  });

  test('and an exchange of the one before it counts for neither', () => {
    const { book, open } = stage();
    const [first, second] = [open('a', 0), open('a', 0)];
    book.reported(record(first, { size: 1 }));
    open('a', 5);
    book.reported(record(second, { size: 1 }));
    expect(book.open()).toEqual([]);
  });
});

test('what a job came to is what its records come to through a file', () => {
  const { book, ended, open } = stage();
  const records = [0, 3, 1].map((openedS) => record(open('a', openedS), { size: 3 }));
  for (const each of records) book.reported(each);
  const again = records.map((each) => JSON.parse(JSON.stringify(each)) as StreamRecord);
  const tally = startTally(again[0]!);
  for (const each of again) addExchange(tally, each);
  expect(judgeJob(tally, 'size')).toEqual(ended[0]);
});

test('an open job is shown as it stands', () => {
  const { book, at, open } = stage();
  book.reported(record(open('a', 0), { size: 6 }));
  at(2);
  expect(book.open()).toMatchObject([{ id: 'a', answeredCount: 1, lengthNs: 2e9, tokensPerSecond: 5 }]);
});

test('jobs beyond the cap are not followed, and counted', () => {
  const { book, open } = stage(2);
  expect([open('a', 0), open('b', 0), open('c', 0)].map((run) => run !== undefined)).toEqual([true, true, false]);
  book.reported(record(undefined, { id: 'c' }));
  expect(book.unfollowedCount).toBe(1);
});

test('a job that was quiet for long gives way to a new one, and its deadline is unknown', () => {
  const { book, ended, at, open } = stage(2);
  book.reported(record(open('a', 0), { size: 2, terms: { ...TERMS, deadlineMs: 3_600_000 } }));
  at(JOB_IDLE_MAX_MS / 1e3);
  open('b', JOB_IDLE_MAX_MS / 1e3);
  expect(open('c', JOB_IDLE_MAX_MS / 1e3)).toBeUndefined();
  expect(open('c', JOB_IDLE_MAX_MS / 1e3 + 1)).toMatchObject({ openedAfterNs: 0 });
  expect(ended).toMatchObject([{ id: 'a', end: 'idle', met: { deadline: 'unknown' } }]);
});

test('ended jobs are remembered up to a cap', () => {
  const { book, open } = stage();
  for (let each = 0; each < JOBS_RECENT_MAX_COUNT + 5; each += 1) {
    book.reported(record(open(`j${each}`, each), { id: `j${each}`, size: 1 }));
  }
  expect(book.recent().length).toBe(JOBS_RECENT_MAX_COUNT);
  expect(book.recent()[0]?.id).toBe(`j${JOBS_RECENT_MAX_COUNT + 4}`);
});

describe('names of jobs', () => {
  const named = (id: string, size?: string) =>
    jobName(['X-Job-Id', id, ...(size === undefined ? [] : ['X-Job-Size', size])]);

  test('are short and plain, and sizes are counts', () => {
    expect(named('nightly:2026-11-30', '10000')).toEqual({ id: 'nightly:2026-11-30', size: 10_000 });
    expect(named(' a ')).toEqual({ id: 'a' });
    expect(jobName([])).toBeUndefined();
  });

  test('that are not are left out', () => {
    for (const id of ['', 'two words', 'ümlaut', '<script>', `a${'b'.repeat(64)}`, '-a']) {
      expect(named(id)).toBeUndefined();
    }
    for (const size of ['0', '-1', '1.5', '1e3', 'many', '100000001', '9999999999']) {
      expect(named('a', size)).toEqual({ id: 'a' });
    }
  });
});
