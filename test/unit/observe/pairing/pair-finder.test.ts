// Goal: an exchange that was seen before a hop is reported as soon as its other sight is known, and else after a
// bounded wait with the reason; nothing else waits at all. A2 and its variations are told from both sides.
// Method: tape entries played to an observer on a clock of the test's own.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  PAIR_ABORT_WAIT_MS,
  PAIR_LOOK_EVERY_MS,
  PAIR_WAIT_MS,
  PAIRS_WAITING_MAX_COUNT,
} from '../../../../src/base/pairing-limits.ts';
import type { Report } from '../../../../src/judge/report.ts';
import { createStage, DONE, FINISH, OPENED_AT_NS, type Play, type Stage, text } from '../tape-play.ts';
import { ms, prose } from './sights.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['hrtime', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const ROUTES = [
  { name: 'main', engine: undefined },
  { name: 'edge:gateway', edge: 'gateway', engine: undefined },
];

/** A stage with an edge. Exchanges of both sides open at the same moment unless said. */
function edgeStage(): Stage & {
  outer(n: number, requestId?: string): Play;
  inner(n: number, requestId?: string, openMs?: number): Play;
} {
  const stage = createStage({ routes: ROUTES });
  const open = (n: number, routeIndex: number, requestId: string, openMs = 0): Play =>
    stage
      .exchange(n, { routeIndex, openedAtNs: OPENED_AT_NS + ms(openMs), fields: ['X-Request-Id', requestId] })
      .connected(0.1);
  return {
    ...stage,
    outer: (n, requestId = 'r') => open(n, 1, requestId),
    inner: (n, requestId = 'r', openMs) => open(n, 0, requestId, openMs),
  };
}

/** 100 pieces, 20 ms apart, as case A2 has them. */
const A2 = Array.from({ length: 100 }, (_, index) => ({ atMs: 100 + index * 20, content: `t${index} ` }));
type OutMs = (atMs: number, index: number) => number;

function playBoth(
  stage: ReturnType<typeof edgeStage>,
  outMs: OutMs,
  rewrite: (content: string) => string = text,
): Report[] {
  const [outer, inner] = [stage.outer(1), stage.inner(2)];
  inner.head(90);
  for (const { atMs, content } of A2) inner.chunk(atMs, text(content));
  inner.chunk(2_090, FINISH + DONE).end(2_091);
  outer.head(91);
  for (const [index, { atMs, content }] of A2.entries()) outer.chunk(outMs(atMs, index), rewrite(content));
  outer.chunk(2_092, FINISH + DONE).end(2_093);
  return stage.sink.reports;
}

/** Pieces come out with the last of their group. */
const inGroups =
  (count: number): OutMs =>
  (_, index) =>
    100.5 + (Math.floor(index / count) * count + count - 1) * 20;

describe('A2 a hop that releases every 25 events', () => {
  const [inner, outer] = playedA2();

  function playedA2(): Report[] {
    const stage = edgeStage();
    return playBoth(stage, inGroups(25));
  }

  test('behind it the rhythm is the engine’s, before it four bursts', () => {
    expect([inner?.figures.gapsReceived.count, inner?.figures.gapsReceived.p50Ns]).toEqual([99, ms(20)]);
    expect([outer?.figures.gapsReceived.count, outer?.figures.coalescedCount]).toEqual([3, 96]);
  });

  test('it is named, with its saw of 0 to 480 ms', () => {
    expect(outer?.record.hop).toMatchObject({ name: 'gateway', pairedBy: 'request', confirmed: true, attemptCount: 1 });
    expect(outer?.hop).toMatchObject({ hop: 'gateway', word: 'holds', way: 'size', gapJitterAddedNs: ms(480) });
    expect(outer?.hop?.holdMaxNs).toBe(ms(480.48));
  });

  test('the exchange behind it has no verdict about it', () => {
    expect([inner?.hop, inner?.record.hop, inner?.unpaired]).toEqual([undefined, undefined, undefined]);
  });
});

describe('A2 variations', () => {
  test.each([
    ['every 2 events', inGroups(2), 'size'],
    ['every 10 events', inGroups(10), 'size'],
    ['a timer of 130 ms', (atMs: number) => Math.ceil(atMs / 130) * 130 + 0.3, 'timer'],
    ['everything at the end', () => 2_091, 'until_end'],
  ] as const)('A2 %s', (_, outMs, way) => {
    const [, outer] = playBoth(edgeStage(), outMs);
    expect([outer?.hop?.word, outer?.hop?.way]).toEqual(['holds', way]);
  });

  test('A2 each event at once is passed', () => {
    const [, outer] = playBoth(edgeStage(), (atMs) => atMs + 0.6);
    expect(outer?.hop).toMatchObject({ word: 'passes', holdMaxNs: ms(0.58) });
  });

  test('A2 JSON that was written anew, with fields of the gateway’s and comments between, is the same text', () => {
    const rewrite = (content: string): string =>
      `: ping\n\nevent: x\ndata: {"provider":"gw","choices":[{"delta":{"role":"assistant","content":${JSON.stringify(content)}},"index":0}],"id":"gw-1"}\n\n`;
    const [, outer] = playBoth(edgeStage(), inGroups(25), rewrite);
    expect(outer?.hop).toMatchObject({ word: 'holds', way: 'size' });
    expect(outer?.record.hop).toMatchObject({ confirmed: true, changes: ['keep_alives_added'] });
  });
});

/** A whole answer of one piece. */
function answered(play: Play, content = prose(1, 100), atMs = 50): Play {
  return play
    .head(20)
    .chunk(atMs, text(content))
    .chunk(atMs + 1, FINISH + DONE);
}

describe('waiting', () => {
  test('a pair is reported when its second half ends, in either order', () => {
    const stage = edgeStage();
    const [outer, inner] = [answered(stage.outer(1), undefined, 51), answered(stage.inner(2))];
    outer.end(60);
    expect(stage.sink.reports).toEqual([]);
    inner.end(61);
    expect(stage.sink.reports.map(({ record }) => record.id)).toEqual(['0.0-2', '0.0-1']);
    const other = edgeStage();
    const [late, early] = [answered(other.outer(1), undefined, 51), answered(other.inner(2))];
    early.end(60);
    late.end(61);
    expect(other.sink.reports[1]?.record.hop?.inner.id).toBe('0.0-2');
  });

  test('without another sight it ends after two seconds, with the reason', () => {
    const stage = edgeStage();
    answered(stage.outer(1)).end(60);
    vi.advanceTimersByTime(PAIR_WAIT_MS - PAIR_LOOK_EVERY_MS);
    expect(stage.sink.reports).toEqual([]);
    vi.advanceTimersByTime(2 * PAIR_LOOK_EVERY_MS);
    expect(stage.sink.reports.map(({ unpaired }) => unpaired)).toEqual([{ hop: 'gateway', reason: 'not_seen' }]);
  });

  test('what never reached the hop does not wait', () => {
    const stage = createStage({ routes: ROUTES });
    stage.exchange(1, { routeIndex: 1 }).end(5, { wireEnd: 'connect_error' });
    expect(stage.sink.reports.map(({ unpaired }) => unpaired)).toEqual([undefined]);
  });

  test('too many are reported at once, and so is everything at the end', { timeout: 60_000 }, () => {
    const stage = edgeStage();
    for (let n = 1; n <= PAIRS_WAITING_MAX_COUNT + 1; n += 1) answered(stage.outer(n, `r${n}`), prose(n, 80)).end(60);
    expect(stage.sink.reports.map(({ unpaired }) => unpaired?.reason)).toEqual(['crowded']);
    stage.observer.settleAll();
    expect(stage.sink.reports).toHaveLength(PAIRS_WAITING_MAX_COUNT + 1);
  });

  test('an exchange whose reading failed holds nobody up', () => {
    const stage = edgeStage();
    const inner = stage.inner(2);
    answered(stage.outer(1)).end(60);
    inner.chunk(50, text('x'), { seq: undefined as never });
    vi.advanceTimersByTime(PAIR_WAIT_MS + PAIR_LOOK_EVERY_MS);
    expect(stage.sink.reports.filter(({ record }) => record.edge !== undefined)).toHaveLength(1);
  });
});

describe('a client that left', () => {
  const leave = (play: Play, atMs: number): void => play.end(atMs, { wireEnd: 'client_abort' });

  test('has the time that the hop took to pass it on', () => {
    const stage = edgeStage();
    const [outer, inner] = [stage.outer(1).head(10), stage.inner(2).head(9)];
    inner.chunk(20, text(prose(1, 70)));
    outer.chunk(21, text(prose(1, 70)));
    leave(outer, 30);
    leave(inner, 430);
    expect(stage.sink.reports[1]?.record.hop).toMatchObject({ abortNs: ms(400), changes: [] });
  });

  test('and was not passed on within ten seconds: the one that goes on is named', () => {
    const stage = edgeStage();
    stage.inner(2).head(9).chunk(20, text('a'));
    leave(stage.outer(1).head(10).chunk(21, text('a')), 30);
    vi.advanceTimersByTime(PAIR_ABORT_WAIT_MS - PAIR_LOOK_EVERY_MS);
    expect(stage.sink.reports).toEqual([]);
    vi.advanceTimersByTime(2 * PAIR_LOOK_EVERY_MS);
    const [outer] = stage.sink.reports;
    expect(outer?.record.hop).toMatchObject({
      confirmed: false,
      changes: ['abort_not_passed'],
      inner: { id: '0.0-2' },
    });
    expect([outer?.record.hop?.inner.endAtNs, outer?.hop]).toEqual([undefined, undefined]);
  });

  test('before the hop asked anybody does not wait for ten seconds', () => {
    const stage = edgeStage();
    leave(stage.outer(1), 30);
    vi.advanceTimersByTime(PAIR_WAIT_MS + 2 * PAIR_LOOK_EVERY_MS);
    expect(stage.sink.reports[0]?.unpaired?.reason).toBe('not_seen');
  });
});

test('two hops in a row are each judged by the two sights around them', () => {
  const stage = createStage({
    routes: [...ROUTES, { name: 'edge:second', edge: 'second', engine: undefined }],
  });
  const fields = ['X-Request-Id', 'r'];
  const [first, second, inner] = [1, 2, 0].map((routeIndex, n) =>
    stage.exchange(n + 1, { routeIndex, fields, openedAtNs: OPENED_AT_NS + ms(n) }).connected(0.1),
  );
  for (const [index, play] of [first, second, inner].entries()) answered(play as Play, undefined, 50 - index * 5);
  inner?.end(60);
  second?.end(70);
  first?.end(80);
  const found = stage.sink.reports.map(({ record }) => [record.id, record.hop?.name, record.hop?.inner.id]);
  expect(found.toSorted()).toEqual([
    ['0.0-1', 'gateway', '0.0-2'],
    ['0.0-2', 'second', '0.0-3'],
    ['0.0-3', undefined, undefined],
  ]);
});
