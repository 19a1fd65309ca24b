// Goal: a strip holds what the feed said of the last bins, whatever is told twice, left out or comes from elsewhere.
// Method: small rings, read back bin by bin.
import { expect, test } from 'vitest';
import { StripRing } from '../../../../src/client/top/strip-ring.ts';

function received(ring: StripRing, nowBin: number, count: number, each = 1): number[] {
  return ring.columns(nowBin, count, each).map(({ receivedCount }) => receivedCount);
}

test('bins come back in order, received and flushed apart', () => {
  const ring = new StripRing(10);
  ring.apply({ fromBin: 100, received: '12z', flushed: '01a' });
  expect(ring.columns(102, 3, 1)).toEqual([
    { receivedCount: 1, flushedCount: 0 },
    { receivedCount: 2, flushedCount: 1 },
    { receivedCount: 35, flushedCount: 10 },
  ]);
});

test('told twice, a beat changes nothing', () => {
  const ring = new StripRing(10);
  ring.apply({ fromBin: 100, received: '111', flushed: '111' });
  ring.apply({ fromBin: 101, received: '21', flushed: '11' });
  ring.apply({ fromBin: 101, received: '21', flushed: '11' });
  expect(received(ring, 102, 3)).toEqual([1, 2, 1]);
});

test('time without a word is time without chunks, also where the ring goes round', () => {
  const ring = new StripRing(4);
  ring.apply({ fromBin: 100, received: '1111', flushed: '1111' });
  ring.apply({ fromBin: 106, received: '5', flushed: '5' });
  expect(received(ring, 106, 6)).toEqual([0, 0, 1, 0, 0, 5]);
  // What lies a whole ring back is gone, and not taken for what is now.
  ring.apply({ fromBin: 1_000, received: '7', flushed: '7' });
  expect(received(ring, 1_000, 4)).toEqual([0, 0, 0, 7]);
});

test('what comes late is set in its place, or is too old to matter', () => {
  const ring = new StripRing(4);
  ring.apply({ fromBin: 103, received: '3', flushed: '3' });
  ring.apply({ fromBin: 101, received: '1', flushed: '1' });
  ring.apply({ fromBin: 98, received: '9', flushed: '9' });
  expect(received(ring, 103, 4)).toEqual([0, 1, 0, 3]);
});

test('the picture goes on while nothing is told', () => {
  const ring = new StripRing(10);
  ring.apply({ fromBin: 100, received: '11', flushed: '11' });
  expect(received(ring, 104, 5)).toEqual([1, 1, 0, 0, 0]);
});

test('columns begin at multiples of their length, so one that has passed never changes', () => {
  const ring = new StripRing(12);
  ring.apply({ fromBin: 96, received: '123456789', flushed: '' });
  expect(received(ring, 104, 3, 3)).toEqual([1 + 2 + 3, 4 + 5 + 6, 7 + 8 + 9]);
  ring.apply({ fromBin: 105, received: '1', flushed: '1' });
  expect(received(ring, 105, 3, 3)).toEqual([4 + 5 + 6, 7 + 8 + 9, 1]);
});

test('a character that is none of the feed’s counts as nothing', () => {
  const ring = new StripRing(10);
  ring.apply({ fromBin: 100, received: '1 ?2', flushed: '-' });
  expect(ring.columns(103, 4, 1)).toEqual([
    { receivedCount: 1, flushedCount: 0 },
    { receivedCount: 0, flushedCount: 0 },
    { receivedCount: 0, flushedCount: 0 },
    { receivedCount: 2, flushedCount: 0 },
  ]);
});
