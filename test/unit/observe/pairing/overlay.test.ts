// Goal: each growth of the text behind the hop finds the read by which it came out, in whatever pieces it did; a long
// curve is thinned and keeps what figures rest on. Method: hand-made curves, exact integers.
import { describe, expect, test } from 'vitest';
import { HOP_CURVE_MAX_COUNT } from '../../../../src/base/pairing-limits.ts';
import { overlay } from '../../../../src/observe/pairing/overlay.ts';
import { matchTexts } from '../../../../src/observe/pairing/text-match.ts';
import { every, type LaneSpec, ms, prose, sight } from './sights.ts';

function curveOf(outer: readonly LaneSpec[], inner: readonly LaneSpec[], openedMs = 0) {
  const out = sight({ id: 'o', openedMs, lanes: outer });
  return overlay(matchTexts(out, sight({ id: 'i', lanes: inner })).pairs, out.openedAtNs);
}

const TEXT = prose(1, 80);

test('four pieces went in and came out in two', () => {
  const curve = curveOf([{ text: TEXT, atMs: [130, 150] }], [{ text: TEXT, atMs: [100, 110, 120, 140] }], 90);
  expect(curve).toEqual({
    channel: ['text', 'text', 'text', 'text'],
    choice: [0, 0, 0, 0],
    endChars: [20, 40, 60, 80],
    innerAtNs: [ms(10), ms(20), ms(30), ms(50)],
    innerBytes: [80, 160, 240, 320],
    outerAtNs: [ms(40), ms(40), ms(60), ms(60)],
  });
});

test('two pieces went in and came out in four: each is out with its last character', () => {
  const curve = curveOf([{ text: TEXT, atMs: [101, 102, 103, 104] }], [{ text: TEXT, atMs: [100, 101] }]);
  expect(curve.outerAtNs).toEqual([ms(102), ms(104)]);
});

test('lanes are told apart and laid in order of time', () => {
  const [thought, text] = [prose(2, 70), prose(3, 70)];
  const lanes = (delayMs: number): LaneSpec[] => [
    { text, channel: 'text', atMs: [200 + delayMs, 220 + delayMs] },
    { text: thought, channel: 'reasoning', atMs: [100 + delayMs, 210 + delayMs] },
  ];
  const curve = curveOf(lanes(1), lanes(0));
  expect(curve.channel).toEqual(['reasoning', 'text', 'reasoning', 'text']);
  expect(curve.outerAtNs).toEqual([101, 201, 211, 221].map(ms));
});

test('only what is common for sure is laid over each other', () => {
  const text = prose(4, 160);
  const curve = curveOf([{ text: `${text.slice(0, 150)}#`, atMs: every(1, 1, 10) }], [{ text, atMs: every(0, 1, 10) }]);
  expect(curve.endChars.at(-1)).toBe(128);
});

test('text put before moves the outer curve by its length, and no moment is another character’s', () => {
  const fragments = [TEXT.slice(0, 20), TEXT.slice(20, 40), TEXT.slice(40, 60), TEXT.slice(60)];
  const outer = { text: '', atMs: [101, 130, 140, 150, 160], fragments: ['A word from us: ', ...fragments] };
  const curve = curveOf([outer], [{ text: '', atMs: [100, 110, 120, 140], fragments }]);
  expect(curve.endChars).toEqual([20, 40, 60, 80]);
  expect(curve.outerAtNs).toEqual([130, 140, 150, 160].map(ms));
});

test('what was changed has no place in the curve, and what follows has', () => {
  const text = prose(6, 2_000);
  const altered = `${text.slice(0, 1_000)}${prose(7, 100)}${text.slice(1_010)}`;
  const fragments = (of: string): string[] => of.match(/.{1,10}/gu) ?? [];
  const [out, put] = [fragments(altered), fragments(text)];
  const curve = curveOf(
    [{ text: '', atMs: every(1, 1, out.length), fragments: out }],
    [{ text: '', atMs: every(0, 1, put.length), fragments: put }],
  );
  const holds = curve.outerAtNs.map((outNs, index) => outNs - (curve.innerAtNs[index] as number));
  // A fragment each ms: what was put there costs nine of them.
  expect(new Set(holds)).toEqual(new Set([ms(1), ms(10)]));
  const changed = curve.endChars.filter((end) => end > 1_000 && end <= 1_010);
  expect([changed, curve.endChars[0], curve.endChars.at(-1)]).toEqual([[], 10, 2_000]);
});

describe('a long curve', () => {
  const text = prose(5, 12_000);
  const count = 6_000;
  const atMs = every(0, 1, count);
  const lateAt = 3_333;
  const curve = curveOf(
    [{ text, atMs: atMs.map((one, index) => one + (index === lateAt ? 1.75 : 1)) }],
    [{ text, atMs }],
  );

  test('is thinned to its cap', () => {
    expect(curve.endChars).toHaveLength(HOP_CURVE_MAX_COUNT);
    expect(curve.innerAtNs.toSorted((a, b) => a - b)).toEqual(curve.innerAtNs);
  });

  test('keeps its ends and its largest hold', () => {
    expect([curve.innerAtNs[0], curve.innerAtNs.at(-1)]).toEqual([0, ms(count - 1)]);
    const holds = curve.outerAtNs.map((outNs, index) => outNs - (curve.innerAtNs[index] as number));
    expect(Math.max(...holds)).toBe(ms(1.75));
  });
});
