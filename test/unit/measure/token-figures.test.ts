// Goal: thinking time, tokens per event and per read, and TTFT per 1,000 uncached tokens are exact where
// they can be known and absent everywhere else. Method: small records with each condition broken.
import { describe, expect, test } from 'vitest';
import { measureRecord } from '../../../src/measure/measure-record.ts';
import { CHUNK_BYTES_OMITTED } from '../../../src/record/kinds.ts';
import { buildRecord, ms, read, type RecordSpec } from '../../support/record-builder.ts';

const figuresOf = (spec: RecordSpec): ReturnType<typeof measureRecord> => measureRecord(buildRecord(spec));

describe('thinking time', () => {
  test('lies between the first token and the first visible one', () => {
    const reads = [read(100, 'reasoning'), read(150, 'reasoning'), read(900, 'text'), read(950, 'text finish done')];
    expect(figuresOf({ reads }).thinkingNs).toBe(ms(800));
  });

  test('is absent when the first token is visible, also in the same read as reasoning', () => {
    expect(figuresOf({ reads: [read(100, 'text'), read(200, 'reasoning')] }).thinkingNs).toBeUndefined();
    expect(figuresOf({ reads: [read(100, 'reasoning text')] }).thinkingNs).toBeUndefined();
  });

  test('is absent when nothing visible ever came', () => {
    expect(figuresOf({ reads: [read(100, 'reasoning'), read(200, 'done')] }).thinkingNs).toBeUndefined();
  });
});

describe('tokens per event and per read', () => {
  test('are the steps of the running count', () => {
    const reads = [
      read(100, 'role:0'),
      read(110, 'text:1'),
      read(120, ['text:2', 'text:5']),
      read(130, 'text:8 usage:8'),
    ];
    expect(figuresOf({ reads }).tokenSteps).toEqual({
      perEvent: [
        [1, 2],
        [3, 2],
      ],
      perRead: [
        [1, 1],
        [3, 1],
        [4, 1],
      ],
    });
  });

  test('count tokens of events without text', () => {
    const steps = figuresOf({ reads: [read(100, 'text:1'), read(110, 'other:2'), read(120, 'text:4')] }).tokenSteps;
    expect(steps?.perEvent).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });

  test.each([
    ['one event with output left its count unsaid', [read(100, 'text:1'), read(110, 'text'), read(120, 'text:3')]],
    ['only the end states a count', [read(100, 'text'), read(110, 'text usage:2')]],
    ['the count falls', [read(100, 'text:3'), read(110, 'text:2')]],
    ['no event states any', [read(100, 'role'), read(110, 'done')]],
    ['a part of the stream was not read', [read(100, 'text:1'), read(110, 'text:4', { flags: CHUNK_BYTES_OMITTED })]],
  ])('are absent when %s', (_, reads) => {
    expect(figuresOf({ reads }).tokenSteps).toBeUndefined();
  });
});

describe('TTFT per 1,000 uncached prompt tokens', () => {
  // Flushed 25 µs after it was received.
  const reads = [read(100, 'text'), read(110, 'done')];

  test('is TTFT over what no cache held', () => {
    expect(figuresOf({ reads, tokens: { prompt: 3_000, cached: 1_000 } }).ttftPer1kNs).toBe(50_012_500);
  });

  test('is absent without either count, and below 256 uncached tokens', () => {
    expect(figuresOf({ reads, tokens: { prompt: 3_000 } }).ttftPer1kNs).toBeUndefined();
    expect(figuresOf({ reads, tokens: { cached: 0 } }).ttftPer1kNs).toBeUndefined();
    expect(figuresOf({ reads, tokens: { prompt: 1_255, cached: 1_000 } }).ttftPer1kNs).toBeUndefined();
    expect(figuresOf({ reads, tokens: { prompt: 1_256, cached: 1_000 } }).ttftPer1kNs).toBe(390_722_656);
    expect(figuresOf({ reads, tokens: { prompt: 0, cached: 0 } }).ttftPer1kNs).toBeUndefined();
  });
});
