// Goal: a writer on another thread and a reader here at the same time agree on every entry and on every loss.
// Method: real worker threads that write numbered chunks with a pattern of bytes; the reader drains all the while.
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { createTape, SLOT, type Tape } from '../../../src/tape/layout.ts';
import { TapeReader } from '../../../src/tape/reader.ts';
import { chunkOf, handlerOf, pattern, type Told } from './tape-log.ts';
import type { WritingTask } from './writing-thread.ts';

const CHUNK_COUNT = 20_000;

interface Reading {
  readonly tape: Tape;
  readonly counts: { whole: number; omitted: number; flush: number; end: number };
  readonly faults: string[];
  drain(): void;
}

function createReading(exchange: number, ringBytes: number): Reading {
  const tape = createTape(ringBytes);
  const reader = new TapeReader(tape);
  const counts = { whole: 0, omitted: 0, flush: 0, end: 0 };
  const faults: string[] = [];
  let lastSeq = -1;
  const handler = handlerOf((told) => {
    if (told[1] === undefined || !('exchange' in told[1]) || told[1].exchange !== exchange)
      faults.push('strange entry');
    if (told[0] === 'chunk') takeChunk(told);
    else if (told[0] === 'flush') {
      counts.flush += 1;
      if (told[1].atNs !== 5_000 + told[1].seq) faults.push(`flush ${told[1].seq} has another moment`);
    } else if (told[0] === 'end') counts.end += 1;
    else faults.push(`a ${told[0]} nobody wrote`);
  });
  const takeChunk = ([, entry]: Told & readonly ['chunk', unknown]): void => {
    const { seq, bytes, bytesOmitted } = entry;
    if (seq <= lastSeq) faults.push(`chunk ${seq} after ${lastSeq}`);
    lastSeq = seq;
    const wanted = pattern(seq % 300, seq);
    if (entry.receivedAtNs !== chunkOf(seq, wanted).receivedAtNs || entry.byteCount !== wanted.length) {
      faults.push(`chunk ${seq} has other stamps`);
    }
    if (bytesOmitted) counts.omitted += 1;
    else if (bytes !== undefined && Buffer.compare(bytes, wanted) === 0) counts.whole += 1;
    else faults.push(`chunk ${seq} has other bytes`);
  };
  return { tape, counts, faults, drain: () => void reader.drain(handler, 500) };
}

/** Starts a writer for each reading and drains all of them until the writers have seen everything read. */
async function run(readings: readonly Reading[], patient: boolean): Promise<void> {
  const done = new Set<Worker>();
  const workers = readings.map(({ tape }, exchange) => {
    const task: WritingTask = { tape: tape.shared, exchange, chunkCount: CHUNK_COUNT, patient };
    const worker = new Worker(new URL('./writing-thread.ts', import.meta.url), { workerData: task });
    worker.once('message', () => done.add(worker));
    return worker;
  });
  const failed = Promise.race(
    workers.map((worker) => new Promise<never>((_, reject) => void worker.once('error', reject))),
  );
  const drained = (async () => {
    while (done.size < workers.length) {
      for (const reading of readings) reading.drain();
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  await Promise.race([drained, failed]);
  await Promise.all(workers.map((worker) => worker.terminate()));
}

test('a writer that leaves room: every chunk and flush arrives, bytes and all', { timeout: 20_000 }, async () => {
  const reading = createReading(0, 65_536);
  await run([reading], true);
  expect(reading.faults).toEqual([]);
  expect(reading.counts).toEqual({ whole: CHUNK_COUNT, omitted: 0, flush: CHUNK_COUNT, end: 1 });
});

test(
  'a writer that does not: what arrives and what was counted as lost is everything',
  { timeout: 20_000 },
  async () => {
    const reading = createReading(0, 8_192);
    await run([reading], false);
    const { whole, omitted, flush, end } = reading.counts;
    const droppedChunkCount = Atomics.load(reading.tape.control, SLOT.droppedChunkCount);
    const droppedBytesCount = Atomics.load(reading.tape.control, SLOT.droppedBytesCount);
    expect(reading.faults).toEqual([]);
    expect(whole + omitted + flush + droppedChunkCount).toBe(2 * CHUNK_COUNT);
    // Chunks that are not here at all have lost their bytes as well.
    expect(whole + droppedBytesCount).toBe(CHUNK_COUNT);
    expect([end, Atomics.load(reading.tape.control, SLOT.lostEntryCount)]).toEqual([1, 0]);
  },
);

test('two writers, two tapes, one reader: neither sees the other', { timeout: 20_000 }, async () => {
  const readings = [createReading(0, 32_768), createReading(1, 65_536)];
  await run(readings, true);
  for (const { faults, counts } of readings) {
    expect(faults).toEqual([]);
    expect(counts).toEqual({ whole: CHUNK_COUNT, omitted: 0, flush: CHUNK_COUNT, end: 1 });
  }
});
