// Goal: a strip shows what came in which bin, however the beats cut it, and keeps its length. Method: bins are added
// and the arrays compared whole.
import { describe, expect, test } from 'vitest';
import { addBins } from '../../../../src/telemetry/live/shown-strip.ts';

const bins = (fromBin: number, received: string, flushed = received) => ({ fromBin, received, flushed });

describe('a strip', () => {
  test('holds the first bins at its new end', () => {
    const strip = addBins(undefined, bins(100, '12', '1z'), 4);
    expect(strip.endBin).toBe(102);
    expect([...strip.received]).toEqual([0, 0, 1, 2]);
    expect([...strip.flushed]).toEqual([0, 0, 1, 35]);
  });

  test('moves old bins out at its old end, over a time in which nothing came', () => {
    const before = addBins(undefined, bins(100, '1234'), 4);
    const strip = addBins(before, bins(105, '5'), 4);
    expect([...strip.received]).toEqual([3, 4, 0, 5]);
  });

  test('forgets all of what is older than its length', () => {
    const before = addBins(undefined, bins(100, '1234'), 4);
    expect([...addBins(before, bins(104, '0005'), 4).received]).toEqual([0, 0, 0, 5]);
    expect([...addBins(before, bins(900, '7'), 4).received]).toEqual([0, 0, 0, 7]);
  });

  test('sets a bin that is told again and does not add to it', () => {
    const before = addBins(undefined, bins(100, '12'), 4);
    expect([...addBins(before, bins(101, '34'), 4).received]).toEqual([0, 1, 3, 4]);
    expect([...addBins(before, bins(100, '12'), 4).received]).toEqual([...before.received]);
  });

  test('leaves out bins before its old end, and characters that are no count', () => {
    expect([...addBins(undefined, bins(100, '123456'), 4).received]).toEqual([3, 4, 5, 6]);
    const before = addBins(undefined, bins(100, '1234'), 4);
    expect([...addBins(before, bins(98, '99'), 4).received]).toEqual([1, 2, 3, 4]);
    expect([...addBins(undefined, bins(100, '1-3'), 4).received]).toEqual([0, 1, 0, 3]);
  });

  test('does not change the one it was made of', () => {
    const before = addBins(undefined, bins(100, '1234'), 4);
    addBins(before, bins(102, '99'), 4);
    expect([...before.received]).toEqual([1, 2, 3, 4]);
  });
});
