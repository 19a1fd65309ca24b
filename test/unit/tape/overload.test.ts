// Goal: a ring that fills up loses detail in steps (bytes, then chunks, then marks), counts each loss exactly,
// and never loses an end.
// Method: a ring of 4 KiB: bytes are left out below 1,024 free bytes, chunks below 512. A chunk takes 48 bytes
// and its own bytes, a flush 24, a mark or a pause 32, an end 56.
import { describe, expect, test } from 'vitest';
import { TAPE_END_BACKLOG_COUNT } from '../../../src/base/limits.ts';
import { createTape, SLOT } from '../../../src/tape/layout.ts';
import { TapeReader } from '../../../src/tape/reader.ts';
import { TapeWriter } from '../../../src/tape/writer.ts';
import { chunkOf, endOf, handlerOf, pattern, type Told } from './tape-log.ts';

const RING_BYTES = 4_096;

function createEnds() {
  const tape = createTape(RING_BYTES);
  const writer = new TapeWriter(tape);
  const reader = new TapeReader(tape);
  const count = (slot: number) => Atomics.load(tape.control, slot);
  let seq = 0;
  return {
    writer,
    reader,
    /** Lost bytes, lost chunks and flushes, lost entries. */
    counts: () => [count(SLOT.droppedBytesCount), count(SLOT.droppedChunkCount), count(SLOT.lostEntryCount)],
    freeBytes: () => RING_BYTES - reader.waitingBytes(),
    chunks(times: number, byteCount: number | undefined): void {
      for (let i = 0; i < times; i += 1) {
        writer.chunk(chunkOf(seq, byteCount === undefined ? undefined : pattern(byteCount, seq)));
        seq += 1;
      }
    },
    marks(times: number): void {
      for (let i = 0; i < times; i += 1) writer.mark(1, 'requestSent', i);
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

/** `whole`, `stamps` or `bare` for each chunk told. */
function chunksIn(told: readonly Told[]): string[] {
  return told.flatMap(([kind, entry]) => {
    if (kind !== 'chunk') return [];
    if (entry.bytesOmitted) return [`${entry.seq} stamps`];
    return [`${entry.seq} ${entry.bytes === undefined ? 'bare' : 'whole'}`];
  });
}

function endsIn(told: readonly Told[]): number[] {
  return told.flatMap(([kind, entry]) => (kind === 'end' ? [entry.exchange] : []));
}

test('bytes go first, then chunks, then marks; each is counted', () => {
  const { chunks, marks, counts, freeBytes, drain } = createEnds();
  chunks(24, 80);
  expect([freeBytes(), counts()]).toEqual([1_024, [0, 0, 0]]);
  chunks(10, 80);
  expect([freeBytes(), counts()]).toEqual([544, [10, 0, 0]]);
  chunks(3, 80);
  // A chunk lost altogether has lost its bytes as well.
  expect([freeBytes(), counts()]).toEqual([544, [13, 3, 0]]);
  marks(17);
  expect([freeBytes(), counts()]).toEqual([0, [13, 3, 0]]);
  marks(2);
  expect(counts()).toEqual([13, 3, 2]);
  const told = drain();
  const whole = Array.from({ length: 24 }, (_, seq) => `${seq} whole`);
  const stamps = Array.from({ length: 10 }, (_, index) => `${24 + index} stamps`);
  expect(chunksIn(told)).toEqual([...whole, ...stamps]);
  expect(told.filter(([kind]) => kind === 'mark')).toHaveLength(17);
});

test('a chunk whose bytes were left out keeps its stamps and its size', () => {
  const { chunks, drain } = createEnds();
  chunks(24, 80);
  chunks(1, 80);
  expect(drain().at(-1)).toEqual(['chunk', { ...chunkOf(24, undefined), byteCount: 80, bytesOmitted: true }]);
});

test('with room again, bytes come again', () => {
  const { chunks, drain, counts } = createEnds();
  chunks(26, 80);
  drain(2);
  chunks(1, 80);
  expect(counts()).toEqual([2, 0, 0]);
  expect(chunksIn(drain()).slice(-3)).toEqual(['24 stamps', '25 stamps', '26 whole']);
});

describe('at the edge of a step', () => {
  test('bytes that leave exactly a quarter free are kept, eight more are not', () => {
    const kept = createEnds();
    kept.chunks(23, 80);
    kept.chunks(1, 80);
    expect([kept.freeBytes(), kept.counts()]).toEqual([1_024, [0, 0, 0]]);
    const left = createEnds();
    left.chunks(23, 80);
    left.chunks(1, 81);
    expect([left.freeBytes(), left.counts()]).toEqual([1_152 - 48, [1, 0, 0]]);
  });

  test('chunks without bytes go on down to an eighth', () => {
    const { chunks, freeBytes, counts } = createEnds();
    chunks(74, undefined);
    expect([freeBytes(), counts()]).toEqual([RING_BYTES - 74 * 48, [0, 0, 0]]);
    chunks(1, undefined);
    expect(counts()).toEqual([0, 1, 0]);
  });

  test('flushes and pauses go on down to an eighth, and are counted below it', () => {
    const { writer, chunks, freeBytes, counts } = createEnds();
    chunks(74, undefined);
    writer.flush(1, 0, 5);
    expect([freeBytes(), counts()]).toEqual([520, [0, 0, 0]]);
    writer.flush(1, 1, 6);
    writer.pause(1, 2, 'gc');
    expect([freeBytes(), counts()]).toEqual([520, [0, 2, 0]]);
  });

  test('bytes of a request go with the bytes of chunks', () => {
    const { writer, chunks, counts, drain } = createEnds();
    chunks(23, 80);
    writer.requestBytes(1, 0, pattern(105));
    expect(counts()).toEqual([1, 0, 0]);
    writer.requestBytes(1, 0, pattern(104));
    expect(counts()).toEqual([1, 0, 0]);
    expect(drain().at(-1)).toEqual(['requestBytes', { exchange: 1, offset: 0, bytes: pattern(104) }]);
  });

  test('a chunk larger than the ring has its stamps', () => {
    const { chunks, counts, drain } = createEnds();
    chunks(1, 5_000);
    expect(counts()).toEqual([1, 0, 0]);
    expect(drain()).toEqual([['chunk', { ...chunkOf(0, undefined), byteCount: 5_000, bytesOmitted: true }]]);
  });
});

describe('an end that finds the ring full', () => {
  test('waits and is written when there is room', () => {
    const { writer, marks, counts, drain } = createEnds();
    marks(128);
    writer.end(endOf(1));
    writer.retryEnds();
    expect(endsIn(drain())).toEqual([]);
    writer.retryEnds();
    expect(drain()).toEqual([['end', endOf(1)]]);
    writer.retryEnds();
    expect([drain(), counts()]).toEqual([[], [0, 0, 0]]);
  });

  test('is not overtaken by a later one', () => {
    const { writer, marks, drain } = createEnds();
    marks(128);
    writer.end(endOf(1));
    drain();
    writer.end(endOf(2));
    expect(endsIn(drain())).toEqual([]);
    writer.retryEnds();
    expect(endsIn(drain())).toEqual([1, 2]);
    writer.end(endOf(3));
    expect(endsIn(drain())).toEqual([3]);
  });

  test('keeps its place when only some of those that wait fit', () => {
    const { writer, marks, drain } = createEnds();
    marks(128);
    for (let exchange = 1; exchange <= 5; exchange += 1) writer.end(endOf(exchange));
    // Room for two of them: 4 marks are 128 bytes, an end is 56.
    drain(4);
    writer.retryEnds();
    expect(endsIn(drain())).toEqual([1, 2]);
    writer.retryEnds();
    expect(endsIn(drain())).toEqual([3, 4, 5]);
  });

  test('is lost and counted only beyond the cap of those that wait', () => {
    const { writer, marks, counts, drain } = createEnds();
    marks(128);
    for (let exchange = 1; exchange <= TAPE_END_BACKLOG_COUNT + 3; exchange += 1) writer.end(endOf(exchange));
    expect(counts()).toEqual([0, 0, 3]);
    drain();
    const seen: number[] = [];
    for (let found = -1; found !== seen.length;) {
      found = seen.length;
      writer.retryEnds();
      seen.push(...endsIn(drain()));
    }
    expect(seen).toEqual(Array.from({ length: TAPE_END_BACKLOG_COUNT }, (_, index) => index + 1));
  });
});
