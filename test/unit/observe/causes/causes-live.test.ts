// Goal: each cause is named where it is at work, told while the stream runs, kept in the record, and judged alike
// again from there. Method: engines in steps, played to the real observer; no clock.
import { describe, expect, test } from 'vitest';
import { judgeStalls } from '../../../../src/judge/causes/judge-stall.ts';
import type { StreamRecord } from '../../../../src/record/stream-record.ts';
import { OPENED_AT_NS } from '../tape-play.ts';
import { playRoute, steps, type StreamSpec } from './route-play.ts';

const at = (ms: number): number => OPENED_AT_NS + ms * 1e6;

/** Three streams in step, which pause together where `holes` are: from, to. */
function inStep(untilMs: number, holes: readonly (readonly [number, number])[] = [], phasesMs = [0, 0.1, 0.2]) {
  const reads = steps(200, untilMs).filter((ms) => !holes.some(([from, to]) => ms > from && ms < to));
  return Object.fromEntries(
    phasesMs.map((phaseMs, index): [string, StreamSpec] => [
      `s${index}`,
      { openMs: index, reads: reads.map((ms) => ms + phaseMs) },
    ]),
  );
}

/** Exchanges whose prompts cost the others 40 ms each: they teach what reading so much costs. */
const LESSONS: Record<string, StreamSpec> = Object.fromEntries(
  [4_000, 4_200, 3_900].map((promptBytes, index) => {
    const openMs = 4_000 + index * 500;
    return [`lesson${index}`, { openMs: openMs + 1, promptBytes, reads: steps(openMs + 60, openMs + 160) }];
  }),
);
const LESSON_HOLES = [
  [4_000, 4_060],
  [4_500, 4_560],
  [5_000, 5_060],
] as const;

describe('causes of stalls, live', () => {
  test('a long prompt that is read while others wait is prefill interference, and is told while they run', () => {
    const streams = {
      ...inStep(9_000, [...LESSON_HOLES, [6_000, 6_160]]),
      ...LESSONS,
      long: { openMs: 6_001, promptBytes: 16_000, reads: steps(6_160, 6_500) },
    };
    const played = playRoute(streams);
    expect(played.faults).toEqual([]);
    expect(played.told.map(({ model, verdict }) => [model, verdict.cause])).toEqual([
      ['s0', 'prefill_interference'],
      ['s1', 'prefill_interference'],
      ['s2', 'prefill_interference'],
    ]);
    const verdict = played.told[0]?.verdict;
    expect(verdict).toMatchObject({ confidence: 0.95, signs: ['first_token', 'cost', 'others_paused'] });
    expect(verdict?.numbers).toMatchObject({ promptBytes: 16_004, excessMs: 140 });
  });

  test('every stream at once, with nobody arriving, is the host', () => {
    const played = playRoute(inStep(9_000, [[6_000, 6_160]]));
    expect(played.told.map(({ verdict }) => verdict.cause)).toEqual(['host', 'host', 'host']);
  });

  test('a long prompt that stands in the admission queue meanwhile is in nobody’s way', () => {
    const inLine = { openMs: 5_990, promptBytes: 16_000, turnMs: 9_500, reads: [9_600] };
    const played = playRoute({ ...inStep(9_000, [...LESSON_HOLES, [6_000, 6_160]]), ...LESSONS, inLine });
    expect(played.told.map(({ verdict }) => verdict.cause)).toEqual(['host', 'host', 'host']);
    const stalls = played.reportOf('s0').record.stalls ?? [];
    expect(stalls.flatMap(({ arrivals }) => arrivals)).toEqual([]);
  });

  test('a pause far longer than the prompt that arrives can cost is the host all the same', () => {
    const short = { openMs: 6_001, promptBytes: 400, reads: steps(6_400, 6_500) };
    const played = playRoute({ ...inStep(9_000, [...LESSON_HOLES, [6_000, 6_400]]), ...LESSONS, short });
    const ofThree = played.told.filter(({ model }) => model.startsWith('s'));
    expect(ofThree.filter(({ model }) => model !== 'short').map(({ verdict }) => verdict.cause)).toEqual([
      'host',
      'host',
      'host',
    ]);
  });

  test('one stream that stops while others go on was preempted where the engine counts it, else nobody knows', () => {
    const { s0, ...others } = inStep(9_000) as Record<'s0' | 's1' | 's2', StreamSpec>;
    const thrownOut = { ...s0, reads: [...steps(200, 5_000), ...steps(6_200, 9_000)] };
    const counted = playRoute(
      { ...others, thrownOut },
      {
        samples: [
          { atNs: at(4_000), preemptedCount: 3, kvUsedRatio: 0.99 },
          { atNs: at(6_900), preemptedCount: 4 },
        ],
      },
    );
    expect(counted.told.map(({ model, verdict }) => [model, verdict.cause])).toEqual([['thrownOut', 'preemption']]);
    const uncounted = playRoute({ ...others, thrownOut });
    expect(uncounted.told.map(({ verdict }) => verdict.cause)).toEqual(['unknown']);
  });

  test('one stream that stops and then gets all that it missed lost its packets on the way', () => {
    const { s0, ...others } = inStep(9_000) as Record<'s0' | 's1' | 's2', StreamSpec>;
    const cut = { ...s0, reads: [...steps(200, 5_000), [5_200, 11] as const, ...steps(5_220, 9_000)] };
    const played = playRoute({ ...others, cut });
    expect(played.told.map(({ model, verdict }) => [model, verdict.cause])).toEqual([['cut', 'network']]);
    expect(played.told[0]?.verdict.signs).toContain('retransmission');
  });

  test('steps that stay long after the batch has grown are growth', () => {
    const before = steps(200, 5_000);
    const after = steps(5_110, 9_000, 110);
    const old = { openMs: 0, reads: [...before, ...after] };
    const joined = Object.fromEntries(
      Array.from({ length: 9 }, (_, index): [string, StreamSpec] => [
        `new${index}`,
        { openMs: 4_500, promptBytes: 40, reads: [4_960, ...after] },
      ]),
    );
    const played = playRoute({ old, ...joined });
    expect(new Set(played.told.filter(({ model }) => model === 'old').map(({ verdict }) => verdict.cause))).toEqual(
      new Set(['growth']),
    );
  });
});

describe('what is told', () => {
  test('adds up to the stalled gaps, once the exchanges have ended', () => {
    const played = playRoute({
      ...inStep(9_000, [
        [6_000, 6_160],
        [7_000, 7_300],
        [8_990, 9_300],
      ]),
      ...LESSONS,
    });
    const stallCount = played.told.length;
    const reports = ['s0', 's1', 's2'].map((model) => played.reportOf(model));
    expect(reports.reduce((sum, { figures }) => sum + figures.stallCount, 0)).toBe(stallCount);
  });

  test('is judged alike from the record, after a way through JSON', () => {
    const played = playRoute({
      ...inStep(9_000, [
        [6_000, 6_160],
        [7_000, 7_300],
      ]),
      ...LESSONS,
    });
    for (const model of ['s0', 's1', 's2']) {
      const { record, stalls } = played.reportOf(model);
      expect(stalls).toHaveLength(2);
      const again = JSON.parse(JSON.stringify(record)) as StreamRecord;
      expect(judgeStalls(again, {})).toEqual(stalls);
    }
  });
});
