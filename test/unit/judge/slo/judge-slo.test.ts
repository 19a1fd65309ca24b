// Goal: each kind of objective is kept, missed or unknown for what it is about, failures stay in the count, and what
// cannot be judged is never kept. Method: records whose moments are given.
import { describe, expect, test } from 'vitest';
import type { Objective, ObjectiveKind } from '../../../../src/record/objective.ts';
import { ms, read, type RecordSpec, texts } from '../../../support/record-builder.ts';
import { brokenOf, demandRecord, metOf, objective, sloOf, streamOf } from './records.ts';
import { judgeSlo } from '../../../../src/judge/slo/judge-slo.ts';
import { measureRecord } from '../../../../src/measure/measure-record.ts';

const GAPS = Array.from({ length: 24 }, () => 20);
const WHOLE: RecordSpec = { reads: streamOf(100, GAPS), tokens: { output: 25, prompt: 50, basis: 'usage' } };

const ENDS: Readonly<Record<string, RecordSpec>> = {
  'is whole': WHOLE,
  'broke off': { ...WHOLE, reads: brokenOf(100, GAPS), wire: 'upstream_aborted', tokens: {} },
  'ended without its mark': { ...WHOLE, reads: brokenOf(100, GAPS) },
  'was left by its client': { ...WHOLE, reads: brokenOf(100, GAPS), wire: 'client_abort', tokens: {} },
  'was left before the first token': { reads: [read(90, 'role')], wire: 'client_abort' },
  'was left before the head': { wire: 'client_abort', status: null },
  'was shed': { wire: 'shed', status: null },
  'met no engine': { wire: 'connect_error', status: null },
  'timed out': { wire: 'timeout_head', status: null },
  'was refused by the engine': { status: 429 },
  'ended without a token': { reads: [read(90, 'role'), read(95, 'finish done')] },
  'is no stream': { answer: { streamed: false, finishReasons: ['stop'] }, tokens: { output: 25, basis: 'usage' } },
};

const OBJECTIVES: readonly Objective[] = [
  objective('ttft', 800),
  objective('ttfo', 800),
  objective('gap_max', 20),
  objective('gap_percentile', 20, { percent: 95 }),
  objective('gap_pooled', 20, { percent: 95 }),
  objective('tpot', 20),
  objective('e2e', 2_000, { scope: { outputTokensMax: 256 } }),
  objective('valid'),
  objective('served'),
];

/** By the kinds in their order: kept, missed, unknown, or no say. */
const COMES_TO: Readonly<Record<keyof typeof ENDS, string>> = {
  'is whole': '+ + + + + + + + +',
  'broke off': '+ + - - - - - - +',
  'ended without its mark': '+ + - - - - - - +',
  'was left by its client': '+ + + + + ? ? ? +',
  'was left before the first token': '- - - - - - - - +',
  'was left before the head': '- - - - - - - - -',
  'was shed': '- - - - - - - - -',
  'met no engine': '- - - - - - - - -',
  'timed out': '- - - - - - - - -',
  'was refused by the engine': '- - - - - - - - -',
  'ended without a token': '? ? ? ? . ? ? + +',
  'is no stream': '? ? ? ? . ? + + +',
};

const SIGNS = { true: '+', false: '-', unknown: '?' } as const;

describe('an exchange that', () => {
  test.each(Object.entries(ENDS))('%s', (name, spec) => {
    const slo = sloOf(spec, OBJECTIVES);
    const signs = OBJECTIVES.map((one) => {
      const verdict = slo?.objectives.find((each) => each.name === one.name);
      return verdict === undefined ? '.' : SIGNS[verdict.met];
    });
    expect(signs.join(' ')).toBe(COMES_TO[name]);
  });

  test('kept all is good, broke one is not, and is unknown where one cannot be judged', () => {
    expect(sloOf(WHOLE, OBJECTIVES)?.good).toBe('true');
    expect(sloOf(WHOLE, [...OBJECTIVES, objective('ttft', 99, { name: 'strict' })])?.good).toBe('false');
    expect(sloOf({ ...WHOLE, tokens: {} }, OBJECTIVES)?.good).toBe('unknown');
    expect(sloOf(WHOLE, [])).toEqual({ objectives: [] });
  });

  test('failed counts as infinitely late: its first token, or the rest', () => {
    const never = Object.entries(ENDS).map(([name, spec]) => [name, sloOf(spec, [])?.never]);
    expect(Object.fromEntries(never)).toEqual({
      'is whole': undefined,
      'broke off': 'rest',
      'ended without its mark': 'rest',
      'was left by its client': undefined,
      'was left before the first token': 'first_token',
      'was left before the head': 'first_token',
      'was shed': 'first_token',
      'met no engine': 'first_token',
      'timed out': 'first_token',
      'was refused by the engine': 'first_token',
      'ended without a token': undefined,
      'is no stream': undefined,
    });
  });

  test('asked for nothing new, or for no generation, or was seen before a hop, is no demand', () => {
    expect(sloOf({ ...WHOLE, request: { method: 'GET' } }, OBJECTIVES)).toBeDefined();
    const record = demandRecord(WHOLE, OBJECTIVES);
    const { generation: _, ...request } = record.request;
    const others = [
      { ...record, request },
      { ...record, edge: 'gateway' },
      { ...record, retryOf: { sign: 'body' as const, attempt: 2 } },
    ];
    expect(others.map((each) => judgeSlo(each, measureRecord(each)))).toEqual([undefined, undefined, undefined]);
  });
});

describe('the limit itself', () => {
  const cases: readonly (readonly [ObjectiveKind, number, Partial<Objective>])[] = [
    ['ttft', 100, {}],
    ['ttfo', 100, {}],
    ['gap_max', 20, {}],
    ['gap_percentile', 20, { percent: 50 }],
    ['gap_pooled', 20, { percent: 95 }],
    ['tpot', 20, {}],
    ['e2e', 580, { scope: { outputTokensMax: 25 } }],
  ];
  test.each(cases)('of %s keeps it, and one nanosecond more does not', (kind, limitMs, more) => {
    const one = objective(kind, limitMs, more);
    expect(metOf(WHOLE, one)).toBe('true');
    expect(metOf(WHOLE, { ...one, limitNs: ms(limitMs) - 1 })).toBe('false');
  });
});

describe('gaps', () => {
  test('too few of them have no percentile: 20 for p95, 100 for p99, two for p50', () => {
    const met = (count: number, percent: number): string | undefined =>
      metOf(
        {
          reads: streamOf(
            10,
            Array.from({ length: count }, () => 5),
          ),
        },
        objective('gap_percentile', 9, { percent }),
      );
    expect([met(19, 95), met(20, 95)]).toEqual(['unknown', 'true']);
    expect([met(99, 99), met(100, 99)]).toEqual(['unknown', 'true']);
    expect([met(1, 50), met(2, 50), met(3, 75), met(4, 75)]).toEqual(['unknown', 'true', 'unknown', 'true']);
  });

  test('one that is too long is enough, whatever else is unknown', () => {
    const late = { reads: texts(10, 200, 3), doubts: ['tape_chunks' as const] };
    expect(metOf(late, objective('gap_max', 100))).toBe('false');
    expect(metOf(late, objective('gap_max', 300))).toBe('unknown');
  });

  test('mostly untrusted, they say nothing; a few of them are counted apart', () => {
    const reads = (taintedCount: number) =>
      streamOf(10, [5, 5, 5, 5]).map((each, index) => ({ ...each, errorBoundNs: index < taintedCount ? ms(4) : 0 }));
    expect(metOf({ reads: reads(1) }, objective('gap_max', 9))).toBe('true');
    expect(metOf({ reads: reads(3) }, objective('gap_max', 9))).toBe('unknown');
    const pooled = objective('gap_pooled', 9, { percent: 95 });
    expect(sloOf({ reads: reads(1) }, [pooled])?.objectives[0]?.gaps).toEqual({ within: 3, beyond: 0, unknown: 1 });
    expect(sloOf({ reads: reads(3) }, [pooled])?.objectives[0]).toMatchObject({ met: 'unknown', gaps: { unknown: 3 } });
  });

  test('an answer in one read has none: nothing to pool, and no worst one', () => {
    const one = { reads: streamOf(10, []) };
    expect(sloOf(one, [objective('gap_pooled', 9, { percent: 95 })])).toEqual({ objectives: [], good: 'unknown' });
    expect(metOf(one, objective('gap_max', 9))).toBe('unknown');
  });
});

describe('whom it is for', () => {
  const scoped = (scope: Objective['scope'], spec: RecordSpec, changes = {}): string | undefined =>
    metOf(spec, objective('ttft', 800, { ...(scope && { scope }) }), changes);

  test('prompts within bounds, by what the engine states', () => {
    expect(scoped({ promptTokensMax: 50 }, WHOLE)).toBe('true');
    expect(scoped({ promptTokensMax: 49 }, WHOLE)).toBeUndefined();
    expect(scoped({ promptTokensMin: 50 }, WHOLE)).toBe('true');
    expect(scoped({ promptTokensMin: 51 }, WHOLE)).toBeUndefined();
  });

  test('or by the estimate, which is all there is of what failed', () => {
    const failed: RecordSpec = { wire: 'connect_error', status: null };
    expect(scoped({ promptTokensMax: 50 }, failed)).toBe('unknown');
    expect(scoped({ promptTokensMax: 50 }, { ...failed, request: { promptTokensEstimate: 40 } })).toBe('false');
    expect(scoped({ promptTokensMax: 50 }, { ...failed, request: { promptTokensEstimate: 60 } })).toBeUndefined();
  });

  test('prompt buckets', () => {
    const inBucket = (promptBucket: string): string | undefined =>
      scoped({ promptBuckets: ['0-256', '256-1k'] }, WHOLE, { labels: { model: 'm', promptBucket } });
    expect([inBucket('256-1k'), inBucket('1k-4k'), inBucket('unknown')]).toEqual(['true', undefined, 'unknown']);
  });

  test('answers of so many tokens; what was lost is in unless it was surely longer', () => {
    const scope = { outputTokensMax: 24 };
    expect(scoped(scope, WHOLE)).toBeUndefined();
    expect(scoped(scope, { ...WHOLE, tokens: {} })).toBe('unknown');
    expect(scoped(scope, { ...WHOLE, tokens: {}, request: { maxTokens: 24 } })).toBe('true');
    expect(scoped(scope, { wire: 'connect_error', status: null })).toBe('false');
  });

  test('a bound that keeps it out wins over one that cannot be looked at', () => {
    expect(scoped({ promptTokensMax: 10, outputTokensMax: 10 }, { ...WHOLE, tokens: { prompt: 11 } })).toBeUndefined();
  });
});

describe('validity', () => {
  const answer = (finishReasons: string[]): RecordSpec => ({ ...WHOLE, answer: { finishReasons } });
  const strict = objective('valid', undefined, { invalidFinishes: ['length', 'content_filter'] });

  test('takes a cut-off answer for valid unless its class says otherwise', () => {
    expect(metOf(answer(['length']), objective('valid'))).toBe('true');
    expect(metOf(answer(['stop', 'length']), strict)).toBe('false');
    expect(metOf(answer(['stop']), strict)).toBe('true');
    expect(metOf(answer([]), strict)).toBe('unknown');
  });

  test('is unknown of a body that nobody read, or not whole', () => {
    expect(metOf({ ...WHOLE, answer: { dialect: 'opaque' } }, objective('valid'))).toBe('unknown');
    expect(metOf({ ...WHOLE, answer: { unreadable: 'br' } }, objective('valid'))).toBe('unknown');
    expect(metOf({ ...WHOLE, doubts: ['tape_bytes'] }, objective('valid'))).toBe('unknown');
  });
});

describe('what a client asks for', () => {
  const asked = { ttftNs: ms(50), tpotNs: ms(30), gapNs: ms(10) };

  test('is judged beside what its class is promised', () => {
    const slo = sloOf({ ...WHOLE, request: { asked } }, [objective('ttft', 800)]);
    expect(slo?.objectives).toEqual([
      { name: 'ttft', met: 'true', valueNs: ms(100) },
      { name: 'asked_ttft', met: 'false', valueNs: ms(100) },
      { name: 'asked_tpot', met: 'true', valueNs: ms(20) },
      { name: 'asked_gap_max', met: 'false', valueNs: ms(20) },
    ]);
    expect(slo?.good).toBe('false');
  });

  test('for goodput stands in the place of what its class is promised for the same figure', () => {
    const wish = { ttftNs: ms(5_000) };
    const slo = sloOf({ ...WHOLE, request: { asked: wish } }, [objective('ttft', 50), objective('tpot', 20)]);
    expect(slo).toMatchObject({ good: 'true', objectives: [{ name: 'ttft', met: 'false' }, {}, { met: 'true' }] });
  });

  test('is enough to be judged by', () => {
    expect(sloOf({ ...WHOLE, request: { asked: { gapNs: ms(20) } } }, [])).toEqual({
      objectives: [{ name: 'asked_gap_max', met: 'true', valueNs: ms(20) }],
      good: 'true',
    });
  });
});

test('TTFO waits for what is shown: who leaves while the model thinks has waited in vain', () => {
  const thinking = [read(100, 'reasoning'), read(200, 'reasoning')];
  expect(metOf({ reads: [...thinking, ...texts(900, 10, 2), read(930, 'finish done')] }, objective('ttfo', 800))).toBe(
    'false',
  );
  expect(metOf({ reads: thinking, wire: 'client_abort' }, objective('ttfo', 800))).toBe('false');
  expect(metOf({ reads: thinking, wire: 'client_abort' }, objective('ttft', 800))).toBe('true');
  expect(metOf({ reads: [...thinking, read(210, 'finish done')] }, objective('ttfo', 800))).toBe('unknown');
});

test('a first token whose stamps are missing is unknown, not late', () => {
  const unflushed = streamOf(100, GAPS).map((each) => ({ ...each, flushAfterNs: null }));
  expect(metOf({ ...WHOLE, reads: unflushed }, objective('ttft', 800))).toBe('unknown');
});
