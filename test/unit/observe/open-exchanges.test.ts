// Goal: what is still under way is seen as far as it has come by the latest reading of the tape, and looking decides
// nothing. Method: entries told by hand, and a moment up to which they are all.
import { describe, expect, test } from 'vitest';
import { anchorNow, epochMsOf, nowNs } from '../../../src/base/clock.ts';
import type { OpenExchange } from '../../../src/judge/report.ts';
import type { ObservedExchange } from '../../../src/observe/observed-exchange.ts';
import { createStage, finish, OPENED_AT_NS, text, type Play } from './tape-play.ts';

const CHAT = { model: 'm', stream: true };
const AGE_MS = 3_600_000;

function viewOf(
  play: (exchange: Play) => void,
  opening: Parameters<ReturnType<typeof createStage>['exchange']>[1] = {},
): OpenExchange {
  const { observer, exchange } = createStage({ models: ['m'], toldUpToNs: () => OPENED_AT_NS + AGE_MS * 1e6 });
  play(exchange(1, opening));
  return observer.openExchanges()[0] as OpenExchange;
}

describe('the phase', () => {
  test('is turn while it stands in the admission queue', () => {
    expect(viewOf((play) => play.request(CHAT))).toMatchObject({ phase: 'turn', chunkCount: 0 });
    expect(viewOf((play) => play.request(CHAT).mark('admitted', 1).mark('connectStart', 1)).phase).toBe('head');
  });

  test('is head until the head came', () => {
    expect(viewOf((play) => play.request(CHAT).mark('requestSent', 1))).toMatchObject({ phase: 'head', chunkCount: 0 });
  });

  test('is token until the first token came, whatever else did', () => {
    const view = viewOf((play) => play.request(CHAT).head(1).chunk(2, ': wait\n\n'));
    expect(view).toMatchObject({ phase: 'token', chunkCount: 1 });
    expect(view.silentMs).toBeUndefined();
  });

  test('is stream while tokens come, silent when the last is longer ago than a stall', () => {
    const stream = viewOf((play) => play.request(CHAT).head(1).chunk(AGE_MS, text('a')));
    expect(stream.phase).toBe('stream');
    const silent = viewOf((play) =>
      play
        .request(CHAT)
        .head(1)
        .chunk(AGE_MS - 60_000, text('a')),
    );
    expect(silent.phase).toBe('silent');
    expect(silent.silentMs).toBe(60_000);
  });

  test('is not silent while the client takes no bytes: none are read, and the engine is not to blame', () => {
    const play = (it: Play) =>
      it
        .request(CHAT)
        .head(1)
        .chunk(AGE_MS - 60_000, text('a'))
        .mark('blockedFrom', AGE_MS - 59_000);
    const blocked = viewOf(play);
    expect(blocked.phase).toBe('stream');
    expect(blocked.silentMs).toBe(60_000);
    // It reads again and the engine still says nothing: as with a gap, that time tells nothing of the engine.
    expect(viewOf((it) => play(it).mark('blockedTo', AGE_MS - 50_000)).phase).toBe('stream');
    // It was blocked before its last token and is not since.
    const freed = viewOf((it) =>
      play(it)
        .mark('blockedTo', AGE_MS - 50_000)
        .chunk(AGE_MS - 40_000, text('b')),
    );
    expect(freed.phase).toBe('silent');
  });

  test('goes by the stream: what is usual for it is no silence, four times as much is', () => {
    const slow = (lastAgoMs: number) =>
      viewOf((it) => {
        const reads = Array.from({ length: 12 }, (_, index) => AGE_MS - lastAgoMs - (11 - index) * 5_000);
        reads.reduce((play, atMs) => play.chunk(atMs, text('a')), it.request(CHAT).head(1));
      }).phase;
    expect([slow(15_000), slow(25_000)]).toEqual(['stream', 'silent']);
  });

  test('goes by the class: what is silence for one is none for another', () => {
    const fields = ['x-traffic-class', 'batch'];
    const play = (it: Play) =>
      void it
        .request(CHAT)
        .head(1)
        .chunk(AGE_MS - 500, text('a'));
    expect([viewOf(play).phase, viewOf(play, { fields }).phase]).toEqual(['silent', 'stream']);
  });
});

test('a view has id, age, class, model, route and trace', () => {
  const trace = {
    traceId: 'a'.repeat(32),
    parentSpanId: undefined,
    serverSpanId: '1',
    clientSpanId: '2',
    sampled: false,
  };
  const view = viewOf((play) => play.request(CHAT), { trace, routeIndex: 1 });
  expect(view).toMatchObject({
    id: '0.0-1',
    class: 'default',
    model: 'm',
    route: 'other-route',
    traceId: 'a'.repeat(32),
  });
  expect(view.ageMs).toBe(AGE_MS);
  expect(view.clientUnackedBytes).toBeUndefined();
  expect(viewOf(() => undefined).traceId).toBeUndefined();
});

test('while the tape is still being read, what has been read already is not younger than the latest whole moment', () => {
  const early = viewOf((play) =>
    play
      .request(CHAT)
      .head(1)
      .chunk(AGE_MS + 80, text('a')),
  );
  expect([early.ageMs, early.silentMs, early.phase]).toEqual([AGE_MS + 80, 0, 'stream']);
  const opening = { openedAtNs: OPENED_AT_NS + (AGE_MS + 5) * 1e6 };
  expect(viewOf((play) => play.request(CHAT), opening).ageMs).toBe(0);
});

test('what the kernel holds for a client is the last look in the view, the largest in the record', () => {
  const { observer, sink, exchange } = createStage();
  const play = exchange(1).request(CHAT).head(1).chunk(2, text('a'));
  for (const bytes of [5, 900, 30]) [...observer.openObserved()][0]?.onUnacked(bytes);
  expect(observer.openExchanges()[0]?.clientUnackedBytes).toBe(30);
  finish(play);
  expect(sink.reports[0]?.record.response.clientUnackedMaxBytes).toBe(900);
});

test('looking does not freeze the class or the labels', () => {
  const { observer, sink, exchange } = createStage();
  const play = exchange(1).head(1);
  expect(observer.openExchanges()[0]).toMatchObject({ class: 'default', model: 'other' });
  finish(play.request({ model: 'slow' }).chunk(2, text('a')));
  expect(sink.reports[0]?.labels.class).toBe('batch');
});

test('wall time of an opening is the finer anchored one, unless the relay’s stamp shows that the clock was stepped', () => {
  const { observer, exchange } = createStage();
  const anchor = anchorNow();
  const openedAtNs = nowNs();
  const anchoredMs = epochMsOf(anchor, openedAtNs);
  exchange(1, { openedAtNs, epochMs: Math.floor(anchoredMs) });
  exchange(2, { openedAtNs, epochMs: Math.floor(anchoredMs) + 3_600_000 });
  // From a step on the new time is the anchor.
  exchange(3, { openedAtNs: openedAtNs + 500_000, epochMs: Math.floor(anchoredMs) + 3_600_000 });
  const [first, second, third] = [...observer.openObserved()] as [ObservedExchange, ObservedExchange, ObservedExchange];
  expect(Math.abs(first.openedAtEpochMs - anchoredMs)).toBeLessThan(2);
  expect(second.openedAtEpochMs).toBe(Math.floor(anchoredMs) + 3_600_000);
  expect(third.openedAtEpochMs).toBe(second.openedAtEpochMs + 0.5);
});
