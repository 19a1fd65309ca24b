// Goal: the verdict on a batch job follows from its records, in whatever order they come, to the digit.
// Method: records of whole jobs, counted up; the worked example has 10,000 of them.
import { describe, expect, test } from 'vitest';
import { documentState } from '../../../../src/judge/job/document.ts';
import { type JobEnd, judgeJob, neededTokensPerSecond, openJob } from '../../../../src/judge/job/judge-job.ts';
import { addExchange, isComplete, jobKey, type JobTally, startTally } from '../../../../src/judge/job/tally.ts';
import type { JobTerms } from '../../../../src/record/objective.ts';
import type { StreamRecord } from '../../../../src/record/stream-record.ts';
import { buildRecord, read } from '../../../support/record-builder.ts';

const TERMS: JobTerms = {
  deadlineMs: 600_000,
  outputTokensPerSecondMin: 3_000,
  validTarget: 0.99,
  invalidFinishes: ['length', 'content_filter'],
};

interface Doc {
  readonly openedS?: number;
  readonly endedS?: number;
  readonly tokens?: number | undefined;
  readonly finish?: string;
  readonly failed?: true;
  readonly size?: number;
  readonly retryOf?: StreamRecord['retryOf'];
  readonly terms?: JobTerms | undefined;
}

const TEMPLATE = buildRecord({ reads: [read(1, 'text'), read(2, 'text finish'), read(3, 'done')] });

/** One exchange of the job, seconds after the job's first. */
function doc(spec: Doc = {}): StreamRecord {
  const { openedS = 0, endedS = openedS + 1, finish = 'stop', size, retryOf } = spec;
  const tokens = 'tokens' in spec ? spec.tokens : 180;
  const terms = 'terms' in spec ? spec.terms : TERMS;
  return {
    ...TEMPLATE,
    class: { name: 'batch', stallNs: 1 },
    marks: { ...TEMPLATE.marks, clientEndAtNs: (endedS - openedS) * 1e9 },
    answer: { ...TEMPLATE.answer, finishReasons: finish === '' ? [] : [finish] },
    tokens: tokens === undefined ? {} : { output: tokens },
    ...(spec.failed === true && {
      end: { wire: 'upstream_aborted', outcome: 'upstream_aborted', phase: 'mid_stream' },
    }),
    ...(retryOf !== undefined && { retryOf }),
    job: {
      id: 'nightly',
      ...(size !== undefined && { size }),
      run: { startedAtEpochMs: 1_796_000_000_000, openedAfterNs: openedS * 1e9 },
      ...(terms !== undefined && { terms }),
    },
  };
}

function tallyOf(records: readonly StreamRecord[]): JobTally {
  const tally = startTally(records[0] ?? doc());
  for (const record of records) addExchange(tally, record);
  return tally;
}

function judge(records: readonly StreamRecord[], end: JobEnd) {
  return judgeJob(tallyOf(records), end);
}

describe('the worked example', () => {
  test('10,000 documents of 180 tokens in 600 s need 3,000 tokens per second', () => {
    expect(neededTokensPerSecond(10_000, 180, 600_000)).toBe(3_000);
  });

  test('done in 500 s is 3,600 tokens per second, and keeps all', () => {
    const documents = Array.from({ length: 10_000 }, (_, index) =>
      doc({ openedS: index / 20.1, endedS: index === 9_999 ? 500 : index / 20.1 + 1, size: 10_000 }),
    );
    const tally = tallyOf(documents);
    expect(isComplete(tally)).toBe(true);
    expect(judgeJob(tally, 'size')).toEqual({
      id: 'nightly',
      class: 'batch',
      startedAtEpochMs: 1_796_000_000_000,
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
      validRatio: 1,
      neededTokensPerSecond: 3_000,
      end: 'size',
      met: { deadline: 'true', tokens_per_second: 'true', valid: 'true' },
    });
  });

  test('at 2,700 tokens per second is not done by then', () => {
    const documents = Array.from({ length: 9_000 }, () => doc({ openedS: 1, endedS: 599, size: 10_000 }));
    expect(judge(documents, 'deadline')).toMatchObject({
      answeredCount: 9_000,
      lengthNs: 600e9,
      tokensPerSecond: 2_700,
      neededTokensPerSecond: 3_000,
      validRatio: 0.9,
      met: { deadline: 'false', tokens_per_second: 'false', valid: 'false' },
    });
  });
});

describe('a document', () => {
  const stateOf = (record: StreamRecord) => documentState(record, record.job!);

  test('is valid, invalid by its finish, unknown, failed or late', () => {
    expect(stateOf(doc())).toBe('valid');
    expect(stateOf(doc({ finish: 'length' }))).toBe('invalid');
    expect(stateOf(doc({ finish: 'content_filter' }))).toBe('invalid');
    expect(stateOf(doc({ finish: '' }))).toBe('unknown');
    expect(stateOf({ ...doc(), doubts: ['tape_bytes'] })).toBe('unknown');
    expect(stateOf(doc({ failed: true }))).toBe('failed');
    expect(stateOf(doc({ openedS: 599, endedS: 600 }))).toBe('valid');
    expect(stateOf(doc({ openedS: 599, endedS: 600.000001 }))).toBe('late');
  });

  test('cut off by its length is valid where the class says so, or says nothing', () => {
    expect(stateOf(doc({ finish: 'length', terms: { ...TERMS, invalidFinishes: ['content_filter'] } }))).toBe('valid');
    expect(stateOf(doc({ finish: 'length', terms: undefined }))).toBe('valid');
  });

  test('that was tried again is one document', () => {
    const retryOf = { sign: 'body', attempt: 2, of: 'a', first: 'a', sinceFirstNs: 1 } as const;
    const failed = doc({ failed: true, size: 1 });
    expect(judge([failed, doc({ openedS: 2, retryOf, size: 1 })], 'size')).toMatchObject({
      exchangeCount: 2,
      retryCount: 1,
      answeredCount: 1,
      failedCount: 0,
      validRatio: 1,
      met: { deadline: 'true' },
    });
    expect(judge([failed, doc({ openedS: 2, failed: true, retryOf })], 'deadline')).toMatchObject({
      exchangeCount: 2,
      answeredCount: 0,
      failedCount: 1,
      validRatio: 0,
    });
  });

  test('an answer asked for again by its key is one document, and a failure to give it again is none', () => {
    const retryOf = {
      sign: 'idempotency_key',
      attempt: 2,
      of: 'a',
      first: 'a',
      sinceFirstNs: 1,
      wasAnswered: true,
    } as const;
    const records = [doc({ size: 2 }), doc({ openedS: 2, retryOf }), doc({ openedS: 4, failed: true, retryOf })];
    expect(judge(records, 'deadline')).toMatchObject({
      exchangeCount: 3,
      retryCount: 2,
      answeredCount: 1,
      failedCount: 0,
      met: { deadline: 'false' },
    });
  });

  test('whose first try nobody saw counts once it is answered', () => {
    const retryOf = { sign: 'stated', attempt: 2 } as const;
    expect(judge([doc({ retryOf })], 'deadline')).toMatchObject({ answeredCount: 1, failedCount: 0 });
  });

  test('that is late counts for nothing', () => {
    expect(judge([doc(), doc({ openedS: 599, endedS: 700 })], 'deadline')).toMatchObject({
      exchangeCount: 1,
      outputTokens: 180,
    });
  });
});

describe('a verdict', () => {
  test('does not depend on the order of the records', () => {
    const retryOf = { sign: 'body', attempt: 2, of: 'a', first: 'a', sinceFirstNs: 1 } as const;
    const records = [doc({ failed: true }), doc({ openedS: 5, retryOf }), doc({ finish: 'length' }), doc({ size: 3 })];
    expect(judge(records.toReversed(), 'size')).toEqual(judge(records, 'size'));
  });

  test('is unknown where nobody said how many documents there are', () => {
    expect(judge([doc()], 'deadline').met.deadline).toBe('unknown');
  });

  test('on the rate takes uncounted tokens for more, never for less', () => {
    const slow = { ...TERMS, outputTokensPerSecondMin: 1 };
    const fast = { ...TERMS, outputTokensPerSecondMin: 1_000 };
    const rate = (terms: JobTerms, tokens: (number | undefined)[]) =>
      judge(
        tokens.map((each) => doc({ endedS: 10, tokens: each, terms, size: tokens.length })),
        'size',
      ).met.tokens_per_second;
    expect(rate(slow, [180, undefined])).toBe('true');
    expect(rate(fast, [180, undefined])).toBe('unknown');
    expect(rate(fast, [undefined])).toBe('unknown');
    expect(rate(fast, [180, 180])).toBe('false');
    expect(judge([doc({ failed: true, terms: fast })], 'deadline').met.tokens_per_second).toBe('false');
  });

  test('56 valid documents of 100 keep a target of 0.56, and 55 do not', () => {
    const terms = { ...TERMS, validTarget: 0.56 };
    const withValid = (count: number) =>
      Array.from({ length: 100 }, (_, index) => doc({ terms, finish: index < count ? 'stop' : 'length' }));
    expect([56, 55].map((count) => judge(withValid(count), 'deadline').met.valid)).toEqual(['true', 'false']);
  });

  test('on validity is unknown only where what nobody can read decides it', () => {
    const half = { ...TERMS, validTarget: 0.5 };
    const valid = (...finishes: string[]) =>
      judge(
        finishes.map((finish) => doc({ finish, terms: half })),
        'deadline',
      ).met.valid;
    expect(valid('stop', '')).toBe('true');
    expect(valid('length', '')).toBe('unknown');
    expect(valid('length', 'length', '')).toBe('false');
  });

  test('of a class that promises nothing of jobs has figures alone', () => {
    const report = judge([doc({ terms: undefined })], 'idle');
    expect(report.met).toEqual({});
    expect(report).toMatchObject({ end: 'idle', lengthNs: 1e9, tokensPerSecond: 180 });
    expect(report).not.toHaveProperty('neededTokensPerSecond');
  });

  test('without a wanted rate says nothing of it', () => {
    const { outputTokensPerSecondMin: _, ...terms } = TERMS;
    expect(judge([doc({ terms })], 'deadline').met).toEqual({ deadline: 'unknown', valid: 'true' });
  });

  test('of an open job is figures up to now', () => {
    expect(openJob(tallyOf([doc({ size: 10_000 })]), 2e9)).toMatchObject({
      lengthNs: 2e9,
      tokensPerSecond: 90,
      neededTokensPerSecond: 3_000,
    });
  });
});

test('a record belongs to a run of its job, unless it was seen before a hop or not followed', () => {
  const record = doc();
  expect(jobKey(record)).toBe('nightly 1796000000000');
  expect(jobKey({ ...record, edge: 'gateway' })).toBeUndefined();
  expect(jobKey({ ...record, job: { id: 'nightly' } })).toBeUndefined();
  expect(jobKey(TEMPLATE)).toBeUndefined();
});
