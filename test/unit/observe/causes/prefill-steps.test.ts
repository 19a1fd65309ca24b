// Goal: the share of steps that read a prompt is estimated well from their lengths alone, and not at all where it
// cannot be. Method: seeded mixes of known shares, plain steps of 20 ms and noise, prompts that add 15 ms and more.
import { describe, expect, test } from 'vitest';
import { PrefillSteps } from '../../../../src/observe/causes/prefill-steps.ts';
import { seededRandom } from '../../../../src/client/random.ts';

const MS = 1e6;

interface Mix {
  readonly share: number;
  /** Of the steps, those at which somebody waits; prompts are read in some of them. */
  readonly waiting: number;
  readonly addedMs?: number;
  readonly noise?: number;
  readonly stepCount?: number;
}

function mixed({ share, waiting, addedMs = 40, noise = 0.1, stepCount = 2_000 }: Mix): number | undefined {
  const random = seededRandom(Math.round(1_000 * share + 100 * waiting + addedMs));
  const steps = new PrefillSteps();
  let atNs = 0;
  for (let step = 0; step < stepCount; step += 1) {
    const waits = random() < waiting;
    const reads = waits && random() < share / waiting;
    const lengthNs = (20 * (1 + noise * (2 * random() - 1)) + (reads ? addedMs * (0.6 + 0.8 * random()) : 0)) * MS;
    atNs += lengthNs;
    steps.onStep(lengthNs, atNs, waits);
  }
  return steps.ratio(atNs);
}

describe('the share of steps that read a prompt', () => {
  test.each([0, 0.005, 0.01, 0.05, 0.2, 0.5])(
    'of %d is found within a point, where somebody waits now and then',
    (share) => {
      const found = mixed({ share, waiting: Math.max(0.1, 1.3 * share) });
      expect(Math.abs((found ?? NaN) - share)).toBeLessThan(0.012 + 0.03 * share);
    },
  );

  test('is found by the two modes where somebody always waits', () => {
    expect(Math.abs((mixed({ share: 0.2, waiting: 1 }) ?? NaN) - 0.2)).toBeLessThan(0.03);
  });

  test('is unknown where somebody always waits and there is one mode', () => {
    expect(mixed({ share: 0, waiting: 1 })).toBeUndefined();
  });

  test('is unknown below 50 steps, and of steps longer than a minute ago', () => {
    expect(mixed({ share: 0.2, waiting: 0.4, stepCount: 49 })).toBeUndefined();
    const steps = new PrefillSteps();
    for (let step = 0; step < 100; step += 1) steps.onStep(20 * MS, step * 20 * MS, false);
    expect(steps.ratio(2e9)).toBe(0);
    expect(steps.ratio(90e9)).toBeUndefined();
  });

  test('is at least one step for each step with a first token, however short the prompts', () => {
    const steps = new PrefillSteps();
    for (let step = 1; step <= 100; step += 1) {
      const atNs = step * 20 * MS;
      if (step % 10 === 0) steps.onFirst(atNs);
      steps.onStep(20 * MS, atNs, step % 10 === 0);
    }
    expect(steps.ratio(2e9)).toBe(0.1);
  });
});
