// Goal: a strip says how many chunks each bin brought and let go, whatever part of it is told when.
// Method: chunk logs with known stamps; the bins told over many beats against those told at once.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChunkLog } from '../../../../src/record/chunk-log.ts';
import type { LiveStrip } from '../../../../src/telemetry/live/frame.ts';
import { binOf, stripOf } from '../../../../src/telemetry/live/strip.ts';
import { StripMarks } from '../../../../src/telemetry/live/strip-marks.ts';
import { fuzz } from '../../../support/fuzz.ts';
import { ms } from '../../../support/record-builder.ts';

const OPENED = 1_000_000_010.25;
const rowsMaxCount = 10_000;

function add(log: ChunkLog, receivedAtNs: number): number {
  const row = log.add({ receivedAtNs, writtenAtNs: receivedAtNs, errorBoundNs: 0, bytes: 9, queuedBytes: 0, flags: 0 });
  return row ?? -1;
}

function logOf(stamps: readonly (readonly [receivedMs: number, flushedMs?: number])[]): ChunkLog {
  const log = new ChunkLog();
  for (const [receivedMs, flushedMs] of stamps) {
    const row = add(log, ms(receivedMs));
    if (flushedMs !== undefined) log.flush(row, ms(flushedMs));
  }
  return log;
}

describe('a strip', () => {
  const fromBin = binOf(OPENED);

  test('counts chunks received and flushed by bins of wall time', () => {
    // The exchange opened 10.25 ms into a bin, so 39.7 ms later another one begins.
    const log = logOf([[0, 1], [39.7, 39.74], [39.8, 60], [150]]);
    expect(stripOf(log, OPENED, { fromBin, toBin: fromBin + 3, rowsMaxCount })).toEqual({
      fromBin,
      received: '2101',
      flushed: '2100',
    });
  });

  test('says 35 and more with one character', () => {
    const log = logOf(Array.from({ length: 40 }, () => [1, 1] as const));
    expect(stripOf(log, OPENED, { fromBin, toBin: fromBin, rowsMaxCount })).toMatchObject({
      received: 'z',
      flushed: 'z',
    });
  });

  test('is absent where nothing came or went, and has what was flushed late', () => {
    const log = logOf([[0, 1_000]]);
    expect(stripOf(log, OPENED, { fromBin: fromBin + 1, toBin: fromBin + 10, rowsMaxCount })).toBeUndefined();
    const late = stripOf(log, OPENED, { fromBin: fromBin + 15, toBin: fromBin + 25, rowsMaxCount });
    expect(late).toEqual({ fromBin: fromBin + 15, received: '0'.repeat(11), flushed: '00000100000' });
    expect(stripOf(new ChunkLog(), OPENED, { fromBin, toBin: fromBin + 10, rowsMaxCount })).toBeUndefined();
  });

  test('leaves out bins that it could not read whole', () => {
    const log = logOf(Array.from({ length: 400 }, (_, row) => [10 * row, 10 * row] as const));
    const whole = stripOf(log, OPENED, { fromBin, toBin: fromBin + 80, rowsMaxCount });
    const cut = stripOf(log, OPENED, { fromBin, toBin: fromBin + 80, rowsMaxCount: 100 });
    expect(cut?.fromBin).toBeGreaterThan(fromBin + 40);
    const skipped = (cut?.fromBin ?? 0) - fromBin;
    expect(cut?.received).toBe(whole?.received.slice(skipped));
    expect(cut?.flushed).toBe(whole?.flushed.slice(skipped));
  });
});

function put(bins: Map<string, string>, strip: LiveStrip | undefined): void {
  if (strip === undefined) return;
  for (const side of ['received', 'flushed'] as const) {
    for (const [at, digit] of [...strip[side]].entries()) bins.set(`${side} ${strip.fromBin + at}`, digit);
  }
}

test('beats tell together what a whole strip tells at once, however late the tape brings a chunk or a flush', () => {
  const step = fc.record({
    gapMs: fc.nat({ max: 120 }),
    flushAfterMs: fc.nat({ max: 300 }),
    /** A beat is told when this chunk is known. */
    isBeat: fc.boolean(),
    /** Its flush, and those of the chunks before it, become known now. */
    isFlushed: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 80 }), (steps) => {
      const [log, marks] = [new ChunkLog(), new StripMarks()];
      const bins = new Map<string, string>();
      const oldest = binOf(OPENED);
      const last = oldest + 400;
      const flushes: number[] = [];
      let [atMs, flushedCount] = [0, 0];
      const beat = (): void => {
        const fromBin = marks.firstBin(log, oldest);
        marks.tell(log, OPENED);
        if (fromBin !== undefined) put(bins, stripOf(log, OPENED, { fromBin, toBin: last, rowsMaxCount }));
      };
      for (const { gapMs, flushAfterMs, isBeat, isFlushed } of steps) {
        atMs += gapMs;
        add(log, ms(atMs));
        flushes.push(Math.max(atMs + flushAfterMs, flushes.at(-1) ?? 0));
        const knownCount = isFlushed ? flushes.length : flushedCount;
        for (; flushedCount < knownCount; flushedCount += 1) log.flush(flushedCount, ms(flushes[flushedCount] ?? 0));
        if (isBeat) beat();
      }
      beat();
      const whole = new Map<string, string>();
      put(whole, stripOf(log, OPENED, { fromBin: oldest, toBin: last, rowsMaxCount }));
      const known = (map: Map<string, string>): [string, string][] =>
        [...map].filter(([, digit]) => digit !== '0').sort();
      expect(known(bins)).toEqual(known(whole));
    }),
    fuzz(200),
  );
});

test('a stream that stands still costs nothing: there is no strip to read', () => {
  const [log, marks] = [logOf([[0, 1]]), new StripMarks()];
  expect(marks.firstBin(log, 7)).toBe(7);
  marks.tell(log, OPENED);
  expect(marks.firstBin(log, 7)).toBeUndefined();
  add(log, ms(500));
  expect(marks.firstBin(log, 7)).toBe(binOf(OPENED));
});
