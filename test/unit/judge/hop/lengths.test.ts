// Goal: what a slow client, a busy sidecar, a slow upload or two clocks do to a stream is taken off before a hop is
// judged by it, and the lengths that are told are what the hop added. Method: rhythms played through hops of known ways.
import { describe, expect, test } from 'vitest';
import type { HopVerdict } from '../../../../src/judge/delivery/verdict.ts';
import { judgeHop } from '../../../../src/judge/hop/judge-hop.ts';
import { byCount, byTimer, type Hop, hopRecord, type HopSpec, ns, passes, steady } from './records.ts';

function verdict(spec: HopSpec): HopVerdict {
  const found = judgeHop(hopRecord(spec));
  if (found === undefined) throw new Error('there is text on both sides');
  return found;
}

describe('what is ours', () => {
  const held = { pieces: steady(20, 100), hop: byTimer(250, 3) };

  test('a client that does not take what we have is no hold of the hop', () => {
    const found = verdict({ ...held, record: { blockedMs: [100, 2_000] } });
    expect(found).toMatchObject({ word: 'unsure', signs: ['client_blocked'] });
  });

  test('what a blocked client did not touch is judged', () => {
    expect(verdict({ ...held, record: { blockedMs: [100, 180] } })).toMatchObject({ word: 'holds', way: 'timer' });
  });

  test('a pause of our own is taken off', () => {
    const late: Hop = (all) => all.map(({ atMs }) => (atMs >= 400 && atMs < 1_400 ? 1_400 : atMs + 0.3));
    const pauses = [{ startAtNs: ns(400), endAtNs: ns(1_400), cause: 'cpu' as const }];
    expect(verdict({ pieces: steady(20, 100), hop: late, record: { pauses } }).word).toBe('passes');
  });

  test('a pause of our own while the hop still had the text is not', () => {
    const pauses = [
      { startAtNs: ns(400), endAtNs: ns(480), cause: 'cpu' as const },
      { startAtNs: ns(700), endAtNs: ns(760), cause: 'gc' as const },
    ];
    const untilTwo: Hop = (all) => all.map(({ atMs }) => Math.max(2_000, atMs + 0.3));
    const found = verdict({ pieces: steady(20, 100), hop: untilTwo, record: { pauses } });
    expect(found).toMatchObject({ holdMaxNs: ns(1_900) });
    // One that ended just before the text came out may have made it late; two that meet are one.
    const late = [...pauses, { startAtNs: ns(1_900), endAtNs: ns(1_960), cause: 'cpu' as const }];
    const meeting = [...late, { startAtNs: ns(1_959), endAtNs: ns(1_999.9), cause: 'gc' as const }];
    const after = verdict({ pieces: steady(20, 100), hop: untilTwo, record: { pauses: meeting } });
    expect(after).toMatchObject({ holdMaxNs: ns(1_800) });
  });

  test('a stamp that may be late by so much accuses nobody', () => {
    const record = hopRecord(held);
    const errorBoundNs = record.chunks.errorBoundNs.map(() => ns(250));
    expect(judgeHop({ ...record, chunks: { ...record.chunks, errorBoundNs } })?.word).toBe('passes');
  });
});

describe('two clocks', () => {
  test('the verdict rests on what is left without their error', () => {
    expect(verdict({ pieces: steady(20, 100), hop: byTimer(250, 3), clockErrorMs: 10 })).toMatchObject({
      word: 'holds',
      way: 'timer',
    });
    expect(verdict({ pieces: steady(20, 100), hop: byTimer(250, 3), clockErrorMs: 80 }).word).not.toBe('holds');
  });

  test('lengths are lower bounds', () => {
    const found = verdict({ pieces: steady(20, 100), hop: passes(40), clockErrorMs: 10 });
    expect([found.holdMaxNs, found.holdP50Ns]).toEqual([ns(30), ns(30)]);
  });
});

describe('lengths', () => {
  test('of a hop that takes its time before it asks and before it passes on', () => {
    const found = verdict({ pieces: steady(20, 100), hop: passes(3), innerOpenedMs: 12 });
    expect(found).toMatchObject({ ttftAddedNs: ns(15), holdMaxNs: ns(3), holdP95Ns: ns(3), gapJitterAddedNs: 0 });
  });

  test('a slow upload is not the hop’s time', () => {
    const marks = { connectedAtNs: ns(1), requestSentAtNs: ns(800) };
    const whole = { pieces: steady(20, 100, 900), hop: passes(3), record: { marks } };
    expect(verdict({ ...whole, innerOpenedMs: 804 }).ttftAddedNs).toBe(ns(7));
    expect(verdict({ ...whole, innerOpenedMs: 3 }).ttftAddedNs).toBe(ns(5));
  });

  test('a sawtooth adds its height to gaps', () => {
    const found = verdict({ pieces: steady(20, 100), hop: byCount(25) });
    expect([found.gapJitterAddedNs, found.holdMaxNs]).toEqual([ns(480), ns(480.3)]);
  });
});
