// A writer on a thread of its own, for the tests of the tape: numbered chunks as fast as it can, and an end.
import { parentPort, workerData } from 'node:worker_threads';
import { openTape, SLOT } from '../../../src/tape/layout.ts';
import { TapeWriter } from '../../../src/tape/writer.ts';
import { chunkOf, endOf, pattern } from './tape-log.ts';

export interface WritingTask {
  readonly tape: SharedArrayBuffer;
  readonly exchange: number;
  readonly chunkCount: number;
  /** Waits while more than half of the ring is unread, so that nothing may be lost. */
  readonly patient: boolean;
}

const { tape: shared, exchange, chunkCount, patient } = workerData as WritingTask;
const tape = openTape(shared);
const writer = new TapeWriter(tape);

function waitForRoom(): void {
  for (;;) {
    const waiting = (Atomics.load(tape.control, SLOT.head) - Atomics.load(tape.control, SLOT.tail)) >>> 0;
    if (waiting <= tape.dataBytes / 2) return;
    // A short nap, so that the reader gets its turn on a machine with one core.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  }
}

for (let seq = 0; seq < chunkCount; seq += 1) {
  if (patient) waitForRoom();
  writer.chunk(chunkOf(seq, pattern(seq % 300, seq), exchange));
  writer.flush(exchange, seq, 5_000 + seq);
}
writer.end({ ...endOf(exchange), chunkCount });
const retry = setInterval(() => {
  writer.retryEnds();
  const read = Atomics.load(tape.control, SLOT.head) === Atomics.load(tape.control, SLOT.tail);
  if (!read) return;
  clearInterval(retry);
  parentPort?.postMessage('read');
}, 1);
