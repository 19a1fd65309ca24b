// Goal: a strip is drawn where its chunks, its life and its stalls were, to the pixel, and says the same in words.
// Method: rows with known moments are turned into pictures of a hundred pixels for ten seconds.
import { describe, expect, test } from 'vitest';
import { addBins } from '../../../src/telemetry/live/shown-strip.ts';
import { causeWord, stripPicture, stripWords } from '../../../src/page/views/strip-picture.ts';
import type { StreamRow } from '../../../src/page/views/streams-row.ts';

const END_EPOCH_MS = 1_000_000;
const FRAME = { atEpochMs: END_EPOCH_MS - 1, binMs: 100, stripMs: 10_000, widthPx: 100 };

function row(parts: Partial<StreamRow>): StreamRow {
  return {
    id: 'a',
    isOpen: true,
    class: 'chat',
    model: 'm',
    route: 'default',
    edge: undefined,
    word: 'stream',
    tone: 'plain',
    openedAtEpochMs: END_EPOCH_MS - 5_000,
    // The bin that is not over yet is drawn as well.
    untilEpochMs: END_EPOCH_MS - 1,
    ageMs: 5_000,
    chunkCount: 3,
    gapMaxMs: undefined,
    silentMs: undefined,
    ttftMs: undefined,
    stallCount: 0,
    stalls: [],
    delivery: undefined,
    strip: undefined,
    ...parts,
  };
}

const ticks = (heights: Float32Array): number[] =>
  [...heights.entries()].filter(([, height]) => height > 0).map(([x]) => x);

describe('the picture', () => {
  test('puts each bin where its moment is, with the newest at the right', () => {
    const strip = addBins(undefined, { fromBin: 9_990, received: '1000000001', flushed: '0200000000' }, 100);
    const picture = stripPicture(row({ strip }), FRAME);
    expect(ticks(picture.received)).toEqual([90, 99]);
    expect(ticks(picture.flushed)).toEqual([91]);
  });

  test('moves a strip that got nothing new to the left', () => {
    const strip = addBins(undefined, { fromBin: 9_980, received: '1', flushed: '' }, 100);
    expect(ticks(stripPicture(row({ strip }), FRAME).received)).toEqual([80]);
  });

  test('puts what ended a while ago where it was, under the same moments as all others', () => {
    const strip = addBins(undefined, { fromBin: 9_950, received: '1', flushed: '' }, 100);
    const ended = row({ isOpen: false, untilEpochMs: END_EPOCH_MS - 4_000, strip });
    const { received, life } = stripPicture(ended, FRAME);
    expect(ticks(received)).toEqual([50]);
    expect(life).toEqual({ fromPx: 50, toPx: 60 });
  });

  test('draws the newest part alone where strips are shorter than what is known', () => {
    const strip = addBins(undefined, { fromBin: 9_900, received: `1${'0'.repeat(98)}2`, flushed: '' }, 100);
    expect(ticks(stripPicture(row({ strip }), { ...FRAME, stripMs: 1_000 }).received)).toEqual([90]);
  });

  test('draws a bin with more chunks higher, and none higher than there is room', () => {
    const strip = addBins(undefined, { fromBin: 9_990, received: '12z', flushed: '' }, 100);
    const { received } = stripPicture(row({ strip }), FRAME);
    const [one = 0, two = 0, full = 0] = received.subarray(90, 93);
    expect(one).toBeGreaterThan(0.4);
    expect(two).toBeGreaterThan(one);
    expect(full).toBe(1);
  });

  test('loses no chunk where several bins fall on one pixel', () => {
    const strip = addBins(undefined, { fromBin: 9_990, received: '0100000000', flushed: '' }, 100);
    expect(ticks(stripPicture(row({ strip }), { ...FRAME, widthPx: 10 }).received)).toEqual([9]);
  });

  test('draws the life of the exchange, cut where the strip begins', () => {
    expect(stripPicture(row({}), FRAME).life.fromPx).toBeCloseTo(50, 5);
    expect(stripPicture(row({ openedAtEpochMs: 0 }), FRAME).life.fromPx).toBe(0);
  });

  test('draws a stall over its silence, and none that is out of sight', () => {
    const stalls = [
      { endedAtEpochMs: END_EPOCH_MS - 1_000, gapMs: 2_000 },
      { endedAtEpochMs: END_EPOCH_MS - 20_000, gapMs: 500 },
    ];
    const picture = stripPicture(row({ stalls, stallCount: 2 }), FRAME);
    expect(picture.stalls).toEqual([{ fromPx: 70, toPx: 90, isOpen: false }]);
  });

  test('draws a silence that goes on up to now, and one that is no stall yet not at all', () => {
    const [band] = stripPicture(row({ word: 'silent', silentMs: 999 }), FRAME).stalls;
    expect(band).toMatchObject({ isOpen: true });
    expect(band?.fromPx).toBeCloseTo(90, 5);
    expect(stripPicture(row({ word: 'stream', silentMs: 999 }), FRAME).stalls).toEqual([]);
  });
});

describe('the words', () => {
  test('tell chunks, a silence that goes on, and the latest stalls with their causes', () => {
    const stalls = [{ endedAtEpochMs: 1, gapMs: 420, cause: 'prefill_interference' as const }];
    expect(stripWords(row({}))).toBe('3 chunks');
    expect(stripWords(row({ chunkCount: 1, stallCount: 1, stalls }))).toBe(
      '1 chunk; 1 stall: 420\u202fms prefill interference',
    );
    const more = [200, 300, 400, 500].map((gapMs) => ({ endedAtEpochMs: 1, gapMs }));
    expect(stripWords(row({ stallCount: 4, stalls: more }))).toBe(
      '3 chunks; 4 stalls: the latest 300\u202fms cause not told yet, 400\u202fms cause not told yet, 500\u202fms cause not told yet',
    );
    expect(stripWords(row({ word: 'silent', silentMs: 1_500 }))).toBe('3 chunks; silent for 1.5\u202fs');
  });

  test('do not take a cause that is not told yet for one that cannot be told', () => {
    expect(causeWord({})).toBe('cause not told yet');
    expect(causeWord({ cause: 'unknown' })).toBe('cause unknown');
    expect(causeWord(undefined)).toBe('–');
  });
});
