// Goal: what a watcher knows is what the feed said, once, in order, and within bounds. Method: events are applied one
// after the other and the model is looked at.
import { describe, expect, test } from 'vitest';
import { LIVE_KNOWN_ENDED_MAX_COUNT, LIVE_KNOWN_OPEN_MAX_COUNT } from '../../../../src/base/live-limits.ts';
import { applyBeat, applyState, startModel, type LiveModel } from '../../../../src/telemetry/live/model.ts';
import { liveBeat, liveEnded, liveHello, liveOpen, liveState, NOW_EPOCH_MS } from '../../../support/live-events.ts';

const column = (atEpochMs: number, count = 1) => ({ atEpochMs, counts: { chat: [count, 0, 0] } });

function applied(model: LiveModel, ...beats: Parameters<typeof applyBeat>[1][]): LiveModel {
  return beats.reduce<LiveModel>((known, beat) => {
    const next = applyBeat(known, beat);
    if (next === undefined) throw new Error(`beat ${beat.seq} was taken for one too far`);
    return next;
  }, model);
}

describe('the model', () => {
  test('begins with all that is remembered', () => {
    const strip = { fromBin: 100, received: '12', flushed: '12' };
    const beat = liveBeat(7, { columns: [column(1), column(2)], open: [liveOpen('a', { strip })], openCount: 9 });
    const model = startModel(liveHello('p1', beat));
    expect(model).toMatchObject({ seq: 7, openCount: 9 });
    expect(model.columns.map(({ atEpochMs }) => atEpochMs)).toEqual([1, 2]);
    expect([...(model.open[0]?.strip?.received ?? [])]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
  });

  test('takes beats in order and says when one was missed', () => {
    const model = startModel(liveHello('p1', liveBeat(7)));
    expect(applyBeat(model, liveBeat(8))?.seq).toBe(8);
    expect(applyBeat(model, liveBeat(9))).toBeUndefined();
  });

  test('does not go back to a beat that is over, and takes one twice without harm', () => {
    const beat = liveBeat(8, { columns: [column(5)], ended: [liveEnded('a')] });
    const model = applied(startModel(liveHello('p1', liveBeat(7))), beat);
    expect(applyBeat(model, liveBeat(7, { openCount: 3 }))).toBe(model);
    expect(applyBeat(model, beat)).toEqual(model);
  });

  test('keeps strips of streams that said nothing new, and of no other stream', () => {
    const strip = { fromBin: 100, received: '1', flushed: '1' };
    const first = startModel(liveHello('p1', liveBeat(1, { open: [liveOpen('a', { strip })] })));
    const model = applied(first, liveBeat(2, { open: [liveOpen('a'), liveOpen('b')] }));
    expect(model.open.map(({ strip: each }) => each?.endBin)).toEqual([101, undefined]);
  });

  test('gives a stream that ended the strip that it had', () => {
    const strip = { fromBin: 100, received: '1', flushed: '1' };
    const first = startModel(liveHello('p1', liveBeat(1, { open: [liveOpen('a', { strip })] })));
    const model = applied(first, liveBeat(2, { ended: [liveEnded('b'), liveEnded('a')] }));
    expect(model.open).toEqual([]);
    expect(model.ended.map(({ id, strip: each }) => [id, each?.endBin])).toEqual([
      ['a', 101],
      ['b', undefined],
    ]);
  });

  test('completes the strip of a stream that ended with the bins that came with its end', () => {
    const first = startModel(
      liveHello('p1', liveBeat(1, { open: [liveOpen('a', { strip: { fromBin: 100, received: '12', flushed: '' } })] })),
    );
    const strip = { fromBin: 101, received: '34', flushed: '' };
    const model = applied(first, liveBeat(2, { ended: [liveEnded('a', { strip }), liveEnded('b', { strip })] }));
    expect(model.ended.map(({ strip: each }) => [...(each?.received.slice(-3) ?? [])])).toEqual([
      [0, 3, 4],
      [1, 3, 4],
    ]);
  });

  test('replaces an ended stream that is told again, such as with a cause, and keeps its strip', () => {
    const strip = { fromBin: 100, received: '1', flushed: '1' };
    const first = startModel(liveHello('p1', liveBeat(1, { open: [liveOpen('a', { strip })] })));
    const model = applied(
      first,
      liveBeat(2, { ended: [liveEnded('a')] }),
      liveBeat(3, { ended: [liveEnded('a', { stallCount: 1 })] }),
    );
    expect(model.ended.map(({ row, strip: each }) => [row.stallCount, each?.endBin])).toEqual([[1, 101]]);
  });

  test('keeps as many columns as there may be, and one that is told again once', () => {
    const model = applied(
      startModel(liveHello('p1', liveBeat(1, { columns: [column(1), column(2)] }))),
      liveBeat(2, { columns: [column(3), column(4)] }),
      liveBeat(3, { columns: [column(4, 9)] }),
    );
    expect(model.columns).toEqual([column(2), column(3), column(4, 9)]);
  });

  test('is bounded, whatever the feed lists', () => {
    const open = Array.from({ length: LIVE_KNOWN_OPEN_MAX_COUNT + 1 }, (_, index) => liveOpen(`o${index}`));
    const ended = Array.from({ length: LIVE_KNOWN_ENDED_MAX_COUNT + 1 }, (_, index) => liveEnded(`e${index}`));
    const model = startModel(liveHello('p1', liveBeat(1, { open, ended })));
    expect(model.open.length).toBe(LIVE_KNOWN_OPEN_MAX_COUNT);
    expect(model.ended.length).toBe(LIVE_KNOWN_ENDED_MAX_COUNT);
    expect(model.ended[0]?.id).toBe(`e${LIVE_KNOWN_ENDED_MAX_COUNT}`);
  });

  test('forgets what another process knew, and keeps what the same one had said', () => {
    const before = startModel(liveHello('p1', liveBeat(4, { ended: [liveEnded('a')] })));
    expect(startModel(liveHello('p2', liveBeat(1)), before).ended).toEqual([]);
    expect(startModel(liveHello('p1', liveBeat(9)), before).ended.map(({ id }) => id)).toEqual(['a']);
  });

  test('takes a state whole, and nothing else with it', () => {
    const model = startModel(liveHello('p1', liveBeat(4)));
    const state = liveState(NOW_EPOCH_MS + 9);
    expect(applyState(model, state)).toEqual({ ...model, state });
    const about = { ...model.about, stallMs: { default: 250 } };
    expect(applyState(model, { ...state, about })).toEqual({ ...model, about, state: { ...state, about } });
  });
});
