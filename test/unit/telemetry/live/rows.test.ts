// Goal: an exchange in a beat has its stalls with their causes, open or ended, in ms and at the time of day; a histogram
// has each gap in one bin. Method: sights and reports by hand.
import { expect, test } from 'vitest';
import type { Report } from '../../../../src/judge/report.ts';
import { ChunkLog } from '../../../../src/record/chunk-log.ts';
import { gapHistogram } from '../../../../src/telemetry/live/gap-histograms.ts';
import { endedRow, openRow, type OpenSight } from '../../../../src/telemetry/live/rows.ts';
import { ms, read, texts } from '../../../support/record-builder.ts';
import { reportOf } from '../reports.ts';

const SIGHT: OpenSight = {
  view: {
    id: '0.0-1',
    openedAtEpochMs: 5_000.4,
    route: 'default',
    class: 'default',
    model: 'm',
    phase: 'stream',
    ageMs: 1_234.567,
    chunkCount: 9,
    silentMs: 30.51,
  },
  ttftNs: 81_230_000,
  gapMaxNs: 480_260_000,
  stallCount: 2,
  stalls: [
    { endedAtNs: ms(900), gapNs: ms(480), cause: 'preemption', confidence: 0.9 },
    { endedAtNs: ms(1_200), gapNs: 120_040_000 },
  ],
  chunks: new ChunkLog(),
};

test('an open one is told in whole ms, its stalls at the time of day when they ended', () => {
  const strip = { fromBin: 100, received: '1', flushed: '0' };
  expect(openRow(SIGHT, strip)).toEqual({
    ...SIGHT.view,
    openedAtEpochMs: 5_000,
    ageMs: 1_235,
    silentMs: 31,
    strip,
    ttftMs: 81.2,
    gapMaxMs: 480.3,
    stallCount: 2,
    stalls: [
      { endedAtEpochMs: 5_900, gapMs: 480, cause: 'preemption', confidence: 0.9 },
      { endedAtEpochMs: 6_200, gapMs: 120 },
    ],
  });
});

test('stalls from before its strip are not told again and again, but for the latest', () => {
  const told = (ageMs: number): number =>
    openRow({ ...SIGHT, view: { ...SIGHT.view, ageMs } }, undefined).stalls.length;
  expect([told(30_900), told(31_000), told(31_201), told(90_000)]).toEqual([2, 1, 1, 1]);
  expect(openRow({ ...SIGHT, stalls: [] }, undefined).stalls).toEqual([]);
});

test('what is not known of it is absent', () => {
  const { silentMs: _, ...view } = SIGHT.view;
  const row = openRow({ ...SIGHT, view, ttftNs: undefined, gapMaxNs: undefined, stallCount: 0, stalls: [] }, undefined);
  for (const name of ['silentMs', 'strip', 'ttftMs', 'gapMaxMs']) expect(row).not.toHaveProperty(name);
});

test('an ended one has the stalls of its figures, each with the verdict of its own row', () => {
  const report: Report = reportOf({ reads: [...texts(0, 20, 10), read(700, 'text'), read(1_400, 'text')] });
  const [first, second] = report.figures.stalls;
  expect([first?.gapNs, second?.gapNs]).toEqual([ms(520), ms(700)]);
  const judged = { chunk: second?.chunk ?? 0, cause: 'network', confidence: 0.5, signs: [], numbers: {} } as const;
  const counted = { cause: 'unknown', confidence: 0, signs: [], numbers: {} } as const;
  const row = endedRow(
    {
      id: 'x',
      outcome: 'ok',
      wireEnd: 'complete',
      report: { ...report, stalls: [counted, judged] },
    },
    undefined,
  );
  const { openedAtEpochMs } = report.record;
  expect(row).toMatchObject({ id: 'x', outcome: 'ok', stallCount: 2, gapMaxNs: ms(700) });
  expect(row.stalls).toEqual([
    { endedAtEpochMs: Math.round(openedAtEpochMs + 700), gapMs: 520 },
    { endedAtEpochMs: Math.round(openedAtEpochMs + 1_400), gapMs: 700, cause: 'network', confidence: 0.5 },
  ]);
});

test('a histogram has every gap in the bin that it lies in, however short or long it is', () => {
  const gaps = [0, 50_000, ms(20), ms(20.1), ms(500), ms(900_000)];
  const { count, bins, shape } = gapHistogram('default', gaps);
  expect([count, bins.reduce((sum, bin) => sum + bin.count, 0), shape]).toEqual([6, 6, undefined]);
  expect(bins[0]).toMatchObject({ fromNs: 0, count: 2 });
  for (const gapNs of [ms(20), ms(500)]) {
    expect(bins.filter(({ fromNs, toNs }) => fromNs <= gapNs && gapNs < toNs)).toHaveLength(1);
  }
  expect(bins.every(({ fromNs, toNs }, index) => fromNs < toNs && fromNs >= (bins[index - 1]?.toNs ?? 0))).toBe(true);
});

test('where there are enough gaps their modes are told', () => {
  const gaps = Array.from({ length: 400 }, (_, index) => (index % 4 === 0 ? ms(80) : ms(20)));
  const { shape } = gapHistogram('default', gaps);
  expect(shape?.modes).toHaveLength(2);
  expect(shape?.slowRatio).toBe(0.25);
});
