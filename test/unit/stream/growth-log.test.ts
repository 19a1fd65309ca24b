// Goal: what is new is told from what is repeated, whichever of the two an engine sends, without keeping
// text. Method: the same answers as both kinds of engine send them; random texts (fast-check prints its seed).
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrowthLog } from '../../../src/stream/growth-log.ts';
import { fuzz } from '../../support/fuzz.ts';

function grown(texts: readonly string[], more: { onlyNew?: boolean; lastAt?: number } = {}): string[] {
  const log = new GrowthLog();
  return texts.map(
    (text, index) => log.newText(0, { text, onlyNew: more.onlyNew ?? false, last: index === more.lastAt }).text,
  );
}

describe('growth of an answer', () => {
  it('is the part behind what is repeated', () => {
    expect(grown(['a', 'ab', 'ab', 'ab🌍', 'ab🌍'])).toEqual(['a', 'b', '', '🌍', '']);
  });

  it('is every text of an engine that does not repeat, the same one twice included', () => {
    expect(grown(['a', 'b', 'b', '', 'b'])).toEqual(['a', 'b', 'b', '', 'b']);
    expect(grown(['la', 'la', 'la'], { onlyNew: true })).toEqual(['la', 'la', 'la']);
  });

  it('is none where the last text only lost its stop word', () => {
    expect(grown(['a', 'ab', 'ab#', 'ab'], { lastAt: 3 })).toEqual(['a', 'b', '#', '']);
    expect(grown(['ab', 'cd', 'e'], { lastAt: 2 })).toEqual(['ab', 'cd', 'e']);
    expect(grown(['ab', 'c'], { lastAt: 1 })).toEqual(['ab', 'c']);
  });

  it('is kept apart by choice', () => {
    const log = new GrowthLog();
    const say = (choice: number, text: string) => log.newText(choice, { text, onlyNew: false, last: false }).text;
    expect([say(0, 'a'), say(1, 'a'), say(0, 'a'), say(1, 'ab')]).toEqual(['a', 'a', '', 'b']);
  });

  it('is told of any answer that is repeated', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 4 }), { maxLength: 20 }), (pieces) => {
        let text = '';
        const texts = pieces.map((piece) => (text += piece));
        expect(grown(texts)).toEqual(pieces);
      }),
      fuzz(100),
    );
  });

  it('that was misread says so as soon as it shows', () => {
    const log = new GrowthLog();
    const say = (text: string) => log.newText(0, { text, onlyNew: false, last: false });
    // Whether "ab" repeats "a" or follows it cannot be told before "c" comes.
    expect(['a', 'ab', 'c', 'cd'].map((text) => say(text))).toEqual([
      { text: 'a', misread: false },
      { text: 'b', misread: false },
      { text: 'c', misread: true },
      { text: 'cd', misread: false },
    ]);
  });

  it('can be by count', () => {
    const log = new GrowthLog();
    const counts = [undefined, 0, 1, 1, undefined, 3];
    expect(counts.map((count) => log.countGrew(0, count))).toEqual([false, false, true, false, false, true]);
  });
});
