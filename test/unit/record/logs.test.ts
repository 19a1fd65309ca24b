// Goal: a packed log says what plain columns would say: row by row while it runs, and as a whole at its end.
// Method: random chunks, flushes and events, told to the log and to plain arrays beside it.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHUNK_LOG_MAX_COUNT, EVENT_LOG_MAX_COUNT } from '../../../src/base/limits.ts';
import { LOG_PAGE_BYTES } from '../../../src/base/record-limits.ts';
import { ChunkLog, type ChunkColumns, type ChunkRow } from '../../../src/record/chunk-log.ts';
import { EventLog, type EventRow } from '../../../src/record/event-log.ts';
import { CHUNK_AFTER_LOSS, CHUNK_BYTES_OMITTED, EVENT_KINDS } from '../../../src/record/kinds.ts';
import { logPages } from '../../../src/record/packed-rows.ts';
import { ms } from '../../support/record-builder.ts';
import { fuzz } from '../../support/fuzz.ts';

const CHUNK: ChunkRow = {
  receivedAtNs: 0,
  writtenAtNs: 0,
  errorBoundNs: 0,
  bytes: 1,
  queuedBytes: 0,
  flags: 0,
};
const LOSS = CHUNK_AFTER_LOSS | CHUNK_BYTES_OMITTED;

/** The same in arrays, as plain as can be. */
class PlainLog {
  readonly rows: (ChunkRow & { flushedAtNs: number | null })[] = [];

  get columns(): ChunkColumns {
    const column = <T>(pick: (row: PlainLog['rows'][number]) => T): T[] => this.rows.map(pick);
    return {
      receivedAtNs: column((row) => row.receivedAtNs),
      writtenAtNs: column((row) => row.writtenAtNs),
      flushedAtNs: column((row) => row.flushedAtNs),
      errorBoundNs: column((row) => row.errorBoundNs),
      bytes: column((row) => row.bytes),
      queuedBytes: column((row) => row.queuedBytes),
      flags: column((row) => row.flags),
    };
  }
}

const step = fc.record({
  sinceNs: fc.oneof(fc.constant(0), fc.nat({ max: ms(200) }), fc.nat({ max: 2 ** 45 })),
  writeNs: fc.nat({ max: ms(2) }),
  errorBoundNs: fc.oneof(fc.constant(70_000), fc.nat({ max: 2 ** 32 - 1 })),
  bytes: fc.oneof(fc.constant(210), fc.nat({ max: 2 ** 32 - 1 })),
  queuedBytes: fc.oneof(
    { weight: 5, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.nat({ max: 2 ** 32 - 1 }) },
  ),
  flags: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(1, 2, 3) }),
  /** Rows whose flush follows this chunk: the next so many, of which some are passed over. */
  flushes: fc.array(fc.boolean(), { maxLength: 4 }),
  flushNs: fc.nat({ max: ms(500) }),
});

test('a log and plain arrays agree on every row at every time, and on the columns', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120, size: 'max' }), fc.nat(), (steps, pick) => {
      const log = new ChunkLog();
      const plain = new PlainLog();
      let atNs = 0;
      let nextFlush = 0;
      for (const { sinceNs, writeNs, flushes, flushNs, ...rest } of steps) {
        atNs += sinceNs;
        const row = { ...rest, receivedAtNs: atNs, writtenAtNs: atNs + writeNs };
        expect(log.add(row)).toBe(plain.rows.push({ ...row, flushedAtNs: null }) - 1);
        for (const told of flushes) {
          const flushed = plain.rows[nextFlush];
          if (flushed === undefined) break;
          if (told) {
            flushed.flushedAtNs = atNs + flushNs;
            expect(log.flush(nextFlush, atNs + flushNs)).toBe(true);
          }
          nextFlush += 1;
        }
        const at = pick % plain.rows.length;
        const looked = plain.rows[at];
        expect([log.receivedAtNs(at), log.errorBoundNs(at), log.flushedAtNs(at)]).toEqual([
          looked?.receivedAtNs,
          looked?.errorBoundNs,
          looked?.flushedAtNs,
        ]);
        const to = plain.rows.length - 1;
        expect(log.lostIn(at, to)).toBe(plain.rows.slice(at).some(({ flags }) => (flags & LOSS) !== 0));
        expect(log.lostIn(0, at)).toBe(plain.rows.slice(0, at + 1).some(({ flags }) => (flags & LOSS) !== 0));
      }
      expect(log.columns).toEqual(plain.columns);
      expect(log.rowCount).toBe(plain.rows.length);
      expect(log.flushedBytes).toBe(
        plain.rows.reduce((sum, { bytes, flushedAtNs }) => sum + (flushedAtNs === null ? 0 : bytes), 0),
      );
      log.release();
      expect(log.columns.bytes).toEqual([]);
      expect(log.totalCount).toBe(plain.rows.length);
    }),
    fuzz(100),
  );
});

describe('chunks', () => {
  test('a flush of a row that is not there is none', () => {
    const log = new ChunkLog();
    expect(log.flush(0, 1)).toBe(false);
    log.add(CHUNK);
    expect(log.flush(1, 1)).toBe(false);
    expect(log.flush(0, 1)).toBe(true);
    expect(log.columns.flushedAtNs).toEqual([1]);
  });

  test('a row outside the log is a fault of whoever asks', () => {
    const log = new ChunkLog();
    log.add(CHUNK);
    expect(() => log.receivedAtNs(1)).toThrow('row 1 is not in a log of 1');
  });

  test('beyond the cap only totals go on', () => {
    const log = new ChunkLog();
    for (let row = 0; row < CHUNK_LOG_MAX_COUNT; row += 1) {
      log.add(CHUNK);
      log.flush(row, row);
    }
    expect(log.add(CHUNK)).toBeUndefined();
    expect(log.flush(CHUNK_LOG_MAX_COUNT, 1)).toBe(false);
    expect([log.rowCount, log.totalCount, log.totalBytes]).toEqual([
      CHUNK_LOG_MAX_COUNT,
      CHUNK_LOG_MAX_COUNT + 1,
      CHUNK_LOG_MAX_COUNT + 1,
    ]);
    expect(log.columns.flushedAtNs.at(-1)).toBe(CHUNK_LOG_MAX_COUNT - 1);
    log.release();
  });
});

describe('events', () => {
  const event: fc.Arbitrary<EventRow> = fc.record({
    chunk: fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: CHUNK_LOG_MAX_COUNT })),
    kind: fc.constantFrom(...EVENT_KINDS),
    generated: fc.nat({ max: 63 }),
    tokensSoFar: fc.option(fc.maxSafeNat(), { nil: undefined }),
  });

  test('come back in order, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 200 }), (events) => {
        const log = new EventLog();
        for (const one of events) expect(log.add(one)).toBe(true);
        expect(log.columns).toEqual({
          chunk: events.map(({ chunk }) => chunk),
          kind: events.map(({ kind }) => EVENT_KINDS.indexOf(kind)),
          generated: events.map(({ generated }) => generated),
          tokensSoFar: events.map(({ tokensSoFar }) => tokensSoFar ?? null),
        });
        log.release();
        expect(log.columns.chunk).toEqual([]);
        expect(log.totalCount).toBe(events.length);
      }),
      fuzz(100),
    );
  });

  test('every kind fits into its bits', () => {
    expect(EVENT_KINDS.length).toBeLessThanOrEqual(32);
  });

  test('beyond the cap only totals go on', () => {
    const log = new EventLog();
    const one: EventRow = { chunk: 0, kind: 'content', generated: 1, tokensSoFar: undefined };
    for (let count = 0; count < EVENT_LOG_MAX_COUNT; count += 1) log.add(one);
    expect(log.add(one)).toBe(false);
    expect(log.totalCount).toBe(EVENT_LOG_MAX_COUNT + 1);
    expect(log.countByKind[EVENT_KINDS.indexOf('content')]).toBe(EVENT_LOG_MAX_COUNT + 1);
    log.release();
  });
});

test('a usual chunk with its event takes at most 18 bytes', () => {
  const pagesBefore = logPages.pageCount;
  const ROW_COUNT = 200_000;
  const chunks = new ChunkLog();
  const events = new EventLog();
  for (let row = 0; row < ROW_COUNT; row += 1) {
    const receivedAtNs = row * ms(21) + ((row * 7_919) % ms(1));
    const writtenAtNs = receivedAtNs + 40_000 + ((row * 104_729) % 60_000);
    chunks.add({
      receivedAtNs,
      writtenAtNs,
      errorBoundNs: 90_000 + (row % 70_000),
      bytes: 205 + (row % 9),
      queuedBytes: 0,
      flags: 0,
    });
    chunks.flush(row, writtenAtNs + 9_000 + (row % 30_000));
    events.add({ chunk: row, kind: 'content', generated: 1, tokensSoFar: undefined });
  }
  const bytes = (logPages.pageCount - pagesBefore) * LOG_PAGE_BYTES;
  expect(bytes / ROW_COUNT).toBeLessThan(18);
  chunks.release();
  events.release();
});
