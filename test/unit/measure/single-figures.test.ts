// Goal: hold, backpressure, duration, tokens and buckets are exact, and absent when unknown.
// Method: a few values around each boundary.
import { describe, expect, test } from 'vitest';
import { BLOCKED_MAX_COUNT } from '../../../src/base/limits.ts';
import { backpressureNs } from '../../../src/measure/backpressure.ts';
import { outputBucket, promptBucket } from '../../../src/measure/buckets.ts';
import { durationNs } from '../../../src/measure/duration.ts';
import { holdFigures } from '../../../src/measure/hold.ts';
import { outputTokensPerSecond, tokenCounts } from '../../../src/measure/tokens.ts';
import { bucketNames } from '../../../src/record/bucket-names.ts';
import { buildRecord, FLUSH_AFTER_NS, ms, read } from '../../support/record-builder.ts';

describe('hold', () => {
  test('is first stamp to accepted, over all chunks whose delivery is known', () => {
    const { chunks } = buildRecord({
      reads: [
        read(1, 'role', { flushAfterNs: 30 }),
        read(2, 'text', { flushAfterNs: 10 }),
        read(3, 'text', { flushAfterNs: 20 }),
        read(4, 'text', { flushAfterNs: 90 }),
        read(5, 'text', { flushAfterNs: null }),
      ],
    });
    expect(holdFigures(chunks)).toEqual({ holdMaxNs: 90, holdP50Ns: 20 });
  });

  test('is absent when nothing was delivered', () => {
    const { chunks } = buildRecord({ reads: [read(1, 'text', { flushAfterNs: null })] });
    expect(holdFigures(chunks)).toEqual({ holdMaxNs: undefined, holdP50Ns: undefined });
  });
});

describe('backpressure', () => {
  test('is the sum of the blocked intervals', () => {
    expect(backpressureNs([], 900)).toBe(0);
    expect(backpressureNs([100, 150, 300, 400], 900)).toBe(150);
  });

  test('an interval that is open at the end lasts until it', () => {
    expect(backpressureNs([100, 150, 300], 900)).toBe(650);
    expect(backpressureNs([950], 900)).toBe(0);
  });

  test('an interval that is open because the record was full counts nothing', () => {
    const edgesNs = Array.from({ length: 2 * BLOCKED_MAX_COUNT - 1 }, (_, index) => index * 10);
    expect(backpressureNs(edgesNs, 1e9)).toBe((BLOCKED_MAX_COUNT - 1) * 10);
  });
});

describe('duration', () => {
  test("lasts until the end on the client's side", () => {
    expect(durationNs(buildRecord({ reads: [read(10, 'text')] }))).toBe(ms(10) + FLUSH_AFTER_NS);
    expect(durationNs(buildRecord({ marks: { clientEndAtNs: 77 } }))).toBe(77);
  });

  test('lasts at least until the latest moment known', () => {
    const record = buildRecord({ reads: [read(10, 'text'), read(20, 'text', { flushAfterNs: null })] });
    expect(durationNs({ ...record, marks: {} })).toBe(ms(20) + 10_000);
    expect(durationNs({ ...record, marks: { upstreamEndAtNs: ms(30) } })).toBe(ms(30));
    expect(durationNs({ ...buildRecord(), marks: {} })).toBe(0);
  });
});

describe('tokens', () => {
  test('are listed as stated: 0 is a count, unknown is none', () => {
    expect(tokenCounts({ output: 7, cached: 0 })).toEqual([
      { kind: 'cached', count: 0 },
      { kind: 'output', count: 7 },
    ]);
    expect(tokenCounts({})).toEqual([]);
  });

  test('per second up to the last token', () => {
    expect(outputTokensPerSecond({ output: 10 }, ms(500))).toBe(20);
    expect(outputTokensPerSecond({}, ms(500))).toBeUndefined();
    expect(outputTokensPerSecond({ output: 10 }, undefined)).toBeUndefined();
    expect(outputTokensPerSecond({ output: 10 }, 0)).toBeUndefined();
  });
});

describe('buckets', () => {
  test.each([
    [0, '0-256'],
    [255, '0-256'],
    [256, '256-1k'],
    [1_023, '256-1k'],
    [1_024, '1k-4k'],
    [4_096, '4k-16k'],
    [65_535, '16k-64k'],
    [65_536, '64k+'],
    [undefined, 'unknown'],
  ])('a prompt of %s tokens is in %s', (tokens, name) => {
    expect(promptBucket(tokens)).toBe(name);
  });

  test.each([
    [63, '0-64'],
    [64, '64-256'],
    [1_024, '1k-4k'],
    [4_096, '4k+'],
    [undefined, 'unknown'],
  ])('an output of %s tokens is in %s', (tokens, name) => {
    expect(outputBucket(tokens)).toBe(name);
  });

  test('names follow configured edges', () => {
    expect(bucketNames([100, 2048])).toEqual(['0-100', '100-2k', '2k+', 'unknown']);
    expect(promptBucket(150, [100, 2048])).toBe('100-2k');
    expect(outputBucket(5_000, [100, 2048])).toBe('2k+');
    expect(bucketNames([])).toEqual(['0+', 'unknown']);
  });
});
