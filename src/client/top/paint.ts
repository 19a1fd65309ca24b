// Colours and characters of the picture. Colour only underlines what the words or characters already say, so a
// terminal without it loses nothing. Knows no figures.

export type Style = 'plain' | 'bold' | 'dim' | 'good' | 'bad' | 'warn' | 'accent' | 'head' | PartStyle;
type PartStyle = `part-${'queue' | 'prefill' | 'network' | 'rubato' | 'other' | 'engine'}`;

export type Paint = (style: Style, text: string) => string;

/** Begin and end of each style as terminals know them (ECMA-48, SGR): the sixteen colours that themes adapt. */
const CODES: Readonly<Record<Exclude<Style, 'plain'>, readonly [begin: string, end: string]>> = {
  bold: ['1', '22'],
  dim: ['2', '22'],
  good: ['32', '39'],
  bad: ['31', '39'],
  warn: ['33', '39'],
  accent: ['36', '39'],
  head: ['7', '27'],
  'part-queue': ['30;43', '39;49'],
  'part-prefill': ['30;46', '39;49'],
  'part-network': ['30;42', '39;49'],
  'part-rubato': ['30;47', '39;49'],
  'part-other': ['97;100', '39;49'],
  'part-engine': ['97;44', '39;49'],
};

const inColor: Paint = (style, text) => {
  if (style === 'plain' || text === '') return text;
  const [begin, end] = CODES[style];
  return `\u001b[${begin}m${text}\u001b[${end}m`;
};

export function painter(isColored: boolean): Paint {
  return isColored ? inColor : (_, text) => text;
}

/** What pictures are made of, by what the terminal can show. */
export interface Glyphs {
  /** Nothing, and four shades of something. */
  readonly shades: readonly [string, string, string, string, string];
  /** Two columns of a strip as one character: each `[received, flushed]`, levels 0 to 2. */
  strip(left: readonly [number, number], right: readonly [number, number]): string;
  /** Eight heights, the lowest first. */
  readonly heights: readonly string[];
  readonly stall: string;
}

/** Dots of a braille character, left and right: received grows upwards from the middle, flushed downwards. */
const BRAILLE = 0x2800;
const LEFT = { received: [0x00, 0x02, 0x03], flushed: [0x00, 0x04, 0x44] } as const;
const RIGHT = { received: [0x00, 0x10, 0x18], flushed: [0x00, 0x20, 0xa0] } as const;

export const UNICODE: Glyphs = {
  shades: [' ', '░', '▒', '▓', '█'],
  strip([leftReceived, leftFlushed], [rightReceived, rightFlushed]) {
    const dots =
      (LEFT.received[leftReceived] ?? 0) |
      (LEFT.flushed[leftFlushed] ?? 0) |
      (RIGHT.received[rightReceived] ?? 0) |
      (RIGHT.flushed[rightFlushed] ?? 0);
    return dots === 0 ? ' ' : String.fromCodePoint(BRAILLE + dots);
  },
  heights: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
  stall: '╌',
};

/** For terminals whose locale is not UTF-8: received and flushed cannot be told apart in one character. */
export const ASCII: Glyphs = {
  shades: [' ', '.', ':', '+', '#'],
  strip(left, right) {
    const level = Math.max(left[0], right[0]);
    if (level > 0) return level > 1 ? '#' : ':';
    // Nothing was received, and something older went on.
    return left[1] + right[1] > 0 ? '.' : ' ';
  },
  heights: ['_', '.', ':', '-', '=', '+', '*', '#'],
  stall: '-',
};
