// Goal: the curve of a text says where it stood at each chunk and what it hashes to, however it was cut into
// fragments. Method: random texts in random fragments, against an oracle that sees each text whole; exact
// lists for what a pair of surrogates, a cap and a lane too many do.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TEXT_GROWTHS_MAX_COUNT, TEXT_LANES_MAX_COUNT } from '../../../src/base/record-limits.ts';
import { CHANNELS } from '../../../src/record/kinds.ts';
import { logPages } from '../../../src/record/packed-rows.ts';
import { HASH_STEP_CHARS, type TextCurve } from '../../../src/record/text-curve.ts';
import { TextLog } from '../../../src/record/text-log.ts';
import { fuzz } from '../../support/fuzz.ts';
import { hashOf, laneText, laneTexts, pointsOf, type Piece } from '../../support/text-oracle.ts';

function curveOf(pieces: readonly Piece[]): TextCurve {
  const log = new TextLog();
  for (const { channel, choice, text, chunk } of pieces) log.add(channel, choice, text, chunk);
  const curve = log.finish();
  log.release();
  return curve;
}

/** Text of one lane, a fragment a chunk. */
function textIn(...fragments: string[]): Piece[] {
  return fragments.map((text, chunk) => ({ channel: 'text', choice: 0, text, chunk }));
}

/** How far each chunk brought its lane, by the text up to it: half a pair waits for the rest of it. */
function growthsOf(pieces: readonly Piece[]): { chunk: number[]; endChars: number[] } {
  const growths = { chunk: [] as number[], endChars: [] as number[] };
  let text = '';
  for (const [index, { text: more, chunk }] of pieces.entries()) {
    text += more;
    const isLast = index === pieces.length - 1;
    const whole = isLast ? text : text.replace(/[\ud800-\udbff]$/, '');
    const chars = pointsOf(whole).length;
    if (chars === (growths.endChars.at(-1) ?? 0)) continue;
    if (growths.chunk.at(-1) === chunk) growths.endChars.splice(-1, 1, chars);
    else {
      growths.chunk.push(chunk);
      growths.endChars.push(chars);
    }
  }
  return growths;
}

// Letters, marks that combine, line ends, what is outside the first plane, and halves of pairs.
const unit = fc.constantFrom('a', 'é', 'e\u0301', '\r\n', '\n', '語', '🌍', '👩‍👩‍👧', '\ud83c', '\udf0d', '\0', ' ');
const text = fc.array(unit, { maxLength: 90 }).map((units) => units.join(''));
const fragments = fc.array(
  fc.record({
    channel: fc.constantFrom(...CHANNELS),
    choice: fc.nat({ max: 1 }),
    text,
    chunksLater: fc.oneof(fc.nat({ max: 2 }), fc.nat({ max: 100_000 })),
  }),
  { maxLength: 30 },
);

describe('the curve of a text', () => {
  it('is the same as of the whole text at once, in every lane', () => {
    fc.assert(
      fc.property(fragments, (list) => {
        let chunk = 0;
        const pieces: Piece[] = list.map(({ chunksLater, ...piece }) => ({ ...piece, chunk: (chunk += chunksLater) }));
        const curve = curveOf(pieces);
        const names = [
          ...new Set(pieces.filter((piece) => piece.text !== '').map(({ channel, choice }) => `${channel} ${choice}`)),
        ];
        const expected = names.map((name) => {
          const own = pieces.filter((piece) => `${piece.channel} ${piece.choice}` === name);
          const [first] = own as [Piece];
          return laneText(first.channel, first.choice, own.map((piece) => piece.text).join(''));
        });
        expect(laneTexts(curve)).toEqual(expected);
        expect(curve.incomplete).toBeUndefined();
      }),
      fuzz(200),
    );
  });

  it('says of each chunk how far it brought its lane', () => {
    const cut = fc.record({ whole: text, cuts: fc.array(fc.nat({ max: 200 }), { maxLength: 20 }) });
    fc.assert(
      fc.property(cut, fc.nat({ max: 3 }), ({ whole, cuts }, every) => {
        const borders = [0, ...cuts.map((at) => Math.min(at, whole.length)), whole.length].toSorted((a, b) => a - b);
        const pieces = textIn(...borders.slice(1).map((to, index) => whole.slice(borders[index], to)))
          .filter((piece) => piece.text !== '')
          .map((piece) => ({ ...piece, chunk: Math.floor(piece.chunk / (every + 1)) }));
        const [lane] = curveOf(pieces).lanes;
        if (whole === '') return;
        const { chunk, endChars } = growthsOf(pieces);
        expect({ chunk: lane?.chunk, endChars: lane?.endChars }).toEqual({ chunk, endChars });
      }),
      fuzz(200),
    );
  });

  it('takes a pair of surrogates in two fragments for one character, of the second one', () => {
    const [lane] = curveOf(textIn('a\ud83c', '\udf0d')).lanes;
    expect(lane).toMatchObject({ chunk: [0, 1], endChars: [1, 2], endHash: hashOf(pointsOf('a🌍')) });
  });

  it('takes half a pair for what it becomes in UTF-8', () => {
    // Where a fragment ended is told too, and half a pair ends none.
    const hashesOf = (whole: string) => laneTexts(curveOf(textIn(whole)));
    const curves = ['a\ud83c', '\udf0da', '\ud83c\ud83cb'].map(hashesOf);
    const rewritten = ['a\ufffd', '\ufffda', '\ufffd\ufffdb'].map(hashesOf);
    expect(curves).toEqual(rewritten);
  });

  it('keeps marks that combine and line ends as they are', () => {
    expect(curveOf(textIn('e\u0301')).lanes[0]?.endHash).not.toBe(curveOf(textIn('é')).lanes[0]?.endHash);
    expect(curveOf(textIn('\r\n')).lanes[0]).toMatchObject({ endChars: [2] });
    expect(curveOf(textIn('\r', '\n')).lanes[0]).toMatchObject({ endChars: [1, 2] });
  });

  it('has a hash of every 64 characters of a text that comes whole, all of it at one chunk', () => {
    const whole = 'abcdefgh'.repeat(100);
    const [lane] = curveOf([{ channel: 'text', choice: 0, text: whole, chunk: 7 }]).lanes;
    expect(lane).toMatchObject({ chunk: [7], endChars: [800] });
    expect(lane?.prefixHashes).toHaveLength(Math.floor(800 / HASH_STEP_CHARS));
  });

  it('of nothing has no lanes', () => {
    expect(curveOf([])).toEqual({ lanes: [] });
  });
});

describe('a curve says that it is incomplete', () => {
  it('when a lane is left out', () => {
    const pieces: Piece[] = Array.from({ length: TEXT_LANES_MAX_COUNT + 1 }, (_, choice) => ({
      channel: 'text',
      choice,
      text: 'a',
      chunk: choice,
    }));
    expect(curveOf(pieces.slice(1)).incomplete).toBeUndefined();
    const { lanes, incomplete } = curveOf(pieces);
    expect([lanes.length, incomplete]).toEqual([TEXT_LANES_MAX_COUNT, true]);
  });

  it('when it is full, and costs no more memory from there on', () => {
    const log = new TextLog();
    for (let chunk = 0; chunk < TEXT_GROWTHS_MAX_COUNT; chunk += 1) log.add('text', 0, 'a', chunk);
    const pageCount = logPages.pageCount;
    for (let chunk = 0; chunk < 10_000; chunk += 1) log.add('text', 0, 'bc', TEXT_GROWTHS_MAX_COUNT + chunk);
    expect(logPages.pageCount).toBe(pageCount);
    const { lanes, incomplete } = log.finish();
    log.release();
    expect([lanes[0]?.endChars.at(-1), incomplete]).toEqual([TEXT_GROWTHS_MAX_COUNT, true]);
    expect(lanes[0]?.endHash).toBe(hashOf(Array<number>(TEXT_GROWTHS_MAX_COUNT).fill(97)));
  });
});

it('a log that fills up in the middle of a text says so', () => {
  const log = new TextLog();
  for (let chunk = 1; chunk < TEXT_GROWTHS_MAX_COUNT; chunk += 1) log.add('text', 0, 'a', chunk);
  log.add('text', 0, 'b'.repeat(3 * HASH_STEP_CHARS), TEXT_GROWTHS_MAX_COUNT);
  const { lanes, incomplete } = log.finish();
  log.release();
  // There is room for one more row, and it goes to the next multiple of the step, one character on.
  expect([lanes[0]?.endChars.at(-1), incomplete]).toEqual([TEXT_GROWTHS_MAX_COUNT, true]);
});

it('a usual growth costs one byte, and a hash four', () => {
  const before = logPages.pageCount;
  const log = new TextLog();
  // 64 characters in 16 chunks: 16 bytes and a hash. So 256 KiB hold 13 thousand such rows.
  for (let chunk = 0; chunk < 16 * 13_000; chunk += 1) log.add('text', 0, 'abcd', chunk + 1);
  const pageCount = logPages.pageCount - before;
  log.release();
  expect(pageCount).toBeLessThanOrEqual(5);
});
