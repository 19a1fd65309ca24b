// Goal: where a gateway puts text before an answer, or takes some away, it is seen through; and answers that have much
// of their text in common are never taken for each other, with an id or without. Method: sights in few words.
import { describe, expect, test } from 'vitest';
import { bannered, chosen, innerOf, outerOf, told, TRACE } from './choosing.ts';
import { every, prose } from './sights.ts';

const TEXT = prose(1, 200);
const OTHER = prose(2, 200);

describe('a gateway that puts text before the answer', () => {
  const banner = 'This answer was made by a machine. ';

  test('is seen through by an id, and the text confirms it', () => {
    const choice = chosen(bannered(banner, TEXT, { ids: TRACE }), { inner: [innerOf('i', TEXT, { ids: TRACE })] });
    expect(told(choice)).toBe('i by trace');
    expect(typeof choice === 'string' ? [] : choice.match.changes).toEqual(['text_added']);
  });

  test('is seen through by content alone, where all of the answer is there', () => {
    const scene = { inner: [innerOf('i', TEXT), innerOf('j', OTHER)] };
    expect(told(chosen(bannered(banner, TEXT), scene))).toBe('i by content');
    expect(chosen(bannered(banner, TEXT), { ...scene, isLast: false })).toBe('wait');
  });

  test('and has given the same answer twice: nobody’s', () => {
    expect(chosen(bannered(banner, TEXT), { inner: [innerOf('i1', TEXT), innerOf('i2', TEXT)] })).toBe('ambiguous');
    const rivals = [bannered('Hello! ', TEXT, { id: 'o2' })];
    expect(chosen(bannered(banner, TEXT), { inner: [innerOf('i', TEXT)], rivals })).toBe('ambiguous');
  });

  test.each([
    ['by an id', { ids: TRACE }, 'i by trace'],
    ['by content', {}, 'i by content'],
  ])('and speaks before it asks, is seen through %s', (_, ids, expected) => {
    const early = bannered(banner, TEXT, ids);
    const inner = innerOf('i', TEXT, { openedMs: 104, lanes: [{ text: TEXT, atMs: every(109, 10, 20) }], ...ids });
    expect(told(chosen(early, { inner: [inner] }))).toBe(expected);
    // Its own text does not come out before it was there.
    const late = innerOf('i', TEXT, { openedMs: 104, lanes: [{ text: TEXT, atMs: every(125, 10, 18) }], ...ids });
    expect(told(chosen(early, { inner: [late] }))).toBe(expected === 'i by trace' ? 'outside' : 'not_seen');
  });

  test('one that takes the first sentence away is seen through the same way', () => {
    const inner = bannered(TEXT.slice(0, 60), TEXT.slice(60), { id: 'i', openedMs: 5, endedMs: 300 });
    const outer = outerOf(TEXT.slice(60), { lanes: [{ text: TEXT.slice(60), atMs: every(120, 10, 20) }] });
    expect(told(chosen(outer, { inner: [inner] }))).toBe('i by content');
  });

  test('short answers need an id', () => {
    const [outer, inner] = [bannered(banner, prose(3, 63)), innerOf('i', prose(3, 63))];
    expect(chosen(outer, { inner: [inner] })).toBe('not_seen');
    const ids = { ids: TRACE };
    const known = { inner: [innerOf('i', 'yes', ids)] };
    expect(told(chosen(bannered(banner, 'yes', ids), known))).toBe('i by trace');
    const rivals = [outerOf('', { id: 'o2', endedMs: null, ...ids })];
    expect(chosen(bannered(banner, 'yes', ids), { ...known, rivals })).toBe('ambiguous');
  });

  test('a short answer that is the end of a long one is not taken for it', () => {
    const end = prose(4, 70);
    const outer = bannered(`${prose(5, 900)} `, end);
    expect(chosen(outer, { inner: [innerOf('i', end)] })).toBe('not_seen');
  });
});

describe('answers out of one template', () => {
  const frame = prose(6, 700);
  const banner = 'Hello! ';

  test.each([
    ['begin', (own: string) => `${frame}${own}`],
    ['end', (own: string) => `${own}${frame}`],
    ['begin and end', (own: string) => `${frame}${own}${frame.slice(300)}`],
  ])('that %s alike are told apart, and one whose other sight is missing has none', (_, fill) => {
    const texts = ['yes, ', 'not, ', 'nil, '].map(fill);
    const inner = texts.slice(1).map((text, at) => innerOf(`i${at + 1}`, text));
    const outer = texts.map((text, at) => bannered(banner, text, { id: `o${at}` }));
    const toldOf = outer.map((one) => told(chosen(one, { inner, rivals: outer.filter(({ id }) => id !== one.id) })));
    expect(toldOf).toEqual(['not_seen', 'i1 by content', 'i2 by content']);
  });

  test('of one trace are told apart by what is their own', () => {
    const ids = { traceId: 't1', sentSpanId: 's1' };
    const inner = [1, 2, 3].map((n) => innerOf(`i${n}`, `${prose(n, 80)}${frame}`, { ids: TRACE }));
    expect(told(chosen(bannered(banner, `${prose(2, 80)}${frame}`, { ids }), { inner }))).toBe('i2 by trace');
  });

  test('of one trace, with nothing that decides, are nobody’s', () => {
    const text = (n: number) => `${frame}${prose(n, 300)}`;
    const rivals = [outerOf('', { id: 'o2', ids: TRACE, endedMs: null })];
    const [outer, inner] = [outerOf(text(1), { ids: TRACE }), innerOf('i', text(2), { ids: TRACE })];
    expect(chosen(outer, { inner: [inner], rivals })).toBe('ambiguous');
    expect(chosen(outer, { inner: [inner, innerOf('j', text(3), { ids: TRACE })] })).toBe('ambiguous');
  });
});
