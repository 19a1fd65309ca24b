// The engine in virtual time tells what the scheduler did, and why each gap was as long as it was. Method: as the
// scheduler's own test, round numbers; what a stream is used to and what came on top is worked out on paper.
import { describe, expect, test } from 'vitest';
import { gapShares, largestShare, usualGap } from '../../../../src/client/reference-engine/gap-truth.ts';
import { gapNsOf, type GapParts } from '../../../../src/client/reference-engine/gap-parts.ts';
import type { EngineModel } from '../../../../src/client/reference-engine/model.ts';
import { simulate, type SimulatedRequest } from '../../../../src/client/reference-engine/simulate.ts';

const MODEL: EngineModel = {
  maxRunning: 4,
  stepTokens: 100,
  stepBaseNs: 1_000,
  decodeNs: 100,
  contextNs: 1,
  prefillNs: 10,
};

function run(changes: Partial<EngineModel>, requests: readonly SimulatedRequest[], untilNs = 100_000) {
  return simulate({ model: { ...MODEL, ...changes }, seed: 1, requests, lookEveryNs: 2_000, untilNs });
}

describe('a simulation', () => {
  const REQUESTS = [
    { id: 'a', atNs: 0, promptTokens: 5, outputTokens: [3] },
    { id: 'b', atNs: 1_500, promptTokens: 20, outputTokens: [1] },
  ];

  test('has events at the moments of the steps, with what lay before each', () => {
    const { answers } = run({}, REQUESTS);
    const [a, b] = answers;
    // 1,050; then 1,106; b's prompt of 20 joins the next.
    expect(a?.events.map(({ atNs, from, to }) => [atNs, from, to])).toEqual([
      [1_050, 1, 1],
      [2_156, 2, 2],
      [2_156 + 1_307, 3, 3],
    ]);
    expect(a?.events.map(({ gap }) => gap?.prefillNs)).toEqual([undefined, 0, 200]);
    expect([a?.startedAtNs, a?.endAtNs]).toEqual([0, 3_463]);
    expect([b?.startedAtNs, b?.endAtNs]).toEqual([2_156, 3_463]);
  });

  test('is looked at in between, as a poll would see it', () => {
    const { looks } = run({ kvCapacityTokens: 1_000 }, REQUESTS);
    expect(looks.slice(0, 2)).toEqual([
      {
        atNs: 2_000,
        runningCount: 1,
        waitingCount: 1,
        heldTokens: 8,
        preemptedCount: 0,
        draftedCount: 0,
        acceptedCount: 0,
      },
      {
        atNs: 4_000,
        runningCount: 0,
        waitingCount: 0,
        heldTokens: 0,
        preemptedCount: 0,
        draftedCount: 0,
        acceptedCount: 0,
      },
    ]);
  });

  test('holds tokens back for an interval, and an event knows of all that lay before it', () => {
    const [a] = run({ eventTokens: 2 }, [{ id: 'a', atNs: 0, promptTokens: 1, outputTokens: [4] }]).answers;
    expect(a?.events.map(({ from, to }) => [from, to])).toEqual([
      [1, 1],
      [2, 3],
      [4, 4],
    ]);
    expect(a?.events.map(({ gap }) => gap && gapNsOf(gap))).toEqual([undefined, 1_102 + 1_103, 1_104]);
  });

  test('knows that an event was told later than its token was computed', () => {
    const speculation = { drafts: 2, acceptRatio: 1, draftNs: 0, verifyNs: 0, told: 'writes', spacingNs: 7 } as const;
    const [a] = run({ speculation }, [{ id: 'a', atNs: 0, promptTokens: 1, outputTokens: [4] }]).answers;
    expect(a?.events.map(({ atNs, delayNs, gap }) => [atNs, delayNs, gap?.tokenCount])).toEqual([
      [1_010, 0, undefined],
      [2_112, 0, 3],
      [2_119, 7, undefined],
      [2_126, 14, undefined],
    ]);
  });

  test('ends when it is told to, whatever is still under way', () => {
    const { answers } = run({}, [{ id: 'a', atNs: 0, promptTokens: 1, outputTokens: [1_000] }], 6_000);
    expect(answers[0]?.endAtNs).toBeUndefined();
    expect(answers[0]?.events.at(-1)?.atNs).toBeLessThanOrEqual(6_000);
  });
});

describe('the truth about a gap', () => {
  const NONE = { prefillNs: 0, preemptedNs: 0, hostNs: 0, stallNs: 0, noiseNs: 0, aloneNs: 1_000, tokenCount: 1 };
  const gap = (changes: Partial<GapParts>): GapParts => ({ ...NONE, workNs: 1_100, ...changes });
  const USED_TO = [1_100, 1_100, 1_100, 1_300, 1_200, 1_200, 1_500, 9_000].map((workNs) => gap({ workNs }));

  test('is measured against the gap in the middle, once there are eight', () => {
    expect(usualGap(USED_TO, gap({})).workNs).toBe(1_200);
    expect(usualGap(USED_TO.slice(1), gap({ prefillNs: 9 }))).toEqual(gap({ workNs: 1_000 }));
  });

  test('is shared out to the last ns', () => {
    const now = gap({ workNs: 1_900, prefillNs: 5_000, preemptedNs: 30, hostNs: 70, stallNs: 11, noiseNs: -40 });
    const shares = gapShares(usualGap(USED_TO, now), now, 1);
    expect(shares).toEqual({
      prefill: 5_000,
      growth: 700,
      preemption: 30,
      host: 70,
      speculation: 0,
      stall: 11,
      noise: -40,
    });
    expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).toBe(gapNsOf(now) - 1_200);
    expect(largestShare(shares)).toBe('prefill');
  });

  test('counts tokens that came in a bunch as what speculation added to the pace', () => {
    const now = gap({ workNs: 1_200 });
    const shares = gapShares(usualGap(USED_TO, now), now, 4);
    // At one token after the other it had been 300.
    expect(shares).toMatchObject({ speculation: 900, growth: 0 });
  });

  test('names nobody where the gap is no longer than usual', () => {
    const now = gap({ workNs: 1_200, noiseNs: -5 });
    expect(largestShare(gapShares(usualGap(USED_TO, now), now, 1))).toBeUndefined();
  });
});
