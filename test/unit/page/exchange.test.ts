// Goal: the picture of an exchange says what its record says: parts that sum to the TTFT, steps only between marks that
// are known, curves that end at what came, verdicts beside their own stalls. Method: built records, exact integers.
import { describe, expect, test } from 'vitest';
import { measureRecord } from '../../../src/measure/measure-record.ts';
import { partsOf } from '../../../src/page/charts/parts.ts';
import { byteCurves, eventCurves, hopCurves } from '../../../src/page/views/exchange-curves.ts';
import { pictureOfOpen, pictureOfReport } from '../../../src/page/views/exchange-picture.ts';
import { listedStalls } from '../../../src/judge/causes/listed-stalls.ts';
import { marksOf, stepsOf } from '../../../src/page/views/exchange-steps.ts';
import { traceHref } from '../../../src/page/views/exchange-trace.ts';
import { gapLines } from '../../../src/page/views/gaps-lines.ts';
import type { Report } from '../../../src/judge/report.ts';
import { buildRecord, ms, read, type RecordSpec, texts } from '../../support/record-builder.ts';

const STREAM: RecordSpec = {
  reads: [read(100, 'role'), read(120, 'text'), ...texts(140, 20, 3), read(400, 'text text finish'), read(401, 'done')],
  marks: { uploadEndAtNs: ms(1), connectStartAtNs: ms(2), connectedAtNs: ms(4), requestSentAtNs: ms(5) },
};

function reportOf(spec: RecordSpec = STREAM): Report {
  const record = buildRecord(spec);
  const labels = { class: 'default', model: 'm', route: 'default', promptBucket: 'unknown' };
  return { record, figures: measureRecord(record), labels, outputBucket: 'unknown' };
}

describe('the parts of a TTFT', () => {
  test('sum to it exactly, and those that are not known are absent', () => {
    const { figures } = reportOf();
    if (figures.split === undefined) throw new Error('no split');
    const parts = partsOf(figures.split);
    expect(parts.reduce((sum, { partNs }) => sum + partNs, 0)).toBe(figures.ttftNs);
    expect(parts.map(({ part }) => part)).toEqual(['network', 'engine', 'rubato']);
  });
});

describe('the waterfall', () => {
  test('goes from mark to mark', () => {
    const steps = stepsOf(pictureOfReport(reportOf())).map(({ name, fromNs, toNs }) => [name, fromNs, toNs]);
    expect(steps).toEqual([
      ['upload', 0, ms(1)],
      ['connect', ms(2), ms(4)],
      ['send', ms(4), ms(5)],
      ['until the head', ms(5), ms(100)],
      ['until a chunk', ms(100), ms(100)],
      ['until a token', ms(100), ms(120)],
      ['tokens', ms(120), ms(400)],
      ['rest', ms(400), reportOf().figures.durationNs],
    ]);
  });

  test('leaves out what did not happen', () => {
    const { record, ...rest } = reportOf({ status: null, wire: 'connect_error' });
    const marks = { uploadEndAtNs: ms(1), connectStartAtNs: ms(1) };
    const refused = { ...rest, record: { ...record, marks } };
    expect(stepsOf(pictureOfReport(refused)).map(({ name }) => name)).toEqual(['upload']);
    expect(marksOf(pictureOfReport(refused)).map(({ name }) => name)).toEqual([
      'head in',
      'end',
      'upload ended',
      'connection asked for',
    ]);
  });

  test('has no step that ends before it begins, as where the engine answered early', () => {
    const early = reportOf({
      ...STREAM,
      marks: { ...STREAM.marks, requestSentAtNs: ms(300), headReceivedAtNs: ms(100) },
    });
    expect(stepsOf(pictureOfReport(early)).map(({ name }) => name)).not.toContain('until the head');
  });

  test('of an open exchange runs until now', () => {
    const { chunks, events } = buildRecord({ reads: [] });
    const open = {
      id: '0-1',
      openedAtEpochMs: 1_000,
      route: 'default',
      class: 'default',
      model: 'm',
      phase: 'head' as const,
      ageMs: 750,
      chunkCount: 0,
    };
    const marks = { uploadEndAtNs: ms(1), requestSentAtNs: ms(2) };
    const picture = pictureOfOpen({ open, marks, chunks, events, stallCount: 0, stalls: [] });
    expect(stepsOf(picture).map(({ name, toNs }) => [name, toNs])).toEqual([
      ['upload', ms(1)],
      ['send', ms(2)],
      ['until the head', ms(750)],
    ]);
  });
});

describe('the arrival', () => {
  test('counts generated events at the chunk that completed them, and bytes of all chunks', () => {
    const { chunks, events } = reportOf().record;
    const { received, flushed } = eventCurves(chunks, events);
    expect(received).toEqual({ at: [120, 140, 160, 180, 400], level: [1, 2, 3, 4, 6] });
    expect(flushed.level).toEqual([1, 2, 3, 4, 6]);
    expect(byteCurves(chunks).received.level.at(-1)).toBe(chunks.bytes.reduce((sum, each) => sum + each, 0));
  });

  test('has no step where the kernel never took a chunk', () => {
    const { chunks, events } = reportOf({ reads: [read(10, 'text'), read(20, 'text', { flushAfterNs: null })] }).record;
    expect(eventCurves(chunks, events).received.level).toEqual([1, 2]);
    expect(eventCurves(chunks, events).flushed.level).toEqual([1]);
  });

  test('sums up the lanes of both sides of a hop', () => {
    const curves = hopCurves({
      channel: ['text', 'reasoning', 'text'],
      choice: [0, 0, 0],
      endChars: [10, 4, 15],
      innerAtNs: [ms(1), ms(2), ms(3)],
      innerBytes: [1, 2, 3],
      outerAtNs: [ms(50), ms(50), ms(60)],
    });
    expect(curves.inner).toEqual({ at: [1, 2, 3], level: [10, 14, 19] });
    expect(curves.outer).toEqual({ at: [50, 60], level: [14, 19] });
  });
});

test('a stall has the verdict that was given on it, and one that was not judged has none', () => {
  const { figures } = reportOf();
  const [stall] = figures.stalls;
  if (stall === undefined) throw new Error('no stall');
  const verdict = {
    chunk: stall.chunk,
    gapNs: stall.gapNs,
    cause: 'host',
    confidence: 0.8,
    signs: [],
    numbers: {},
  } as const;
  expect(listedStalls({ figures, stalls: [verdict] })[0]?.verdict).toBe(verdict);
  expect(listedStalls({ figures, stalls: [{ ...verdict, chunk: stall.chunk + 1 }] })[0]).not.toHaveProperty('verdict');
  expect(listedStalls({ figures })).toEqual([{ atNs: ms(400), gapNs: ms(220) }]);
  const drawn = { atNs: ms(400), gapNs: ms(220) };
  expect(pictureOfReport({ ...reportOf(), stalls: [verdict] }).stalls).toEqual([{ ...drawn, cause: 'host' }]);
  expect(pictureOfReport(reportOf()).stalls).toEqual([drawn]);
});

test('a link to a trace leads to a web page or nowhere', () => {
  expect(traceHref('https://g/x?id={traceId}&again={traceId}', 'abc')).toBe('https://g/x?id=abc&again=abc');
  expect(traceHref('HTTP://g/{traceId}', 'abc')).toBe('HTTP://g/abc');
  for (const bad of ['javascript:alert({traceId})', 'data:text/html,{traceId}', '//g/{traceId}', '{traceId}']) {
    expect(traceHref(bad, 'javascript:1')).toBeUndefined();
  }
  expect(traceHref(undefined, 'abc')).toBeUndefined();
});

describe('the lines that gaps are held against', () => {
  const attainment = { metCount: 1, missedCount: 0, unknownCount: 0 };
  const objective = (name: string, kind: 'ttft' | 'gap_max', limitNs: number) => ({
    objective: name,
    kind,
    limitNs,
    of: 'exchanges' as const,
    sinceStart: attainment,
    window: attainment,
  });
  const plain = {
    outcomeCounts: {},
    exchangeCount: 1,
    gapCount: 1,
    stallCount: 0,
    ttftParts: {},
    promptBuckets: {},
    warnings: [],
  };
  const classes = [
    { ...plain, class: 'a', objectives: [objective('ttft', 'ttft', ms(500)), objective('smooth', 'gap_max', ms(150))] },
    { ...plain, class: 'b', objectives: [objective('smooth', 'gap_max', ms(150))] },
  ];
  const floors = [
    { route: 'r', model: 'm', hardware: 'h100', tensorParallelCount: 1, mode: 'roofline' as const, floorNs: ms(8) },
    { route: 's', model: 'm', hardware: 'h200', tensorParallelCount: 1, mode: 'roofline' as const },
  ];

  test('are the floor that is known, objectives about gaps by their kind, and stalls; each once', () => {
    const lines = gapLines({ stallMs: { a: 100, b: 100 }, classes, floors, className: undefined });
    expect(lines.map(({ label }) => label.replaceAll('\u202f', ' '))).toEqual([
      'floor of h100 8 ms',
      'smooth 150 ms',
      'stall from 100 ms',
    ]);
  });

  test('are those of one class alone', () => {
    const lines = gapLines({ stallMs: { a: 100, b: 250 }, classes, floors: [], className: 'b' });
    expect(lines.map(({ lengthNs }) => lengthNs)).toEqual([ms(150), ms(250)]);
  });
});
