// Goal: what a rubato behind the hop saw is found by asking it, on a clock of its own, with few requests; whatever it
// answers, or fails to, costs the pair and nothing else. Method: a real server that answers out of a real book, its
// clock set apart; sights in few words.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { nowNs } from '../../../../src/base/clock.ts';
import { OuterRoster } from '../../../../src/observe/pairing/outer-roster.ts';
import { PairBook } from '../../../../src/observe/pairing/pair-book.ts';
import type { Pairing } from '../../../../src/observe/pairing/paired.ts';
import { answerPeer, peerQuery, readPeerAnswer } from '../../../../src/observe/pairing/peer-answer.ts';
import { halfOf, leadOf, middleOf, PeerClock } from '../../../../src/observe/pairing/peer-clock.ts';
import { PeerPairs } from '../../../../src/observe/pairing/peer-pairs.ts';
import type { Sight } from '../../../../src/observe/pairing/sight.ts';
import { matchTexts } from '../../../../src/observe/pairing/text-match.ts';
import { catchLog } from '../../telemetry/reports.ts';
import { every, ms, prose, sight, type SightSpec } from './sights.ts';

const ENDS: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ENDS.splice(0)) await end();
});

/** By so much the peer's clock leads ours. */
const LEAD_MS = 1_234_567;

async function startPeer(answer: (query: string) => { status?: number; body: string }) {
  const queries: string[] = [];
  const server = http.createServer((req, res) => {
    const query = (req.url ?? '').split('?')[1] ?? '';
    queries.push(query);
    const { status = 200, body } = answer(query);
    res.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ENDS.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, queries };
}

function pairsWith(origin: string) {
  const log = catchLog();
  const pairs = new PeerPairs({ hop: 'far', origin, tls: { caPem: undefined, insecure: false }, log });
  ENDS.push(() => pairs.close());
  const roster = new OuterRoster();
  const find = (outer: Sight): Promise<Pairing> =>
    new Promise((resolve) => {
      roster.put(outer);
      pairs.find(outer, roster, resolve);
    });
  return { pairs, find, log };
}

const AT = every(100, 10, 20);

function outerOf(n: number, spec: Partial<SightSpec> = {}): Sight {
  const more = { connectedAtNs: ms(1), ...spec.more };
  return sight({
    id: `o${n}`,
    ids: { traceId: `t${n}` },
    endedMs: 340,
    lanes: [{ text: prose(n, 200), atMs: AT }],
    ...spec,
    more,
  });
}

/** It opens 4 ms after the outer one's connection and its text goes in 3 ms before it comes out. */
function innerOf(n: number, spec: Partial<SightSpec> = {}): Sight {
  const lanes = [{ text: prose(n, 200), atMs: AT.map((atMs) => LEAD_MS + atMs - 3) }];
  return sight({
    id: `i${n}`,
    ids: { traceId: `t${n}` },
    openedMs: LEAD_MS + 5,
    endedMs: LEAD_MS + 330,
    lanes,
    ...spec,
  });
}

function bookOf(...sights: Sight[]): PairBook {
  const book = new PairBook();
  for (const one of sights) book.add(one);
  return book;
}

/** What the peer answers, at its own time. */
const answered = (book: PairBook, query: string) => answerPeer(book, query, nowNs() + ms(LEAD_MS));
const told = (book: PairBook) => (query: string) => ({ body: JSON.stringify(answered(book, query)) });
/** One of a version that does not know of texts, nor says when it answers. */
const toldByOlder = (book: PairBook) => (query: string) => {
  const { wholeTexts: _, answeredAtNs: __, ...older } = answered(book, query);
  const sights = older.sights.map((one) => ({ ...one, lanes: one.lanes.map(({ places: ___, ...lane }) => lane) }));
  return { body: JSON.stringify({ ...older, sights }) };
};

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
