// Text as a terminal shows it: cut and padded to columns, which are not characters, and cleared of everything that a
// terminal would obey. Names of models come from whoever sends a request, so nothing is written as it came.
import stringWidth from 'string-width';
import { ABSENT, showMs } from '../spread.ts';

/** Control characters of both sets, and those that turn or hide what is written beside them. */
// eslint-disable-next-line no-control-regex -- these very characters are looked for
const OBEYED = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const CUT = '…';
const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });

export type Align = 'left' | 'right';

export function clean(text: string): string {
  return text.replaceAll(OBEYED, '?');
}

export function widthOf(text: string): number {
  return stringWidth(text);
}

/** At most so many columns wide; what is longer ends in a mark that it was cut. */
export function cut(text: string, width: number): string {
  const shown = clean(text);
  if (widthOf(shown) <= width) return shown;
  if (width <= 0) return '';
  let kept = '';
  let keptWidth = 0;
  for (const { segment } of SEGMENTER.segment(shown)) {
    const segmentWidth = widthOf(segment);
    if (keptWidth + segmentWidth > width - 1) break;
    kept += segment;
    keptWidth += segmentWidth;
  }
  return kept + CUT;
}

/** Exactly so many columns wide. */
export function fit(text: string, width: number, align: Align = 'left'): string {
  const shown = cut(text, width);
  const room = ' '.repeat(Math.max(0, width - widthOf(shown)));
  return align === 'left' ? shown + room : room + shown;
}

const PLAIN: Readonly<Record<string, string>> = { '–': '-', [CUT]: '~', '’': "'" };

/** As wide as it was, with nothing in it beyond ASCII. */
export function inAscii(text: string): string {
  // eslint-disable-next-line no-control-regex -- all of ASCII, the codes of colours among it
  if (/^[\u0000-\u007f]*$/.test(text)) return text;
  let plain = '';
  for (const { segment } of SEGMENTER.segment(text)) {
    const isPlain = segment.length === 1 && segment < '\u0080';
    plain += isPlain ? segment : (PLAIN[segment] ?? '?'.repeat(widthOf(segment)));
  }
  return plain;
}

/** Sentences over several lines, broken between words; a word that is wider than a line is cut. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of clean(text).split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || widthOf(longer) <= width) line = longer;
    else {
      lines.push(cut(line, width));
      line = word;
    }
  }
  return line === '' ? lines : [...lines, cut(line, width)];
}

const NS_PER_MS = 1e6;
/** From here on tenths of a ms say nothing, and the columns are narrow. */
const LONG_MS = 99_999;

/** A length in ms without its unit, which the head of the column names; whole seconds where it is very long. */
export function msText(lengthNs: number | undefined): string {
  if (lengthNs === undefined || lengthNs <= LONG_MS * NS_PER_MS) return showMs(lengthNs);
  return `${Math.round(lengthNs / (1000 * NS_PER_MS))} s`;
}

/** How long something lasts or lies back, for people: `12.3 s`, `5 min 20 s`, `3 h 5 min`, `4 d 2 h`. */
export function spanText(lengthMs: number | undefined): string {
  if (lengthMs === undefined) return ABSENT;
  const seconds = Math.max(0, lengthMs) / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.floor(seconds);
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 86_400) return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
  return `${Math.floor(whole / 86_400)} d ${Math.floor((whole % 86_400) / 3_600)} h`;
}

/** A share. Only all of it is 100 %: 99.98 % is a failure somewhere. */
export function percentText(ratio: number | undefined): string {
  if (ratio === undefined) return ABSENT;
  if (ratio === 1 || ratio === 0) return `${ratio * 100} %`;
  return `${Math.min(99.9, Math.max(0.1, ratio * 100)).toFixed(1)} %`;
}

/** A word of a closed set as people write it. */
export function wordText(word: string): string {
  return word.replaceAll('_', ' ');
}
