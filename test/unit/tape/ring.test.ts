// Goal: the ring holds exactly what fits, never splits an entry over its end, and loses nothing else.
// Method: entries of known size on the smallest ring; a mark takes 32 bytes, a flush 24, a head 24 and its text.
import { describe, expect, test } from 'vitest';
import {
  aligned,
  createTape,
  emptyTape,
  ENTRY_HEADER_BYTES,
  openTape,
  SLOT,
  type Tape,
} from '../../../src/tape/layout.ts';
import { TapeReader } from '../../../src/tape/reader.ts';
import { TapeWriter } from '../../../src/tape/writer.ts';
import { endOf, handlerOf, pattern, type Told } from './tape-log.ts';

const RING_BYTES = 4_096;
const MARK_BYTES = 32;
const MARKS_IN_RING = RING_BYTES / MARK_BYTES;

function createEnds(tape: Tape = createTape(RING_BYTES)) {
  const writer = new TapeWriter(tape);
  const reader = new TapeReader(tape);
  let nextNs = 0;
  return {
    tape,
    writer,
    reader,
    lostCount: () => Atomics.load(tape.control, SLOT.lostEntryCount),
    marks(count: number): void {
      for (let i = 0; i < count; i += 1) writer.mark(1, 'requestSent', (nextNs += 1));
    },
    /** A head of exactly so many bytes on the tape. */
    head(entryBytes: number): void {
      const text = entryBytes - ENTRY_HEADER_BYTES - 8;
      writer.head({ exchange: 2, receivedAtNs: 0, status: 200, framing: 'none', fields: ['', 'h'.repeat(text - 1)] });
    },
    drain(maxCount = 1_000): Told[] {
      const told: Told[] = [];
      reader.drain(
        handlerOf((one) => told.push(one)),
        maxCount,
      );
      return told;
    },
  };
}

/** The moments of marks among what was told. */
function marksIn(told: readonly Told[]): number[] {
  return told.flatMap(([kind, entry]) => (kind === 'mark' ? [entry.atNs] : []));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

describe('a ring', () => {
  test.each([0, 1, 2_048, 4_095, 4_097, 12_288, 65_535])('of %i bytes is refused', (dataBytes) => {
    expect(() => createTape(dataBytes)).toThrow('power of two');
  });

  test('is seen whole by everyone who opens it', () => {
    const tape = createTape(8_192);
    const other = openTape(tape.shared);
    expect(other.dataBytes).toBe(8_192);
    new TapeWriter(tape).mark(1, 'requestSent', 5);
    expect(new TapeReader(other).waitingBytes()).toBe(MARK_BYTES);
  });

  test.each([
    [0, 0],
    [1, 8],
    [8, 8],
    [9, 16],
  ])('rounds entries of %i bytes up to %i', (byteCount, entryBytes) => {
    expect(aligned(byteCount)).toBe(entryBytes);
  });
});

describe('full', () => {
  test('exactly: everything is read, one more is lost and counted', () => {
    const { marks, drain, reader, lostCount } = createEnds();
    marks(MARKS_IN_RING);
    expect([reader.waitingBytes(), lostCount()]).toEqual([RING_BYTES, 0]);
    marks(1);
    expect(lostCount()).toBe(1);
    expect(marksIn(drain())).toEqual(range(1, MARKS_IN_RING));
    expect(reader.waitingBytes()).toBe(0);
  });

  test('by an entry of all its bytes', () => {
    const { head, drain, reader, lostCount } = createEnds();
    head(RING_BYTES + 1);
    expect([reader.waitingBytes(), lostCount()]).toEqual([0, 1]);
    head(RING_BYTES);
    expect([reader.waitingBytes(), lostCount()]).toEqual([RING_BYTES, 1]);
    expect(drain()).toHaveLength(1);
  });

  test('but for one byte', () => {
    const { marks, head, drain, lostCount } = createEnds();
    marks(MARKS_IN_RING - 2);
    head(2 * MARK_BYTES + 1);
    expect(lostCount()).toBe(1);
    head(2 * MARK_BYTES);
    expect(lostCount()).toBe(1);
    expect(drain()).toHaveLength(MARKS_IN_RING - 1);
  });

  test('every entry read makes room for one of its size', () => {
    const { marks, drain, lostCount } = createEnds();
    marks(MARKS_IN_RING);
    for (let i = 1; i <= 300; i += 1) {
      expect(marksIn(drain(1))).toEqual([i]);
      marks(1);
    }
    expect(lostCount()).toBe(0);
    expect(marksIn(drain())).toEqual(range(301, 300 + MARKS_IN_RING));
  });

  test('entries of every kind are lost without a trace but the count', () => {
    const { writer, marks, drain, tape, lostCount } = createEnds();
    marks(MARKS_IN_RING);
    const none = { dnsNs: undefined, tcpNs: undefined, tlsNs: undefined, wireFloorNs: undefined };
    writer.connected({ exchange: 1, atNs: 1, reused: false, ...none });
    writer.head({ exchange: 1, receivedAtNs: 1, status: 200, framing: 'none', fields: [] });
    writer.open({
      exchange: 1,
      openedAtNs: 1,
      openedErrorBoundNs: 0,
      epochMs: 1,
      routeIndex: 0,
      clientPort: 1,
      localPort: 1,
      clientAddress: '',
      method: 'GET',
      target: '/',
      fields: [],
      upgrade: false,
      http2: false,
      trace: undefined,
    });
    expect(lostCount()).toBe(3);
    writer.requestBytes(1, 0, pattern(1));
    writer.pause(1, 2, 'cpu');
    expect(Atomics.load(tape.control, SLOT.droppedBytesCount)).toBe(1);
    expect(drain()).toHaveLength(MARKS_IN_RING);
  });
});

describe('the end of the ring', () => {
  /** Leaves so many bytes between the place of the next entry and the ring's end, and nothing to read. */
  function createBefore(untilEndBytes: number) {
    const ends = createEnds();
    ends.head(RING_BYTES - untilEndBytes);
    ends.drain();
    return ends;
  }

  test.each([8, 16, 24])('%i bytes before it, an entry goes to the start behind a pad', (untilEndBytes) => {
    const { marks, drain, reader, lostCount } = createBefore(untilEndBytes);
    marks(2);
    expect(reader.waitingBytes()).toBe(untilEndBytes + 2 * MARK_BYTES);
    expect([marksIn(drain()), reader.waitingBytes(), lostCount()]).toEqual([[1, 2], 0, 0]);
  });

  test('an entry that just fits before it needs no pad', () => {
    const { marks, drain, reader } = createBefore(MARK_BYTES);
    marks(2);
    expect(reader.waitingBytes()).toBe(2 * MARK_BYTES);
    expect(marksIn(drain())).toEqual([1, 2]);
  });

  test('the pad counts against the room: full, and one entry short', () => {
    const { head, marks, drain, lostCount } = createBefore(24);
    // Behind the pad the whole ring but 24 bytes is free.
    head(RING_BYTES - 24 + 8);
    expect(lostCount()).toBe(1);
    head(RING_BYTES - 24);
    expect(lostCount()).toBe(1);
    marks(1);
    expect(lostCount()).toBe(2);
    expect(drain().map(([kind]) => kind)).toEqual(['head']);
  });

  test('an entry refused there moves nothing', () => {
    const { head, marks, drain, reader } = createBefore(64);
    head(RING_BYTES);
    expect(reader.waitingBytes()).toBe(0);
    marks(3);
    expect(marksIn(drain())).toEqual([1, 2, 3]);
  });

  test('a reader that stops at the pad goes on behind it', () => {
    const { marks, drain } = createBefore(8);
    marks(1);
    expect(drain(1)).toEqual([]);
    expect(marksIn(drain(1))).toEqual([1]);
  });
});

test('a ring that was emptied serves another writer from its start', () => {
  const ends = createEnds();
  ends.marks(MARKS_IN_RING + 3);
  ends.drain();
  emptyTape(ends.tape);
  const next = createEnds(ends.tape);
  expect([next.lostCount(), next.drain()]).toEqual([0, []]);
  next.marks(MARKS_IN_RING / 2);
  expect(marksIn(next.drain())).toEqual(range(1, MARKS_IN_RING / 2));
});

test('the counts of bytes may pass 2^32', () => {
  const tape = createTape(RING_BYTES);
  for (const slot of [SLOT.head, SLOT.tail]) Atomics.store(tape.control, slot, -2 * RING_BYTES);
  const { marks, drain, reader, lostCount } = createEnds(tape);
  for (let round = 0; round < 5; round += 1) {
    marks(MARKS_IN_RING + 1);
    expect([reader.waitingBytes(), lostCount()]).toEqual([RING_BYTES, round + 1]);
    expect(drain()).toHaveLength(MARKS_IN_RING);
  }
  expect(Atomics.load(tape.control, SLOT.head)).toBe(3 * RING_BYTES);
});

describe('a reader', () => {
  test('hands out at most so many entries, in order, and says how many', () => {
    const { marks, reader } = createEnds();
    marks(5);
    const told: Told[] = [];
    const handler = handlerOf((one) => told.push(one));
    expect([reader.drain(handler, 0), reader.drain(handler, 2), reader.drain(handler, 99)]).toEqual([0, 2, 3]);
    expect([marksIn(told), reader.drain(handler, 99)]).toEqual([[1, 2, 3, 4, 5], 0]);
  });

  test('that pauses at ends hands out nothing behind one, however many it may', () => {
    const { marks, writer, reader } = createEnds();
    marks(2);
    writer.end(endOf(1));
    marks(1);
    const handler = handlerOf(() => undefined);
    expect([reader.drain(handler, 99, true), reader.drain(handler, 99, true)]).toEqual([3, 1]);
    writer.end(endOf(1));
    marks(1);
    expect(reader.drain(handler, 99)).toBe(2);
  });

  test('that begins later goes on where the one before stopped', () => {
    const { marks, drain, tape } = createEnds();
    marks(3);
    drain(2);
    const told: Told[] = [];
    new TapeReader(tape).drain(
      handlerOf((one) => told.push(one)),
      9,
    );
    expect(marksIn(told)).toEqual([3]);
  });

  test('whose handler throws loses that entry alone', () => {
    const { marks, reader } = createEnds();
    marks(4);
    const told: Told[] = [];
    const handler = handlerOf((one) => {
      if (one[0] === 'mark' && one[1].atNs === 2) throw new Error('handler');
      told.push(one);
    });
    expect(() => reader.drain(handler, 99)).toThrow('handler');
    expect(reader.drain(handler, 99)).toBe(2);
    expect(marksIn(told)).toEqual([1, 3, 4]);
  });

  test('that meets an entry it does not know says so and goes on behind it', () => {
    const { marks, drain, tape } = createEnds();
    marks(3);
    tape.u32[MARK_BYTES / 4 + 1] = 77;
    expect(() => drain()).toThrow('unknown entry type 77');
    expect(marksIn(drain())).toEqual([3]);
  });
});
