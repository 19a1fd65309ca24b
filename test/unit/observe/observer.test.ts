// Goal: entries of the tape become calls of the sinks in the order of the wire and one report an exchange, and no
// fault of a sink, a classifier or a relay reaches further than itself.
// Method: hand-made entries told to an observer; every call of its sinks kept.
import { describe, expect, test } from 'vitest';
import { nowNs } from '../../../src/base/clock.ts';
import { MODELS_MAX_COUNT, ROSTER_MAX_COUNT } from '../../../src/base/limits.ts';
import { catchSink, createStage, DONE, FINISH, OPENED_AT_NS, text, type Play } from './tape-play.ts';

const CHAT = { model: 'm', stream: true, messages: [{ role: 'user', content: 'hello' }] };

/** A stream with two tokens 20 ms apart. */
function playChat(play: Play, model = 'm'): void {
  play
    .request({ ...CHAT, model })
    .head(50)
    .chunk(100, text('a'))
    .chunk(120, text('b'))
    .chunk(130, FINISH + DONE)
    .end(131);
}

test('sinks are told in the order of the wire', () => {
  const { sink, faults, exchange } = createStage();
  exchange(1)
    .request(CHAT)
    .head(50)
    .chunk(60, ': comment\n\n')
    .chunk(100, text('a') + text('b'))
    .chunk(120, text('c').slice(0, 20))
    .chunk(125, text('c').slice(20))
    .chunk(400, text('d'), { unflushed: true })
    .flush(405, 4)
    .chunk(410, FINISH + DONE)
    .end(411);
  expect(sink.calls).toEqual([
    'coalesced 1',
    'first token 100020000',
    'first visible 100020000',
    'gap received 25000000',
    'gap flushed 25000000',
    'gap received 275000000 stalled',
    'gap flushed 279980000',
    'report 0.0-1 ok',
  ]);
  expect(faults).toEqual([]);
});

test('the moments of an exchange lie on its own opening, wherever the clock stands', () => {
  const [early, late] = [createStage(), createStage()];
  playChat(early.exchange(1, { openedAtNs: 5 }));
  playChat(late.exchange(1, { openedAtNs: 2 ** 52 }));
  expect(late.sink.calls).toEqual(early.sink.calls);
  expect(late.sink.reports[0]?.record.marks).toEqual(early.sink.reports[0]?.record.marks);
});

describe('exchanges', () => {
  test('that run at the same time stay apart, also those of relays with the same numbers', () => {
    const { observer, sink, handler } = createStage();
    const handlers = [handler, observer.handlerFor(1, 0, () => undefined), observer.handlerFor(0, 1, () => undefined)];
    const plays = handlers.map((one) => {
      one.onOpen({
        exchange: 35,
        openedAtNs: OPENED_AT_NS,
        openedErrorBoundNs: 0,
        epochMs: 0,
        routeIndex: 9,
        clientPort: 1,
        localPort: 1,
        clientAddress: '',
        method: 'GET',
        target: '/',
        fields: [],
        upgrade: false,
        http2: false,
        trace: undefined,
      });
      return one;
    });
    expect(observer.openExchanges().map(({ id }) => id)).toEqual(['0.0-z', '1.0-z', '0.1-z']);
    for (const one of plays.toReversed()) {
      one.onEnd({
        exchange: 35,
        atNs: OPENED_AT_NS,
        wireEnd: 'client_abort',
        reason: '',
        answeredByUs: false,
        chunkCount: 0,
        receivedBytes: 0,
        deliveredBytes: 0,
        requestBytes: 0,
      });
    }
    expect(sink.calls).toEqual(['report 0.1-z client_abort', 'report 1.0-z client_abort', 'report 0.0-z client_abort']);
    expect(sink.reports.map(({ labels }) => labels.route)).toEqual(['default', 'default', 'default']);
  });

  test('that nobody opened, or that are over, are nothing', () => {
    const { sink, observer, handler, faults, exchange } = createStage();
    const play = exchange(1);
    playChat(play);
    const told = sink.calls.length;
    play
      .mark('blockedFrom', 200)
      .connected(200)
      .head(200)
      .chunk(200, text('x'))
      .requestBytes(0, Buffer.from('{}'))
      .end(201);
    handler.onFlush({ exchange: 99, seq: 0, atNs: 1 });
    expect([sink.calls.length, observer.openExchanges(), faults, observer.detachedCount]).toEqual([told, [], [], 0]);
  });

  test('beyond the roster are not followed, counted, and followed again when there is room', () => {
    const { observer, sink, exchange } = createStage();
    const plays = Array.from({ length: ROSTER_MAX_COUNT }, (_, index) => exchange(index));
    expect(observer.unfollowedCount).toBe(0);
    const left = exchange(ROSTER_MAX_COUNT);
    expect([observer.unfollowedCount, observer.openExchanges().length]).toEqual([1, ROSTER_MAX_COUNT]);
    playChat(left);
    expect(sink.calls).toEqual([]);
    playChat(plays[7] as Play);
    playChat(exchange(ROSTER_MAX_COUNT + 1));
    expect([observer.unfollowedCount, sink.reports.length]).toEqual([1, 2]);
  });
});

describe('a fault', () => {
  test('of a sink is counted and told, and the other sinks hear everything', () => {
    const [before, after] = [catchSink('before'), catchSink('after')];
    const broken = {
      name: 'broken',
      onFirstToken: () => {
        throw new Error('no token');
      },
      onReport: () => {
        throw new Error('no report');
      },
    };
    const { observer, faults, exchange } = createStage({ sinks: [before, broken, after] });
    playChat(exchange(1));
    expect(after.calls).toEqual(before.calls);
    expect(after.calls.at(-1)).toBe('report 0.0-1 ok');
    expect([faults, observer.detachedCount]).toEqual([['sink broken: no token', 'sink broken: no report'], 2]);
  });

  test('in reading one exchange ends that one alone, without a report', () => {
    const { observer, sink, faults, exchange } = createStage({
      classifier: {
        classify({ model }) {
          if (model === 'bad') throw new Error('classifier');
          return { name: 'default', stallMs: 100, rules: [] };
        },
      },
    });
    const [good, bad] = [exchange(1), exchange(2)];
    playChat(bad, 'bad');
    playChat(good);
    expect([faults, observer.detachedCount]).toEqual([['exchange: classifier'], 1]);
    expect(sink.reports.map(({ record }) => record.id)).toEqual(['0.0-1']);
    expect(observer.openExchanges()).toEqual([]);
  });
});

describe('a relay that died', () => {
  test('cuts what it had open, and only that', () => {
    const { observer, sink, handler, exchange } = createStage();
    exchange(1).request(CHAT).head(50).chunk(100, text('a'));
    exchange(2);
    observer
      .handlerFor(0, 1, () => undefined)
      .onOpen({
        exchange: 1,
        openedAtNs: nowNs(),
        openedErrorBoundNs: 0,
        epochMs: 0,
        routeIndex: 0,
        clientPort: 1,
        localPort: 1,
        clientAddress: '',
        method: 'GET',
        target: '/',
        fields: [],
        upgrade: false,
        http2: false,
        trace: undefined,
      });
    handler.relayGone();
    expect(
      sink.reports.map(({ record }) => [record.id, record.end.outcome, record.end.phase, record.end.reason]),
    ).toEqual([
      ['0.0-1', 'internal_error', 'mid_stream', 'relay died'],
      ['0.0-2', 'internal_error', 'before_head', 'relay died'],
    ]);
    expect(sink.reports[0]?.record).toMatchObject({
      response: { chunkCount: 1, receivedBytes: text('a').length },
      doubts: [],
    });
    expect(observer.openExchanges().map(({ id }) => id)).toEqual(['0.1-1']);
  });
});

describe('the model label', () => {
  const labelOf = (stage: ReturnType<typeof createStage>) => stage.sink.reports.at(-1)?.labels.model;

  test('is earned by an exchange that ended well, and is there from the next one on', () => {
    const stage = createStage();
    playChat(stage.exchange(1));
    expect(labelOf(stage)).toBe('other');
    playChat(stage.exchange(2));
    expect(labelOf(stage)).toBe('m');
  });

  test('is not earned by one that failed', () => {
    const stage = createStage();
    stage
      .exchange(1)
      .request(CHAT)
      .head(5, { status: 404, fields: ['content-type', 'application/json'] })
      .chunk(6, '{}')
      .end(7);
    stage.exchange(2).request(CHAT).head(5).chunk(6, text('a')).end(7, { wireEnd: 'upstream_aborted' });
    playChat(stage.exchange(3));
    expect(labelOf(stage)).toBe('other');
  });

  test('is there at once for configured names, up to the cap', () => {
    const models = Array.from({ length: MODELS_MAX_COUNT }, (_, index) => `m${index}`);
    const stage = createStage({ models });
    playChat(stage.exchange(1), 'm19');
    expect(labelOf(stage)).toBe('m19');
    playChat(stage.exchange(2), 'late');
    playChat(stage.exchange(3), 'late');
    expect([labelOf(stage), stage.observer.foldedModelCount]).toEqual(['other', 1]);
  });

  test('is frozen at the first token, or at the end when none comes', () => {
    const stage = createStage();
    const speaking = stage.exchange(1).request(CHAT).head(50).chunk(100, text('a'));
    const silent = stage.exchange(2).request(CHAT).head(50).chunk(100, ': wait\n\n');
    playChat(stage.exchange(3));
    speaking.chunk(130, FINISH + DONE).end(131);
    expect(labelOf(stage)).toBe('other');
    silent.chunk(130, FINISH + DONE).end(131);
    expect(labelOf(stage)).toBe('m');
    expect(stage.sink.reports.map(({ record, labels }) => record.labels.model === labels.model)).toEqual([
      true,
      true,
      true,
    ]);
  });
});
