// Goal: what a rubato behind the hop saw is found by asking it, on a clock of its own, with few requests; whatever it
// answers, or fails to, costs the pair and nothing else. Method: a real server that answers out of a real book, its
// clock set apart; sights in few words.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { peerQuery, readPeerAnswer } from '../../../../src/observe/pairing/peer-answer.ts';
import { halfOf, leadOf, middleOf, PeerClock } from '../../../../src/observe/pairing/peer-clock.ts';
import type { Sight } from '../../../../src/observe/pairing/sight.ts';
import { matchTexts } from '../../../../src/observe/pairing/text-match.ts';
import {
  answered,
  bookOf,
  endPeers,
  ENDS,
  innerOf,
  LEAD_MS,
  outerOf,
  pairsWith,
  startPeer,
  told,
  toldByOlder,
} from './peering.ts';
import { ms } from './sights.ts';

afterEach(endPeers);

describe('a peer that saw it', () => {
  test('tells it, and its clock lies in an interval that holds the truth', async () => {
    const { origin } = await startPeer(toldByOlder(bookOf(innerOf(1), innerOf(2))));
    const { hop } = await pairsWith(origin).find(outerOf(1));
    expect(hop).toMatchObject({ name: 'far', pairedBy: 'trace', confirmed: true, inner: { id: 'i1' } });
    // Text waits 3 ms at most, the request 4 ms: the offset is known to the middle of that, ± 3.5 ms.
    expect(hop?.clockErrorNs).toBe(ms(3.5));
    const holds = hop?.curve.innerAtNs.map((inNs, index) => (hop.curve.outerAtNs[index] as number) - inNs) ?? [];
    for (const holdNs of holds) expect(Math.abs(holdNs - ms(3))).toBeLessThanOrEqual(ms(3.5));
  });

  test('tells nothing of other exchanges', async () => {
    const { origin } = await startPeer(told(bookOf(innerOf(2))));
    const { pairs, find } = pairsWith(origin);
    const found = find(outerOf(1));
    setTimeout(() => pairs.settleAll(), 200);
    expect((await found).unpaired).toEqual({ hop: 'far', reason: 'not_seen' });
  });

  test('is asked again when it had not ended there', async () => {
    const book = bookOf();
    const { origin, queries } = await startPeer(told(book));
    const found = pairsWith(origin).find(outerOf(1));
    setTimeout(() => book.add(innerOf(1)), 120);
    expect((await found).hop?.inner.id).toBe('i1');
    expect(queries).toHaveLength(2);
  });

  test('is asked for many at once', async () => {
    const numbers = Array.from({ length: 60 }, (_, n) => n + 1);
    const { origin, queries } = await startPeer(told(bookOf(...numbers.map((n) => innerOf(n)))));
    const { find } = pairsWith(origin);
    const found = await Promise.all(numbers.map((n) => find(outerOf(n))));
    expect(found.map(({ hop }) => hop?.inner.id)).toEqual(numbers.map((n) => `i${n}`));
    expect(queries.length).toBeLessThanOrEqual(8);
  });

  test('has an exchange for one of ours only', async () => {
    const { origin } = await startPeer(told(bookOf(innerOf(1))));
    const { pairs, find } = pairsWith(origin);
    const first = await find(outerOf(1));
    const second = find(outerOf(1, { id: 'again' }));
    setTimeout(() => pairs.settleAll(), 200);
    expect([first.hop?.inner.id, (await second).hop]).toEqual(['i1', undefined]);
  });
});

describe('a peer that is no help', () => {
  test.each([
    ['answers with an error', () => ({ status: 503, body: '' })],
    ['answers what is no JSON', () => ({ body: '<html>' })],
    ['is of another schema', () => ({ body: '{"schema":2,"process":"x","sights":[]}' })],
  ])('%s', async (_, answer) => {
    const { origin } = await startPeer(answer);
    const { pairs, find, log } = pairsWith(origin);
    const found = [find(outerOf(1)), find(outerOf(2))];
    setTimeout(() => pairs.settleAll(), 200);
    for (const one of found) expect((await one).unpaired).toEqual({ hop: 'far', reason: 'peer' });
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  test('is not there', async () => {
    const { pairs, find } = pairsWith('http://127.0.0.1:1');
    const found = find(outerOf(1));
    setTimeout(() => pairs.settleAll(), 200);
    expect((await found).unpaired?.reason).toBe('peer');
  });

  test('never answers: the pair is given up after its time', { timeout: 20_000 }, async () => {
    const server = http.createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ENDS.push(
      () => server.close(),
      () => server.closeAllConnections(),
    );
    const { find } = pairsWith(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect((await find(outerOf(1))).unpaired?.reason).toBe('peer');
  });
});

const PLACES = { chars: [10, 2_000], sums: [1, 2], windows: [0, 3] };

describe('an answer', () => {
  const whole = answered(bookOf(innerOf(1)), 'trace=t1');

  test('survives JSON', () => {
    expect(readPeerAnswer(JSON.stringify(whole))).toEqual(JSON.parse(JSON.stringify(whole)));
  });

  test.each([
    ['a lane whose columns differ in length', { lanes: [{ ...innerOf(1).lanes[0], bytes: [1] }] }],
    ['a moment that is a text', { openedAtNs: '5' }],
    ['a moment that is no whole number', { openedAtNs: 0.5 }],
    ['an outcome that there is not', { outcome: 'fine' }],
    ['a channel that there is not', { lanes: [{ ...innerOf(1).lanes[0], channel: 'smell' }] }],
    ['an id that is too long', { id: 'x'.repeat(500) }],
    ['a span that is none', { trace: { traceId: 'x', serverSpanId: 'y', sampled: true } }],
    [
      'places whose columns differ in length',
      { lanes: [{ ...innerOf(1).lanes[0], places: { ...PLACES, sums: [1] } }] },
    ],
    ['places beyond its end', { lanes: [{ ...innerOf(1).lanes[0], places: PLACES }] }],
    ['places that do not ascend', { lanes: [{ ...innerOf(1).lanes[0], places: { ...PLACES, chars: [200, 200] } }] }],
    ['no facts', { facts: undefined }],
  ])('with %s loses that sight and no other', (_, change) => {
    const sights = [{ ...innerOf(1), ...change }, innerOf(2)];
    const read = readPeerAnswer(JSON.stringify({ ...whole, sights }));
    expect(read?.sights.map(({ id }) => id)).toEqual(['i2']);
  });

  test('holds the sights that were asked for, by any id, once each', () => {
    const both = innerOf(1, { ids: { traceId: 't1', requestId: 'r 1&', responseId: 'a1' } });
    const sought = [outerOf(1, { ids: both.ids }), outerOf(3)];
    const query = peerQuery(sought.map((one) => ({ sight: one, byText: false })));
    expect(answered(bookOf(both, innerOf(2)), query).sights.map(({ id }) => id)).toEqual(['i1']);
  });
});

describe('the clock of another', () => {
  const lead = (outer: Sight, inner: Sight) => leadOf(outer, inner, matchTexts(outer, inner));

  test('is between what the request allows and what the text allows', () => {
    const found = lead(outerOf(1), innerOf(1));
    expect(found).toEqual({ lowNs: ms(LEAD_MS - 3), highNs: ms(LEAD_MS + 4) });
    expect([middleOf(found), halfOf(found)]).toEqual([ms(LEAD_MS + 0.5), ms(3.5)]);
  });

  test('is narrowed by each further pair, and the more so the older it is the less', () => {
    const clock = new PeerClock();
    clock.learn({ lowNs: 0, highNs: 1_000 }, 0);
    clock.learn({ lowNs: 400, highNs: 2_000 }, 0);
    expect(clock.lead(0)).toEqual({ lowNs: 400, highNs: 1_000 });
    expect(clock.lead(1e6)).toEqual({ lowNs: 300, highNs: 1_100 });
    expect(clock.lead(61e9)).toBeUndefined();
  });

  test('is known by when it answers, as long as no pair tells more', () => {
    const clock = new PeerClock();
    clock.learnAnswer({ askedAtNs: 1_000, answeredAtNs: 51_200 }, 1_500);
    expect(clock.lead(1_500)).toEqual({ lowNs: 49_700, highNs: 50_200 });
    clock.learn({ lowNs: 49_900, highNs: 50_000 }, 1_500);
    clock.learnAnswer({ askedAtNs: 2_000, answeredAtNs: 52_100 }, 2_500);
    expect(clock.lead(1_500)).toEqual({ lowNs: 49_900, highNs: 50_000 });
  });

  test('that contradicts all before it counts anew', () => {
    const clock = new PeerClock();
    clock.learn({ lowNs: 0, highNs: 1_000 }, 0);
    expect(clock.within({ lowNs: 5_000, highNs: 6_000 }, 0)).toBeUndefined();
    clock.learn({ lowNs: 5_000, highNs: 6_000 }, 0);
    expect(clock.lead(0)).toEqual({ lowNs: 5_000, highNs: 6_000 });
  });

  test('without text the request alone bounds it', () => {
    const [outer, inner] = [outerOf(1, { lanes: [] }), innerOf(1, { lanes: [] })];
    expect(leadOf(outer, inner, undefined)).toEqual({ lowNs: ms(LEAD_MS + 5 - 340), highNs: ms(LEAD_MS + 4) });
  });
});
