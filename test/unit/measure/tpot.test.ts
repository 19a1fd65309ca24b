// Goal: time per output token is exact where it can be known and absent everywhere else.
// Method: one good record, then the same with each condition broken.
import { describe, expect, test } from 'vitest';
import { measureRecord } from '../../../src/measure/measure-record.ts';
import { CHUNK_BYTES_OMITTED } from '../../../src/record/kinds.ts';
import { buildRecord, ms, read, texts, type RecordSpec } from '../../support/record-builder.ts';

function tpotOf(spec: RecordSpec): number | undefined {
  return measureRecord(buildRecord({ reads: texts(100, 20, 11), tokens: { output: 11, basis: 'usage' }, ...spec }))
    .tpotNs;
}

describe('time per output token', () => {
  test('is the time between first and last token over the tokens after the first', () => {
    expect(tpotOf({})).toBe(ms(20));
  });

  test('is rounded to whole nanoseconds', () => {
    expect(tpotOf({ tokens: { output: 4 } })).toBe(66_666_667);
  });

  test('ends at the last token, not at the end mark', () => {
    expect(tpotOf({ reads: [...texts(100, 20, 11), read(900, 'usage finish'), read(990, 'done')] })).toBe(ms(20));
  });

  test('leaves out the tokens of the first read where the engine counts them', () => {
    const reads = [read(100, ['text:2', 'text:3']), read(200, 'text:5'), read(300, 'text:8')];
    expect(tpotOf({ reads, tokens: { output: 8 } })).toBe(ms(40));
  });
});

describe('is absent', () => {
  test('without an exact count', () => {
    expect(tpotOf({ tokens: {} })).toBeUndefined();
  });

  test('with more than one choice, asked for or seen', () => {
    expect(tpotOf({ request: { choices: 2 } })).toBeUndefined();
    expect(tpotOf({ answer: { choiceCount: 2 } })).toBeUndefined();
    expect(tpotOf({ request: { choices: 1 } })).toBe(ms(20));
  });

  test('when reasoning was counted that never came as events', () => {
    expect(tpotOf({ tokens: { output: 11, reasoning: 5 } })).toBeUndefined();
    expect(tpotOf({ tokens: { output: 11, reasoning: 0 } })).toBe(ms(20));
    const reads = [read(90, 'reasoning'), ...texts(100, 20, 11)];
    expect(tpotOf({ reads, tokens: { output: 12, reasoning: 1 } })).toBe(Math.round(ms(210) / 11));
  });

  test('when all tokens came in one read', () => {
    expect(tpotOf({ reads: [read(100, ['text', 'text'])], tokens: { output: 2 } })).toBeUndefined();
  });

  test('when no tokens are left after the first read', () => {
    expect(tpotOf({ tokens: { output: 1 } })).toBeUndefined();
    expect(tpotOf({ tokens: { output: 0 } })).toBeUndefined();
  });

  test('without a token', () => {
    expect(tpotOf({ reads: [read(100, 'role')] })).toBeUndefined();
  });

  test('when parts of the stream were lost', () => {
    expect(tpotOf({ doubts: ['log_full'] })).toBeUndefined();
    expect(tpotOf({ response: { chunkCount: 12 } })).toBeUndefined();
    const reads = [read(50, '', { flags: CHUNK_BYTES_OMITTED }), ...texts(100, 20, 11)];
    expect(tpotOf({ reads })).toBeUndefined();
  });
});
