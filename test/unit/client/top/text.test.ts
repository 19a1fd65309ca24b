// Goal: text takes the columns it is given and no more, whatever it is written in, and nothing in it is obeyed by a
// terminal. Method: words of several scripts and every control character, cut to every width.
import { describe, expect, test } from 'vitest';
import { cut, fit, msText, percentText, spanText, widthOf, wrap } from '../../../../src/client/top/text.ts';

const WORDS = ['llama-3.1-8b', '模型-漢字', '한국어', 'e\u0301te\u0301', '👩‍👩‍👧‍👦 family', 'ﾊﾝｶｸ', '🇩🇪🇫🇷', 'عربي'];

describe('a text that is fitted', () => {
  test.each(WORDS)('takes exactly so many columns: %s', (word) => {
    for (let width = 0; width <= 24; width += 1) {
      expect([width, widthOf(fit(word, width))]).toEqual([width, width]);
      expect([width, widthOf(fit(word, width, 'right'))]).toEqual([width, width]);
    }
  });

  test('is cut between characters, and says that it was', () => {
    expect(cut('模型模型', 7)).toBe('模型模…');
    expect(cut('模型模型', 8)).toBe('模型模型');
    // The half of a wide character that would fit is left empty.
    expect(fit('模型模型', 6)).toBe('模型… ');
    expect(cut('abc', 1)).toBe('…');
    expect(cut('abc', 0)).toBe('');
  });
});

describe('what a terminal would obey', () => {
  test('is never written: no control character of either set, and nothing that turns the line', () => {
    const controls = [
      ...Array.from({ length: 32 }, (_, code) => code),
      ...Array.from({ length: 33 }, (_, at) => 127 + at),
    ];
    const turning = [0x061c, 0x200b, 0x200e, 0x200f, 0x2028, 0x202e, 0x2066, 0x2069, 0xfeff];
    for (const code of [...controls, ...turning]) {
      expect([code, cut(`a${String.fromCodePoint(code)}b`, 10)]).toEqual([code, 'a?b']);
    }
  });

  test('is shown as the harmless rest of itself', () => {
    expect(cut('\u001b]0;owned\u0007\u001b[31mred', 40)).toBe('?]0;owned??[31mred');
  });
});

test('sentences break between words, and a word that is too long is cut', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('one incomprehensibilities two', 8)).toEqual(['one', 'incompr…', 'two']);
  expect(wrap('', 8)).toEqual([]);
});

test('lengths are ms, and whole seconds where tenths of a ms would not fit', () => {
  expect([undefined, 0, 420_000, 12_345_678, 99_999_000_000, 100_000_000_000].map(msText)).toEqual([
    '–',
    '0.000',
    '0.420',
    '12.3',
    '99,999.0',
    '100 s',
  ]);
});

test('spans read as people say them', () => {
  expect([undefined, -5, 0, 59_949, 59_950, 3_599_999, 3_600_000, 86_399_999, 90_061_000].map(spanText)).toEqual([
    '–',
    '0.0 s',
    '0.0 s',
    '59.9 s',
    '0 min 59 s',
    '59 min 59 s',
    '1 h 0 min',
    '23 h 59 min',
    '1 d 1 h',
  ]);
});

test('only all of it is 100 %, and only nothing is 0 %', () => {
  expect([undefined, 0, 0.0001, 0.5, 0.99996, 1].map(percentText)).toEqual([
    '–',
    '0 %',
    '0.1 %',
    '50.0 %',
    '99.9 %',
    '100 %',
  ]);
});
