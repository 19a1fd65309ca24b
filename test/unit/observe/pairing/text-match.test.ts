// Goal: two sights of one text are known as such, whatever a gateway did to lanes, channels and the rest of it; and
// what it did is named. Method: hand-made lanes with real hashes.
import { describe, expect, test } from 'vitest';
import { matchTexts } from '../../../../src/observe/pairing/text-match.ts';
import { every, prose, sight, type LaneSpec, type SightSpec } from './sights.ts';

const TEXT = prose(1, 300);
const THOUGHT = prose(2, 200);
const AT = every(100, 10, 20);

function lane(text: string, channel: LaneSpec['channel'] = 'text', choice = 0): LaneSpec {
  return { text, channel, choice, atMs: AT };
}

function match(outer: readonly LaneSpec[], inner: readonly LaneSpec[], more: { outer?: SightSpec['more'] } = {}) {
  const out = sight({ id: 'o', lanes: outer, ...(more.outer === undefined ? {} : { more: more.outer }) });
  const { agreement, changes, equalChars, pairs } = matchTexts(out, sight({ id: 'i', lanes: inner }));
  return { agreement, changes, equalChars, common: pairs.map(({ commonChars }) => commonChars) };
}

test('the same text is equal, however it was cut into pieces', () => {
  const other = { ...lane(TEXT), atMs: every(300, 50, 3) };
  expect(match([lane(TEXT)], [other])).toEqual({ agreement: 'equal', changes: [], equalChars: 300, common: [300] });
});

test('code points count, not units', () => {
  const text = '😀'.repeat(70);
  expect(match([lane(text)], [lane(text)])).toMatchObject({ agreement: 'equal', equalChars: 70 });
});

describe('a gateway that alters text', () => {
  test('in its middle leaves the beginning common, to the hash step', () => {
    const altered = `${TEXT.slice(0, 200)}X${TEXT.slice(201)}`;
    expect(match([lane(altered)], [lane(TEXT)])).toMatchObject({
      agreement: 'part',
      changes: ['text_changed'],
      common: [192],
    });
  });

  test('in its last characters is seen although no full step differs', () => {
    expect(match([lane(`${TEXT.slice(0, 299)}X`)], [lane(TEXT)])).toMatchObject({
      changes: ['text_changed'],
      common: [256],
    });
  });

  test('by adding a footer adds text, and the rest is common', () => {
    expect(match([lane(`${TEXT} and a word from us`)], [lane(TEXT)])).toMatchObject({
      agreement: 'part',
      changes: ['text_added'],
      common: [256],
    });
  });

  test('by dropping the end loses text', () => {
    expect(match([lane(TEXT.slice(0, 250))], [lane(TEXT)])).toMatchObject({ changes: ['text_lost'], common: [192] });
  });

  test('from its first character on has nothing in common with it', () => {
    expect(match([lane(`Hello! ${TEXT}`)], [lane(TEXT)])).toMatchObject({
      agreement: 'differs',
      changes: ['text_changed'],
    });
  });
});

test('a stream that was cut has lost nothing to the hop', () => {
  const cut = { outcome: 'client_abort' as const };
  expect(match([lane(TEXT.slice(0, 250))], [lane(TEXT)], { outer: cut })).toMatchObject({
    agreement: 'part',
    changes: [],
  });
});

test('a text without a full step can be neither confirmed nor refuted when it was cut', () => {
  const cut = { outcome: 'client_abort' as const };
  expect(match([lane('It was a')], [lane('It was a dark night')], { outer: cut }).agreement).toBe('unknown');
  expect(match([lane('It was a')], [lane('It was a dark night')]).agreement).toBe('differs');
});

describe('channels', () => {
  test('a channel that does not come out is lost, and the other one still confirms', () => {
    expect(match([lane(TEXT)], [lane(THOUGHT, 'reasoning'), lane(TEXT)])).toMatchObject({
      agreement: 'equal',
      changes: ['channel_lost'],
    });
  });

  test('a text that comes out on another channel was moved', () => {
    expect(match([lane(TEXT), lane(THOUGHT, 'refusal')], [lane(THOUGHT, 'reasoning'), lane(TEXT)])).toMatchObject({
      agreement: 'equal',
      changes: ['channel_moved'],
      common: [300, 200],
    });
  });

  test('reasoning that comes out before the text, on its channel, is moved and the rest is another text', () => {
    expect(match([lane(THOUGHT + TEXT)], [lane(THOUGHT, 'reasoning'), lane(TEXT)])).toMatchObject({
      agreement: 'part',
      common: [192],
    });
  });

  test('a lane that nothing went into was added', () => {
    expect(match([lane(TEXT), lane(THOUGHT, 'reasoning')], [lane(TEXT)]).changes).toEqual(['text_added']);
  });

  test('choices are told apart', () => {
    const twins = [lane(TEXT), lane(THOUGHT, 'text', 1)];
    expect(match(twins, twins)).toMatchObject({ agreement: 'equal', changes: [], common: [300, 200] });
  });
});

test('text that came out has gone in, unless nobody could read what did', () => {
  expect(match([], [lane(TEXT)]).agreement).toBe('unknown');
  expect(match([lane(TEXT)], []).agreement).toBe('differs');
  const { dialect: _, ...unread } = sight({ id: 'i' }).facts;
  const inner = { ...sight({ id: 'i' }), facts: unread };
  expect(matchTexts(sight({ id: 'o', lanes: [lane(TEXT)] }), inner).agreement).toBe('unknown');
});

test('what went in was cut before what came out ends: this came from elsewhere', () => {
  const inner = sight({ id: 'i', lanes: [lane('It was')], more: { outcome: 'client_abort' } });
  expect(matchTexts(sight({ id: 'o', lanes: [lane('It was a dark night')] }), inner).agreement).toBe('differs');
});

test('text that may be missing on one side is no change of the hop', () => {
  expect(match([lane(TEXT.slice(0, 250))], [lane(TEXT)], { outer: { incomplete: true } }).changes).toEqual([]);
});
