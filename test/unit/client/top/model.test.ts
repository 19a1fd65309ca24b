// Goal: the model holds what the feed said, once, for as long as it matters, and notices what it missed.
// Method: events by hand, the view afterwards.
import { describe, expect, test } from 'vitest';
import { LIVE_KNOWN_ENDED_MAX_COUNT, LIVE_KNOWN_OPEN_MAX_COUNT } from '../../../../src/base/live-limits.ts';
import { TopModel, type TopStream } from '../../../../src/client/top/model.ts';
import { stripColumns } from '../../../../src/client/top/strip-columns.ts';
import { about, AT, beat, classSummary, columns, ended, hello, open, state } from './feed-events.ts';

function started(part: Parameters<typeof hello>[0] = {}): TopModel {
  const model = new TopModel('http://127.0.0.1:9464', 1_000);
  model.hello(hello(part), 2_000);
  return model;
}

const strip = (fromBin: number, bins: string) => ({ fromBin, received: bins, flushed: bins });

function received({ strip: known }: TopStream, nowBin: number): number[] {
  if (known === undefined) return [];
  const frame = { nowBin, columnCount: 2, binsEach: 1 };
  return stripColumns(known, frame).map(({ receivedCount }) => receivedCount);
}

describe('beats', () => {
  test('replace the open streams and are told apart by their number', () => {
    const model = started({ beat: beat({ seq: 7, open: [open({ id: '0-1' })] }) });
    expect(model.beat(beat({ seq: 8, openCount: 650, open: [open({ id: '0-2' })] }), 3_000)).toBe(true);
    const { openCount, streams } = model.view();
    expect([openCount, streams.map(({ id }) => id)]).toEqual([650, ['0-2']]);
  });

  test('that are missed ask for a fresh start; told twice or late they change nothing', () => {
    const model = started({ beat: beat({ seq: 7, open: [open({ id: '0-1' })] }) });
    expect(model.beat(beat({ seq: 9 }), 3_000)).toBe(false);
    expect(model.beat(beat({ seq: 6, open: [] }), 3_000)).toBe(true);
    expect(model.view().streams.map(({ id }) => id)).toEqual(['0-1']);
  });

  test('before any hello are nothing to build on', () => {
    expect(new TopModel('http://127.0.0.1:9464', 1_000).beat(beat(), 2_000)).toBe(false);
  });
});

describe('streams', () => {
  test('that ended stand behind the open ones, the latest first, and each once', () => {
    const model = started({
      beat: beat({ ended: [ended({ id: '0-1' }), ended({ id: '0-2' })], open: [open({ id: '0-3' })] }),
    });
    model.beat(beat({ seq: 2, ended: [ended({ id: '0-1', stallCount: 3 })], open: [open({ id: '0-3' })] }), 3_000);
    expect(model.view().streams.map(({ id, isOpen, stallCount }) => [id, isOpen, stallCount])).toEqual([
      ['0-3', true, 0],
      ['0-1', false, 3],
      ['0-2', false, 0],
    ]);
  });

  test('show an unknown length as unknown', () => {
    const { silentMs: _, gapMaxMs: __, ...young } = open({ phase: 'token' });
    const [stream] = started({ beat: beat({ open: [young] }) }).view().streams;
    expect([stream?.silentMs, stream?.gapMaxMs, stream?.strip]).toEqual([undefined, undefined, undefined]);
  });

  test('keep their strip over their end', () => {
    const model = started({ beat: beat({ open: [open({ id: '0-1', strip: strip(AT / 50 - 1, '12') })] }) });
    model.beat(beat({ seq: 2, atEpochMs: AT + 500, ended: [ended({ id: '0-1' })] }), 3_000);
    expect(model.view().streams.map((each) => received(each, AT / 50))).toEqual([[1, 2]]);
    // Behind the length of a strip there is nothing left to show of it.
    expect(model.view().streams.map((each) => received(each, AT / 50 + 600))).toEqual([[0, 0]]);
  });

  test('that came and went between two beats have the strip that was told with their end', () => {
    const model = started();
    model.beat(beat({ seq: 2, ended: [ended({ id: '0-1', strip: strip(AT / 50 - 1, '34') })] }), 3_000);
    expect(model.view().streams.map((each) => received(each, AT / 50))).toEqual([[3, 4]]);
  });

  test('are bounded, whatever the other side sends', () => {
    const model = started();
    const many = Array.from({ length: LIVE_KNOWN_OPEN_MAX_COUNT + 50 }, (_, at) => `1-${at}`);
    for (let seq = 2; seq < 6; seq += 1) {
      const all = many.map((id) => `${seq}-${id}`);
      model.beat(
        beat({
          seq,
          ended: all.map((id) => ended({ id })),
          open: all.map((id) => open({ id, strip: strip(AT / 50, '1') })),
        }),
        3_000,
      );
    }
    model.beat(beat({ seq: 6 }), 3_000);
    const { streams } = model.view();
    expect(streams).toHaveLength(LIVE_KNOWN_ENDED_MAX_COUNT);
    // Strips of streams that are not listed any more are let go as well.
    expect(streams.filter((each) => each.strip !== undefined).length).toBeLessThanOrEqual(LIVE_KNOWN_OPEN_MAX_COUNT);
  });
});

test('columns are kept once each, in order, and only as many as the feed remembers', () => {
  const model = started({ about: about({ columnsMaxCount: 3 }), beat: beat({ columns: columns([{}, {}], 5_000) }) });
  model.beat(beat({ seq: 2, columns: columns([{}, {}, {}], 4_000) }), 3_000);
  expect(model.view().columns.map(({ atEpochMs }) => atEpochMs - AT)).toEqual([-6_000, -5_000, -4_000]);
  model.beat(beat({ seq: 3, columns: columns([{}], 3_000) }), 3_000);
  expect(model.view().columns.map(({ atEpochMs }) => atEpochMs - AT)).toEqual([-5_000, -4_000, -3_000]);
});

describe('exchanges a second', () => {
  test('are those of the last states, and unknown before there are two', () => {
    const model = started({ state: state({ atEpochMs: AT, classes: [classSummary({ exchangeCount: 100 })] }) });
    expect(model.view().exchangesPerSecond).toBeUndefined();
    model.state(state({ atEpochMs: AT + 2_000, classes: [classSummary({ exchangeCount: 125 })] }));
    expect(model.view().exchangesPerSecond).toBe(12.5);
    for (let at = 2; at <= 20; at += 1)
      model.state(state({ atEpochMs: AT + at * 2_000, classes: [classSummary({ exchangeCount: 125 })] }));
    expect(model.view().exchangesPerSecond).toBe(0);
  });

  test('do not fall to a minus when the sidecar begins anew', () => {
    const model = started({ state: state({ atEpochMs: AT, classes: [classSummary({ exchangeCount: 100 })] }) });
    const again = state({ atEpochMs: AT + 9_000, classes: [classSummary({ exchangeCount: 2 })] });
    model.hello(hello({ about: about({ process: 'second' }), state: again }), 9_000);
    expect(model.view().exchangesPerSecond).toBeUndefined();
  });
});

describe('another process', () => {
  test('makes void what was known, and it is told since when', () => {
    const model = started({ beat: beat({ ended: [ended()], columns: columns([{}], 0) }) });
    model.hello(hello({ about: about({ process: 'second' }) }), 9_000);
    const { streams, columns: left, restartedAtEpochMs } = model.view();
    expect([streams, left, restartedAtEpochMs]).toEqual([[], [], 9_000]);
  });

  test('is not the same one that we reached again', () => {
    const model = started({ beat: beat({ ended: [ended()] }) });
    model.setLink('lost', 5_000, 'it cut the connection');
    model.hello(hello({ beat: beat({ seq: 40 }) }), 9_000);
    const { streams, restartedAtEpochMs, link } = model.view();
    expect([streams.length, restartedAtEpochMs, link]).toEqual([1, undefined, { word: 'live', sinceEpochMs: 9_000 }]);
  });
});

test('a link that is lost is so since it was lost, not since the last attempt', () => {
  const model = started();
  model.setLink('lost', 5_000, 'it cut the connection');
  model.setLink('lost', 6_000, 'nothing listens there');
  expect(model.view().link).toEqual({ word: 'lost', sinceEpochMs: 5_000, says: 'nothing listens there' });
});
