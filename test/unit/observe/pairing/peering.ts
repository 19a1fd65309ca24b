// A peer played by a real server that answers out of a real book, on a clock set apart from ours.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { nowNs } from '../../../../src/base/clock.ts';
import { OuterRoster } from '../../../../src/observe/pairing/outer-roster.ts';
import { PairBook } from '../../../../src/observe/pairing/pair-book.ts';
import type { Pairing } from '../../../../src/observe/pairing/paired.ts';
import { answerPeer } from '../../../../src/observe/pairing/peer-answer.ts';
import { PeerPairs } from '../../../../src/observe/pairing/peer-pairs.ts';
import type { Sight } from '../../../../src/observe/pairing/sight.ts';
import { catchLog } from '../../telemetry/reports.ts';
import { every, ms, prose, sight, type SightSpec } from './sights.ts';

export const ENDS: (() => unknown)[] = [];
/** To be called after each test. */
export async function endPeers(): Promise<void> {
  for (const end of ENDS.splice(0)) await end();
}

/** By so much the peer's clock leads ours. */
export const LEAD_MS = 1_234_567;

export async function startPeer(answer: (query: string) => { status?: number; body: string }) {
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

export function pairsWith(origin: string) {
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

export const AT = every(100, 10, 20);

export function outerOf(n: number, spec: Partial<SightSpec> = {}): Sight {
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
export function innerOf(n: number, spec: Partial<SightSpec> = {}): Sight {
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

export function bookOf(...sights: Sight[]): PairBook {
  const book = new PairBook();
  for (const one of sights) book.add(one);
  return book;
}

/** What the peer answers, at its own time. */
export const answered = (book: PairBook, query: string) => answerPeer(book, query, nowNs() + ms(LEAD_MS));
export const told = (book: PairBook) => (query: string) => ({ body: JSON.stringify(answered(book, query)) });
/** One of a version that does not know of texts, nor says when it answers. */
export const toldByOlder = (book: PairBook) => (query: string) => {
  const { wholeTexts: _, answeredAtNs: __, ...older } = answered(book, query);
  const sights = older.sights.map((one) => ({ ...one, lanes: one.lanes.map(({ places: ___, ...lane }) => lane) }));
  return { body: JSON.stringify({ ...older, sights }) };
};
