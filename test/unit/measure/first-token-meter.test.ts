// Goal: the first token and the first visible one are told once, when they reach the client.
// Method: rows told in turn; the same word never comes twice.
import { describe, expect, test } from 'vitest';
import { FirstTokenMeter } from '../../../src/measure/first-token-meter.ts';
import { ChunkLog } from '../../../src/record/chunk-log.ts';
import { CHUNK_AFTER_LOSS, channelBit } from '../../../src/record/kinds.ts';

const TEXT = channelBit('text');
const REASONING = channelBit('reasoning');

function start() {
  const log = new ChunkLog();
  const said: string[] = [];
  const meter = new FirstTokenMeter(log, {
    onFirstToken: (ttftNs, row) => said.push(`first ${ttftNs} row ${row}`),
    onFirstVisibleToken: (ttfoNs, row) => said.push(`visible ${ttfoNs} row ${row}`),
  });
  const add = (flags = 0): number =>
    log.add({ receivedAtNs: 0, writtenAtNs: 0, errorBoundNs: 0, bytes: 1, queuedBytes: 0, flags }) as number;
  const flush = (row: number, atNs: number): void => {
    log.flush(row, atNs);
    meter.onFlush(row);
  };
  return { meter, said, add, flush };
}

describe('first token', () => {
  test('is told when its chunk is flushed, not when it is received', () => {
    const { meter, said, add, flush } = start();
    const row = add();
    meter.onGenerated(row, TEXT);
    expect(said).toEqual([]);
    expect(meter.firstRow).toBe(row);
    flush(row, 900);
    expect(said).toEqual(['first 900 row 0', 'visible 900 row 0']);
  });

  test('is told with the event when the chunk was flushed before it was decoded', () => {
    const { meter, said, add, flush } = start();
    flush(add(), 900);
    meter.onGenerated(0, TEXT);
    expect(said).toEqual(['first 900 row 0', 'visible 900 row 0']);
  });

  test('is visible when any fragment beside reasoning is in it', () => {
    const { meter, said, add, flush } = start();
    flush(add(), 100);
    flush(add(), 200);
    meter.onGenerated(0, REASONING);
    meter.onGenerated(1, REASONING | TEXT);
    expect(said).toEqual(['first 100 row 0', 'visible 200 row 1']);
  });

  test('later tokens say nothing', () => {
    const { meter, said, add, flush } = start();
    flush(add(), 100);
    expect(meter.ttftNs).toBeUndefined();
    meter.onGenerated(0, TEXT);
    expect(meter.ttftNs).toBe(100);
    meter.onGenerated(0, TEXT);
    meter.onGenerated(add(), TEXT);
    flush(1, 200);
    expect(meter.ttftNs).toBe(100);
    expect(said).toEqual(['first 100 row 0', 'visible 100 row 0']);
  });

  test('has no sample when chunks were lost before it: it may not be the first', () => {
    const { meter, said, add, flush } = start();
    flush(add(), 100);
    flush(add(CHUNK_AFTER_LOSS), 200);
    meter.onGenerated(1, TEXT);
    expect(said).toEqual([]);
    expect(meter.firstRow).toBe(1);
    expect(meter.ttftNs).toBeUndefined();
  });

  test('keeps its sample when chunks are lost afterwards, the visible one does not', () => {
    const { meter, said, add, flush } = start();
    flush(add(), 100);
    flush(add(CHUNK_AFTER_LOSS), 200);
    meter.onGenerated(0, REASONING);
    meter.onGenerated(1, TEXT);
    expect(said).toEqual(['first 100 row 0']);
  });
});
