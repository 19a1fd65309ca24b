// Goal: two sights of one text are known as such, whatever a gateway did to lanes, channels and the rest of it; and
// what it did is named. Method: hand-made lanes with real hashes.
import { describe, expect, test } from 'vitest';
import { matchTexts } from '../../../../src/observe/pairing/text-match.ts';
import type { Sight, SightLane } from '../../../../src/observe/pairing/sight.ts';
import { every, prose, sight, type LaneSpec, type SightSpec } from './sights.ts';

const TEXT = prose(1, 300);
const THOUGHT = prose(2, 200);
const AT = every(100, 10, 20);

function lane(text: string, channel: LaneSpec['channel'] = 'text', choice = 0): LaneSpec {
  return { text, channel, choice, atMs: AT };
}

/** A lane in these fragments. */
function told(fragments: readonly string[]): LaneSpec {
  return { text: fragments.join(''), atMs: every(100, 10, fragments.length), fragments };
}

/** As an engine tells it. */
function piecesOf(text: string): string[] {
  return text.match(/[^]{1,15}/gu) ?? [];
}

function match(outer: readonly LaneSpec[], inner: readonly LaneSpec[], more: { outer?: SightSpec['more'] } = {}) {
  const out = sight({ id: 'o', lanes: outer, ...(more.outer === undefined ? {} : { more: more.outer }) });
  const { agreement, changes, sureChars, pairs } = matchTexts(out, sight({ id: 'i', lanes: inner }));
  return { agreement, changes, sureChars, common: pairs.map(({ commonChars }) => commonChars) };
}

test('the same text is equal, however it was cut into pieces', () => {
  const other = { ...lane(TEXT), atMs: every(300, 50, 3) };
  expect(match([lane(TEXT)], [other])).toEqual({ agreement: 'equal', changes: [], sureChars: 300, common: [300] });
});

test('code points count, not units', () => {
  const text = '😀'.repeat(70);
  expect(match([lane(text)], [lane(text)])).toMatchObject({ agreement: 'equal', sureChars: 70 });
});

describe('a gateway that alters text', () => {
  test('by one character in its middle leaves what is before and behind it', () => {
    const altered = `${TEXT.slice(0, 200)}X${TEXT.slice(201)}`;
    const { agreement, changes, common } = match([lane(altered)], [lane(TEXT)]);
    expect([agreement, changes]).toEqual(['near', ['text_changed']]);
    expect(common[0]).toBeGreaterThan(192);
  });

  test('in its last characters is seen although no full step differs', () => {
    expect(match([lane(`${TEXT.slice(0, 299)}X`)], [lane(TEXT)])).toMatchObject({
      agreement: 'near',
      changes: ['text_changed'],
    });
  });

  test('by adding a footer adds text, and the rest is common', () => {
    expect(match([lane(`${TEXT} and a word from us`)], [lane(TEXT)])).toMatchObject({
      agreement: 'near',
      changes: ['text_added'],
      common: [256],
    });
  });

  test('by dropping the end loses text', () => {
    expect(match([lane(TEXT.slice(0, 250))], [lane(TEXT)])).toMatchObject({ changes: ['text_lost'] });
  });

  test.each([1, 7, 63, 64, 65, 1_000])('by %i characters before it adds text, and all of it is there', (chars) => {
    const banner = prose(7, chars);
    expect(match([told([banner, ...piecesOf(TEXT)])], [lane(TEXT)])).toEqual({
      agreement: 'whole',
      changes: ['text_added'],
      sureChars: 300,
      common: [300],
    });
  });

  test('by a banner within its first fragment leaves all but that', () => {
    const [first = '', ...rest] = piecesOf(TEXT);
    const { agreement, changes, common } = match([told([`${prose(7, 90)}${first}`, ...rest])], [lane(TEXT)]);
    expect({ agreement, changes, common }).toEqual({
      agreement: 'near',
      changes: ['text_added'],
      common: [300 - first.length],
    });
  });

  test('by a banner, in pieces of its own, is told by where its content is', () => {
    const long = prose(8, 2_000);
    const { agreement, changes, common } = match(
      [{ ...lane(`${prose(7, 500)}${long}`), atMs: every(0, 1, 7) }],
      [lane(long)],
    );
    expect([agreement, changes]).toEqual(['near', ['text_added']]);
    expect(common[0]).toBeGreaterThan(1_800);
  });

  test('by taking its first sentence away loses text', () => {
    expect(match([lane(TEXT.slice(120))], [told([TEXT.slice(0, 120), ...piecesOf(TEXT.slice(120))])])).toEqual({
      agreement: 'whole',
      changes: ['text_lost'],
      sureChars: 180,
      common: [180],
    });
  });

  test('by another word at its beginning changes it', () => {
    const long = prose(9, 1_000);
    const altered = `${long.slice(0, 10)}[REDACTED]${long.slice(14)}`;
    const { agreement, changes, common } = match([lane(altered)], [lane(long)]);
    expect([agreement, changes]).toEqual(['near', ['text_changed']]);
    expect(common[0]).toBeGreaterThan(800);
  });

  test('by a paragraph put into its middle changes it there and adds to it', () => {
    const long = prose(10, 2_000);
    const altered = `${long.slice(0, 900)}${prose(11, 1_000)}${long.slice(900)}`;
    const { agreement, changes, common } = match([lane(altered)], [lane(long)]);
    expect([agreement, changes]).toEqual(['near', ['text_changed', 'text_added']]);
    expect(common[0]).toBeGreaterThan(1_700);
  });

  test('by another text has nothing in common with it', () => {
    expect(match([lane(prose(12, 300))], [lane(TEXT)])).toMatchObject({
      agreement: 'differs',
      changes: ['text_changed'],
    });
  });
});

describe('answers out of one template', () => {
  const frame = prose(13, 600);

  test.each([
    ['before', (own: string) => `${frame}${own}`],
    ['behind', (own: string) => `${own}${frame}`],
  ])('that have more in common %s what is their own are not the same, and not one within the other', (_, fill) => {
    const [one, other] = [fill(prose(14, 300)), fill(prose(15, 300))];
    for (const banner of ['', prose(7, 100)]) {
      const { agreement, sureChars } = match([told([banner, ...piecesOf(one)])], [lane(other)]);
      expect([agreement, sureChars]).toEqual(['part', 0]);
    }
  });

  test('are near to each other when they differ in a word, and no more than that', () => {
    const { agreement, sureChars } = match([lane(`yes${frame}`)], [lane(`not${frame}`)]);
    expect([agreement, sureChars]).toEqual(['near', 0]);
  });
});

test('what an older peer saw is compared by its beginning', () => {
  const [outer, inner] = [told([prose(7, 100), ...piecesOf(TEXT)]), lane(TEXT)].map((one) =>
    sight({ id: 's', lanes: [one] }),
  );
  const { places: _, ...older } = (inner as Sight).lanes[0] as SightLane;
  expect(matchTexts(outer as Sight, { ...(inner as Sight), lanes: [older] }).agreement).toBe('differs');
  expect(matchTexts(inner as Sight, { ...(inner as Sight), lanes: [older] }).agreement).toBe('equal');
});

test('a stream that was cut has lost nothing to the hop', () => {
  const cut = { outcome: 'client_abort' as const };
  expect(match([lane(TEXT.slice(0, 250))], [lane(TEXT)], { outer: cut })).toMatchObject({
    agreement: 'near',
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

  test('reasoning that comes out before the text, on its channel, is moved, and both are there', () => {
    const fragments = [...piecesOf(THOUGHT), ...piecesOf(TEXT)];
    const inner = [told(piecesOf(THOUGHT)), told(piecesOf(TEXT))] as const;
    expect(match([told(fragments)], [{ ...inner[0], channel: 'reasoning' }, inner[1]])).toEqual({
      agreement: 'whole',
      changes: ['channel_moved'],
      sureChars: 300,
      common: [300, 200],
    });
  });

  test('reasoning between marks before the text was moved, and the marks were added', () => {
    const fragments = ['<think>', ...piecesOf(THOUGHT), '</think>', ...piecesOf(TEXT)];
    const inner = [{ ...told(piecesOf(THOUGHT)), channel: 'reasoning' as const }, told(piecesOf(TEXT))];
    expect(match([told(fragments)], inner)).toMatchObject({
      agreement: 'whole',
      changes: ['channel_moved', 'text_added'],
      common: [300, 200],
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
