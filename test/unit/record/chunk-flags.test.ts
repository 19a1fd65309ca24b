// Goal: what is found out about a chunk after it was added stays with it. Method: a log, marked, read as columns.
import { expect, test } from 'vitest';
import { ChunkLog } from '../../../src/record/chunk-log.ts';
import { CHUNK_AFTER_LOSS, CHUNK_INSIDE_EVENT } from '../../../src/record/kinds.ts';

const ROW = { receivedAtNs: 0, writtenAtNs: 0, errorBoundNs: 0, bytes: 10, queuedBytes: 0, flags: 0 };

test('a mark is added to the flags of its row, and survives packing', () => {
  const log = new ChunkLog();
  for (let index = 0; index < 200; index += 1) {
    const row = log.add({ ...ROW, receivedAtNs: index, flags: index === 3 ? CHUNK_AFTER_LOSS : 0 });
    if (row === undefined) throw new Error('no room');
    if (index % 3 === 0) log.mark(row, CHUNK_INSIDE_EVENT);
    log.flush(row, index);
  }
  const expected = Array.from(
    { length: 200 },
    (_, index) => (index % 3 === 0 ? CHUNK_INSIDE_EVENT : 0) | (index === 3 ? CHUNK_AFTER_LOSS : 0),
  );
  expect(log.columns.flags).toEqual(expected);
});

test('a row that is not there, or packed already, is left as it is', () => {
  const log = new ChunkLog();
  for (let index = 0; index < 50; index += 1) log.flush(log.add({ ...ROW, receivedAtNs: index }) ?? 0, index);
  log.mark(0, CHUNK_INSIDE_EVENT);
  log.mark(99, CHUNK_INSIDE_EVENT);
  expect(log.columns.flags).toEqual(Array<number>(50).fill(0));
});

test('an end inside an event is no loss', () => {
  const log = new ChunkLog();
  log.mark(log.add(ROW) ?? 0, CHUNK_INSIDE_EVENT);
  expect(log.lostIn(0, 0)).toBe(false);
});
