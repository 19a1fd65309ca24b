// Goal: a gateway between two rubatos that drops each id, and puts text before the answer, is seen through by the text;
// only where the peer tells all that have it, and when it answers. Method: a real server, in peering; sights in few
// words. By text it is asked with the last question, two seconds after the end.
import { afterEach, expect, test } from 'vitest';
import type { Sight } from '../../../../src/observe/pairing/sight.ts';
import { AT, bookOf, endPeers, innerOf, LEAD_MS, outerOf, pairsWith, startPeer, told, toldByOlder } from './peering.ts';
import { prose, type SightSpec } from './sights.ts';

afterEach(endPeers);

const outer = (spec: Partial<SightSpec> = {}): Sight => outerOf(1, { ids: {}, ...spec });
const inner = (id: string, spec: Partial<SightSpec> = {}): Sight => innerOf(1, { id, ids: {}, ...spec });
/** Text 1 as it went in, with a fragment before it. */
const behindBanner = {
  lanes: [
    {
      text: '',
      atMs: [99, ...AT],
      fragments: ['Made by a machine: ', ...(prose(1, 200).match(/[^]{1,10}/gu) ?? [])],
    },
  ],
};

test('by text alone each finds its own, with ids to nobody', async () => {
  const { origin, queries } = await startPeer(
    told(bookOf(inner('i1'), innerOf(2, { ids: {} }), innerOf(3, { ids: {} }))),
  );
  const { find } = pairsWith(origin);
  const found = await Promise.all([
    find(outer()),
    find(outer({ id: 'o3', lanes: [{ text: prose(3, 200), atMs: AT }] })),
  ]);
  expect(found.map(({ hop }) => [hop?.inner.id, hop?.pairedBy, hop?.confirmed])).toEqual([
    ['i1', 'content', true],
    ['i3', 'content', true],
  ]);
  // Its clock is known by its answers, before any pair was.
  expect(found[0]?.hop?.clockErrorNs).toBeLessThan(4e6);
  // With the last question only, and at most one for each of the two.
  expect(queries.findIndex((query) => query.includes('content='))).toBeGreaterThan(0);
  expect(queries.filter((query) => query.includes('content=')).length).toBeLessThanOrEqual(2);
});

test('an answer with text before it is found by its end', async () => {
  const { origin } = await startPeer(told(bookOf(inner('i1'), innerOf(2, { ids: {} }))));
  const { hop } = await pairsWith(origin).find(outer(behindBanner));
  expect([hop?.inner.id, hop?.pairedBy, hop?.changes.includes('text_added')]).toEqual(['i1', 'content', true]);
  expect(hop?.curve.endChars.at(-1)).toBe(200);
});

test.each([
  ['two have it', 2],
  ['so many have it that the peer tells none', 9],
])('it is nobody’s when %s', async (_, count) => {
  const { origin } = await startPeer(told(bookOf(...Array.from({ length: count }, (__, at) => inner(`i${at}`)))));
  expect((await pairsWith(origin).find(outer())).unpaired).toEqual({ hop: 'far', reason: 'ambiguous' });
});

test('the same answer long before was another’s: the gateway has it from there', async () => {
  const lanes = [{ text: prose(1, 200), atMs: AT.map((atMs) => LEAD_MS + atMs - 20_000) }];
  const old = inner('old', { openedMs: LEAD_MS - 20_000, endedMs: LEAD_MS - 19_000, lanes });
  const { origin } = await startPeer(told(bookOf(old)));
  expect((await pairsWith(origin).find(outer())).unpaired?.reason).toBe('not_seen');
});

test('an older peer is asked by ids alone', async () => {
  const { origin } = await startPeer(toldByOlder(bookOf(inner('i1'), innerOf(2))));
  const { find } = pairsWith(origin);
  const [byText, byId] = await Promise.all([find(outer()), find(outerOf(2))]);
  expect([byText.unpaired?.reason, byId.hop?.inner.id]).toEqual(['not_seen', 'i2']);
});
