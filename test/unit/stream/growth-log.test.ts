// Goal: what is new is told from what is repeated, whichever of the two an engine sends, without keeping
// text. Method: the same answers as both kinds of engine send them; random texts (fast-check prints its seed).
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrowthLog } from '../../../src/stream/growth-log.ts';
import { fuzz } from '../../support/fuzz.ts';

function grown(texts: readonly string[], more: { onlyNew?: boolean; lastAt?: number } = {}): boolean[] {
  const log = new GrowthLog();
  return texts.map((text, index) =>
    log.textGrew(0, { text, onlyNew: more.onlyNew ?? false, last: index === more.lastAt }),
  );
}

describe('growth of an answer', () => {
  it('is the part behind what is repeated', () => {
    expect(grown(['a', 'ab', 'ab', 'ab🌍', 'ab🌍'])).toEqual([true, true, false, true, false]);
  });

  it('is every text of an engine that does not repeat, the same one twice included', () => {
    expect(grown(['a', 'b', 'b', '', 'b'])).toEqual([true, true, true, false, true]);
    expect(grown(['la', 'la', 'la'], { onlyNew: true })).toEqual([true, true, true]);
  });

  it('is none where the last text only lost its stop word', () => {
    expect(grown(['a', 'ab', 'ab#', 'ab'], { lastAt: 3 })).toEqual([true, true, true, false]);
    expect(grown(['ab', 'cd', 'e'], { lastAt: 2 })).toEqual([true, true, true]);
    expect(grown(['ab', 'c'], { lastAt: 1 })).toEqual([true, true]);
  });

  it('is kept apart by choice', () => {
    const log = new GrowthLog();
    const say = (choice: number, text: string) => log.textGrew(choice, { text, onlyNew: false, last: false });
    expect([say(0, 'a'), say(1, 'a'), say(0, 'a'), say(1, 'ab')]).toEqual([true, true, false, true]);
  });

  it('is told of any answer that is repeated', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 4 }), { maxLength: 20 }), (pieces) => {
        let text = '';
        const texts = pieces.map((piece) => (text += piece));
        expect(grown(texts)).toEqual(pieces.map((piece) => piece !== ''));
      }),
      fuzz(100),
    );
  });

  it('can be by count', () => {
    const log = new GrowthLog();
    const counts = [undefined, 0, 1, 1, undefined, 3];
    expect(counts.map((count) => log.countGrew(0, count))).toEqual([false, false, true, false, false, true]);
  });
});
