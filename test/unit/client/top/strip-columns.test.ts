// Goal: columns hold what the feed said of their bins, whatever is told twice, left out or comes from elsewhere.
// Method: small strips, read back column by column.
import { expect, test } from 'vitest';
import { type StripColumn, stripColumns } from '../../../../src/client/top/strip-columns.ts';
import type { LiveStrip } from '../../../../src/telemetry/live/frame.ts';
import { addBins, type Strip } from '../../../../src/telemetry/live/shown-strip.ts';

/** Bins as a feed tells them, one after the other, in a strip of so many. */
function stripOf(binCount: number, ...told: readonly LiveStrip[]): Strip {
  const strip = told.reduce<Strip | undefined>((known, bins) => addBins(known, bins, binCount), undefined);
  if (strip === undefined) throw new Error('nothing was told');
  return strip;
}

function columns(strip: Strip, nowBin: number, columnCount: number, binsEach = 1): StripColumn[] {
  return stripColumns(strip, { nowBin, columnCount, binsEach });
}

function received(strip: Strip, nowBin: number, count: number, each = 1): number[] {
  return columns(strip, nowBin, count, each).map(({ receivedCount }) => receivedCount);
}

test('bins come back in order, received and flushed apart', () => {
  const strip = stripOf(10, { fromBin: 100, received: '12z', flushed: '01a' });
  expect(columns(strip, 102, 3)).toEqual([
    { receivedCount: 1, flushedCount: 0 },
    { receivedCount: 2, flushedCount: 1 },
    { receivedCount: 35, flushedCount: 10 },
  ]);
});

test('told twice, a beat changes nothing', () => {
  const strip = stripOf(
    10,
    { fromBin: 100, received: '111', flushed: '111' },
    { fromBin: 101, received: '21', flushed: '11' },
    { fromBin: 101, received: '21', flushed: '11' },
  );
  expect(received(strip, 102, 3)).toEqual([1, 2, 1]);
});

test('time without a word is time without chunks, also where a strip is shorter', () => {
  const strip = stripOf(
    4,
    { fromBin: 100, received: '1111', flushed: '1111' },
    { fromBin: 106, received: '5', flushed: '5' },
  );
  expect(received(strip, 106, 6)).toEqual([0, 0, 1, 0, 0, 5]);
  // What lies a whole strip back is gone, and not taken for what is now.
  const later = stripOf(
    4,
    { fromBin: 100, received: '1111', flushed: '1111' },
    { fromBin: 106, received: '5', flushed: '5' },
    { fromBin: 1_000, received: '7', flushed: '7' },
  );
  expect(received(later, 1_000, 4)).toEqual([0, 0, 0, 7]);
});

test('what comes late is set in its place, or is too old to matter', () => {
  const strip = stripOf(
    4,
    { fromBin: 103, received: '3', flushed: '3' },
    { fromBin: 101, received: '1', flushed: '1' },
    { fromBin: 98, received: '9', flushed: '9' },
  );
  expect(received(strip, 103, 4)).toEqual([0, 1, 0, 3]);
});

test('the picture goes on while nothing is told', () => {
  const strip = stripOf(10, { fromBin: 100, received: '11', flushed: '11' });
  expect(received(strip, 104, 5)).toEqual([1, 1, 0, 0, 0]);
});

test('columns begin at multiples of their length, so one that has passed never changes', () => {
  const strip = stripOf(12, { fromBin: 96, received: '123456789', flushed: '' });
  expect(received(strip, 104, 3, 3)).toEqual([1 + 2 + 3, 4 + 5 + 6, 7 + 8 + 9]);
  const later = stripOf(
    12,
    { fromBin: 96, received: '123456789', flushed: '' },
    { fromBin: 105, received: '1', flushed: '1' },
  );
  expect(received(later, 105, 3, 3)).toEqual([4 + 5 + 6, 7 + 8 + 9, 1]);
});

test('a character that is none of the feed’s counts as nothing', () => {
  const strip = stripOf(10, { fromBin: 100, received: '1 ?2', flushed: '-' });
  expect(columns(strip, 103, 4)).toEqual([
    { receivedCount: 1, flushedCount: 0 },
    { receivedCount: 0, flushedCount: 0 },
    { receivedCount: 0, flushedCount: 0 },
    { receivedCount: 2, flushedCount: 0 },
  ]);
});
