// Goal: over hundreds of windows of clean traffic nobody is accused by chance, and prefill that slows streams is found in
// nearly all windows, whether its steps have a mode of their own or prompts of all lengths make a tail only.
// Method: seeded windows: arrivals by Poisson, gaps log-normal, prompts log-normal; interference by the time that each
// prompt adds to one gap of each running stream. The truth is in the generator, never in a threshold of the rules.
import { expect, test } from 'vitest';
import { diagnose } from '../../../../src/judge/diagnosis/rules.ts';
import { facts, slice } from '../../../support/diagnosis.ts';
import { randomOf } from '../../../support/mutate-json.ts';

const WINDOWS_COUNT = 500;
const SLICE_MS = 10_000;

interface World {
  readonly slicesCount: number;
  readonly arrivalsPerSlice: number;
  /** Streams that decode at once: its mean, and by how much it varies from slice to slice. */
  readonly runningCount: number;
  readonly gapMs: number;
  readonly sigma: number;
  /** Time that a prompt's token adds to the step it is computed in. */
  readonly msPerToken?: number;
  readonly promptSigma?: number;
  /** Gaps that a lost packet lengthens by 200 ms, of all. */
  readonly lossRatio?: number;
  /** What each further stream adds to a step, of its length. */
  readonly growthRatio?: number;
}

/** Findings by cause, over all windows of a world. */
function accusations(world: World, windowsCount = WINDOWS_COUNT): Map<string, number> {
  const counts = new Map<string, number>();
  for (let seed = 1; seed <= windowsCount; seed += 1)
    for (const { cause } of diagnose(windowOf(world, seed)).findings) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  return counts;
}

function windowOf(world: World, seed: number) {
  const { gapMs, sigma, msPerToken = 0, promptSigma = 1, lossRatio = 0, growthRatio = 0 } = world;
  const random = randomOf(seed);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const poisson = (mean: number): number => {
    let count = 0;
    for (let left = -Math.log(1 - random()); left < mean; left -= Math.log(1 - random())) count += 1;
    return count;
  };
  const slices = Array.from({ length: world.slicesCount }, () => {
    const arrivalCount = poisson(world.arrivalsPerSlice);
    const running = Math.max(1, poisson(world.runningCount));
    const stepMs = gapMs * (1 + growthRatio * (running - 1));
    const prompts = Array.from({ length: arrivalCount }, () => 500 * Math.exp(promptSigma * normal()));
    const gapCount = Math.floor((running * SLICE_MS) / stepMs);
    const gapsMs = Array.from({ length: gapCount }, () => {
      return stepMs * Math.exp(sigma * normal()) + (random() < lossRatio ? 200 + 20 * random() : 0);
    });
    const slowed = gapsMs.map((ms, index) => ms + msPerToken * (prompts[Math.floor(index / running)] ?? 0));
    const promptTokens = prompts.reduce((sum, tokens) => sum + tokens, 0);
    return slice({ gapsMs: slowed.map((ms) => [ms, 1]), arrivalCount, endCount: arrivalCount, promptTokens });
  });
  return facts({ slices });
}

const CALM: World = { slicesCount: 60, arrivalsPerSlice: 4, runningCount: 2, gapMs: 250, sigma: 0.3 };

/** Below 1 %. */
const MOST_COUNT = WINDOWS_COUNT / 100 - 1;

test.each([
  ['even gaps', CALM],
  ['uneven gaps', { ...CALM, sigma: 0.8 }],
  ['little traffic', { ...CALM, runningCount: 0.5, arrivalsPerSlice: 0.5 }],
  ['three minutes', { ...CALM, slicesCount: 18 }],
  ['packets lost', { ...CALM, lossRatio: 0.01 }],
  ['packets lost for three minutes', { ...CALM, slicesCount: 18, lossRatio: 0.01 }],
] as const)(
  'with %s and clean traffic nobody is accused in one window of a hundred',
  { timeout: 60_000 },
  (_what, world) => {
    const counts = accusations(world);
    for (const cause of ['prefill_interference', 'batch_or_context_growth', 'queueing', 'host_overhead'])
      expect([cause, counts.get(cause) ?? 0]).toSatisfy(([, count]) => Number(count) <= MOST_COUNT);
  },
);

test.each([
  ['prompts of one length', { ...CALM, msPerToken: 1.5, promptSigma: 0.1 }],
  ['prompts of all lengths', { ...CALM, runningCount: 4, msPerToken: 1.5 }],
  [
    'prompts of all lengths, among steps that are uneven anyhow',
    { ...CALM, runningCount: 12, sigma: 0.6, msPerToken: 3 },
  ],
] as const)('prefill among streams is found in more than nine windows of ten with %s', (_what, world) => {
  const counts = accusations(world, 100);
  expect(counts.get('prefill_interference') ?? 0).toBeGreaterThan(90);
  expect(counts.get('slow_mode_unexplained') ?? 0).toBeLessThan(10);
});

test('steps that are longer with each stream that runs are growth, and no prefill', () => {
  const counts = accusations({ ...CALM, growthRatio: 0.2 }, 100);
  expect(counts.get('batch_or_context_growth') ?? 0).toBeGreaterThan(90);
  expect(counts.get('prefill_interference') ?? 0).toBeLessThanOrEqual(1);
});
