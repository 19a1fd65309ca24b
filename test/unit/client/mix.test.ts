// The mixed load is settled by its seed. Method: plans compared as values; sums over many of them.
import { describe, expect, test } from 'vitest';
import { DEMO_CLASSES, planMix } from '../../../src/client/mix.ts';

describe('planMix', () => {
  test('gives the same plan for the same seed and another for another', () => {
    const plan = [...planMix(DEMO_CLASSES, 1, 5_000)];
    expect([...planMix(DEMO_CLASSES, 1, 5_000)]).toEqual(plan);
    expect([...planMix(DEMO_CLASSES, 2, 5_000)]).not.toEqual(plan);
  });

  test('a longer plan begins with the shorter one', () => {
    const short = [...planMix(DEMO_CLASSES, 1, 3_000)];
    expect([...planMix(DEMO_CLASSES, 1, 9_000)].slice(0, short.length)).toEqual(short);
  });

  test('is in order of time and ends in time', () => {
    const moments = [...planMix(DEMO_CLASSES, 3, 20_000)].map((planned) => planned.atMs);
    expect(moments).toEqual(moments.toSorted((a, b) => a - b));
    expect(moments.at(-1)).toBeLessThan(20_000);
  });

  test('keeps rates, sizes and aborts of each class', () => {
    const plan = [...planMix(DEMO_CLASSES, 1, 1_000_000)];
    for (const { name, perSecond, promptTokens, outputTokens, abortRatio } of DEMO_CLASSES) {
      const members = plan.filter((planned) => planned.class === name);
      expect(Math.abs(members.length - perSecond * 1_000)).toBeLessThan(perSecond * 100);
      for (const planned of members) {
        expect(planned.promptTokens).toBeGreaterThanOrEqual(promptTokens.lowest);
        expect(planned.promptTokens).toBeLessThanOrEqual(promptTokens.highest);
        expect(planned.outputTokens).toBeGreaterThanOrEqual(outputTokens.lowest);
        expect(planned.outputTokens).toBeLessThanOrEqual(outputTokens.highest);
      }
      const leaving = members.filter((planned) => planned.leaveAfterReads !== undefined).length;
      expect(leaving > 0).toBe(abortRatio > 0);
      expect(leaving).toBeLessThan(members.length * 0.1);
    }
  });

  test('the demo has enough interactive exchanges for a p99', () => {
    const plan = [...planMix(DEMO_CLASSES, 1, 15_000)];
    expect(plan.filter((planned) => planned.class === 'interactive').length).toBeGreaterThanOrEqual(100);
  });
});
