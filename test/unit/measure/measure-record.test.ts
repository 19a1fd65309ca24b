// Goal: a record gives the same figures bit for bit wherever it is measured, and only what applies.
// Method: whole records, measured twice and after a journey through JSON.
import { describe, expect, test } from 'vitest';
import { measureRecord } from '../../../src/measure/measure-record.ts';
import { CHUNK_AFTER_LOSS } from '../../../src/record/kinds.ts';
import { buildRecord, FLUSH_AFTER_NS, ms, read, texts } from '../../support/record-builder.ts';

const NO_GAPS = { count: 0, sumNs: 0 };
const NO_TAINT = { gc: 0, loop: 0, cpu: 0, clock: 0, backpressure: 0 };

test('a whole stream has every figure', () => {
  const record = buildRecord({
    reads: [
      read(50, 'role'),
      read(100, 'reasoning'),
      read(200, ['text', 'text text']),
      read(320, 'text'),
      read(330, 'finish done'),
    ],
    tokens: { output: 5, reasoning: 1, basis: 'usage' },
  });
  expect(measureRecord(record)).toEqual({
    stampErrorMaxNs: 0,
    ttftNs: ms(100) + FLUSH_AFTER_NS,
    ttfoNs: ms(200) + FLUSH_AFTER_NS,
    thinkingNs: ms(100),
    headNs: ms(50),
    firstEventNs: ms(50),
    lastTokenNs: ms(320),
    split: {
      basis: 'none',
      networkNs: 15_000,
      network: { uploadNs: 0, connectNs: 0, clientNs: 15_000 },
      rubatoNs: 10_000,
      rubato: { forwardNs: 0, holdNs: 10_000 },
      engineNs: ms(100),
      rounded: false,
      contradicted: false,
    },
    tpotNs: ms(55),
    holdMaxNs: FLUSH_AFTER_NS,
    holdP50Ns: FLUSH_AFTER_NS,
    outputTokensPerSecond: 15.625,
    gapsReceived: { count: 2, sumNs: ms(220), minNs: ms(100), maxNs: ms(120), p50Ns: ms(100) },
    gapsFlushed: { count: 2, sumNs: ms(220), minNs: ms(100), maxNs: ms(120), p50Ns: ms(100) },
    taintedCounts: NO_TAINT,
    stallCount: 1,
    stalls: [{ chunk: 4, atNs: ms(320), gapNs: ms(120) }],
    coalescedCount: 2,
    backpressureNs: 0,
    durationNs: ms(330) + FLUSH_AFTER_NS,
  });
});

test('measuring twice, or after a journey through JSON, gives the same figures', () => {
  const record = buildRecord({ reads: texts(100, 7, 150), tokens: { output: 150 }, blockedMs: [300, 400] });
  const figures = measureRecord(record);
  expect(measureRecord(record)).toEqual(figures);
  const travelled = JSON.parse(JSON.stringify(record)) as typeof record;
  expect(JSON.stringify(measureRecord(travelled))).toBe(JSON.stringify(figures));
});

describe('answers that are not streams', () => {
  test('enter only duration, tokens and outcome', () => {
    const record = buildRecord({
      reads: [read(100, 'text'), read(250, 'text')],
      answer: { streamed: false },
      tokens: { output: 9 },
    });
    expect(measureRecord(record)).toEqual({
      stampErrorMaxNs: 0,
      gapsReceived: NO_GAPS,
      gapsFlushed: NO_GAPS,
      taintedCounts: NO_TAINT,
      stallCount: 0,
      stalls: [],
      coalescedCount: 0,
      backpressureNs: 0,
      durationNs: ms(250) + FLUSH_AFTER_NS,
    });
  });

  test('an exchange that never got a head says why it has no token', () => {
    const record = buildRecord({ status: null, wire: 'client_abort', marks: { clientEndAtNs: ms(100) } });
    expect(measureRecord(record)).toMatchObject({ noFirstToken: 'canceled', durationNs: ms(100) });
  });
});

describe('unknown is absent', () => {
  test('a stream without events has no moments', () => {
    const figures = measureRecord(buildRecord({ marks: { clientEndAtNs: 5 } }));
    for (const absent of [
      'ttftNs',
      'ttfoNs',
      'firstEventNs',
      'lastTokenNs',
      'split',
      'tpotNs',
      'holdMaxNs',
      'holdP50Ns',
    ]) {
      expect(figures).not.toHaveProperty(absent);
    }
  });

  test('only reasoning: there is a first token and no visible one', () => {
    const figures = measureRecord(buildRecord({ reads: [read(100, 'reasoning'), read(110, 'done')] }));
    expect(figures.ttftNs).toBe(ms(100) + FLUSH_AFTER_NS);
    expect(figures).not.toHaveProperty('ttfoNs');
    expect(figures).not.toHaveProperty('noFirstToken');
  });

  test('the first event is unknown when chunks were lost before it', () => {
    const reads = [read(10, '', { flags: CHUNK_AFTER_LOSS }), read(20, 'role')];
    expect(measureRecord(buildRecord({ reads }))).not.toHaveProperty('firstEventNs');
  });

  test('the last token is unknown when chunks were lost after it', () => {
    const reads = [read(10, 'text'), read(20, 'done', { flags: CHUNK_AFTER_LOSS })];
    const figures = measureRecord(buildRecord({ reads, tokens: { output: 1 } }));
    expect(figures).not.toHaveProperty('lastTokenNs');
    expect(figures).not.toHaveProperty('outputTokensPerSecond');
  });

  test('the last token is known when chunks were lost before it', () => {
    const reads = [read(10, 'role'), read(20, 'text', { flags: CHUNK_AFTER_LOSS })];
    expect(measureRecord(buildRecord({ reads })).lastTokenNs).toBe(ms(20));
  });
});
