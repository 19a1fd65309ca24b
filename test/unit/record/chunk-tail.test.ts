// Goal: the end of a log, read backwards, has every stamp since a moment exactly once, and reading ends where it is told.
// Method: random chunks and flushes in the order of the wire, against all of them in an array.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChunkLog } from '../../../src/record/chunk-log.ts';
import { fuzz } from '../../support/fuzz.ts';

interface Stamps {
  readonly receivedAtNs: number;
  flushedAtNs: number;
}

/**
 * Rows so far apart; of the flushes the first `flushCount` become known, one with every so many rows and the rest at
 * the end.
 */
// oxlint-disable-next-line max-params -- what the tests are about
function fill(sinceNs: readonly number[], flushCount: number, flushAfterNs: number, flushEvery = 1) {
  const log = new ChunkLog();
  const rows: Stamps[] = [];
  let atNs = 0;
  let flushedCount = 0;
  const flush = (): void => {
    const row = rows[flushedCount];
    if (row === undefined || flushedCount >= flushCount) return;
    row.flushedAtNs = Math.max(row.receivedAtNs + flushAfterNs, rows[flushedCount - 1]?.flushedAtNs ?? 0);
    log.flush(flushedCount, row.flushedAtNs);
    flushedCount += 1;
  };
  for (const gapNs of sinceNs) {
    atNs += gapNs;
    log.add({ receivedAtNs: atNs, writtenAtNs: atNs, errorBoundNs: 0, bytes: 1, queuedBytes: 0, flags: 0 });
    rows.push({ receivedAtNs: atNs, flushedAtNs: -1 });
    if (rows.length % flushEvery === 0) flush();
  }
  while (flushedCount < Math.min(flushCount, rows.length)) flush();
  return { log, rows };
}

function seen(log: ChunkLog, sinceNs: number, maxCount = Infinity) {
  const stamps: Stamps[] = [];
  const fromAtNs = log.eachSince(sinceNs, maxCount, (receivedAtNs, flushedAtNs) =>
    stamps.push({ receivedAtNs, flushedAtNs }),
  );
  return { stamps, fromAtNs };
}

const after = (rows: readonly Stamps[], pick: keyof Stamps, sinceNs: number): number[] =>
  rows
    .map((row) => row[pick])
    .filter((atNs) => atNs >= sinceNs)
    .toSorted((a, b) => a - b);

test('all stamps since a moment are shown once, and those before it are not all read', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 10 }), { maxLength: 300, size: 'max' }),
      fc.nat({ max: 300 }),
      fc.nat({ max: 50 }),
      fc.nat({ max: 3_000 }),
      fc.integer({ min: 1, max: 3 }),
      // oxlint-disable-next-line max-params -- what the property is about
      (gaps, flushCount, flushAfterNs, sinceNs, flushEvery) => {
        const { log, rows } = fill(gaps, flushCount, flushAfterNs, flushEvery);
        const { stamps, fromAtNs } = seen(log, sinceNs);
        expect(fromAtNs).toBe(sinceNs);
        for (const pick of ['receivedAtNs', 'flushedAtNs'] as const) {
          expect(after(stamps, pick, sinceNs)).toEqual(after(rows, pick, sinceNs));
        }
      },
    ),
    fuzz(200),
  );
});

test('of a long log little is read for the last moments, also when thousands wait for their flush', () => {
  const gaps = Array.from({ length: 4_000 }, () => 10);
  for (const flushCount of [4_000, 500]) {
    const { log } = fill(gaps, flushCount, 5);
    const { stamps } = seen(log, 4_000 * 10 - 100);
    expect(stamps.length).toBeGreaterThanOrEqual(10);
    expect(stamps.length).toBeLessThan(100);
  }
});

test('reading gives up after so many rows and says from when on it has seen all', () => {
  const { log, rows } = fill(
    Array.from({ length: 1_000 }, () => 10),
    1_000,
    5,
  );
  const { stamps, fromAtNs } = seen(log, 0, 300);
  expect(stamps.length).toBeGreaterThanOrEqual(300);
  expect(stamps.length).toBeLessThan(400);
  expect(fromAtNs).toBeGreaterThan(5_000);
  for (const pick of ['receivedAtNs', 'flushedAtNs'] as const) {
    expect(after(stamps, pick, fromAtNs)).toEqual(after(rows, pick, fromAtNs));
  }
});

test('an empty log, and one that was given back, show nothing', () => {
  const { log } = fill([1, 2, 3], 3, 1);
  expect(seen(new ChunkLog(), 0)).toEqual({ stamps: [], fromAtNs: 0 });
  log.release();
  expect(seen(log, 0).stamps).toEqual([]);
});
