// Goal: over engines of many speeds, shapes and loads, an estimate is within what is promised of the truth
// or there is none. Method: a simulated engine (engine-sim.ts) and several seeds a case; prints a table, and
// holds p90 to the promise. Truth is what an engine would state: prefill with all that shared its steps.
import { afterAll, describe, expect, it } from 'vitest';
import { Calibration } from '../../../src/evidence/calibration.ts';
import type { CalibrationState } from '../../../src/evidence/calibration-states.ts';
import { simulate, type SimEngine, type SimExchange, type SimLoad } from './engine-sim.ts';

const MS = 1_000_000;
const SEEDS = [7_919, 15_838];
const PREFILL_ERROR_MAX = 0.15;
const QUEUE_FREE_NS = 20 * MS;

const ENGINE: SimEngine = {
  tokensPerSecond: 16_000,
  stepBaseMs: 12,
  stepTokens: 512,
  squareShare: 0,
  decodeMs: 0.3,
  maxRunning: 8,
  frontMs: 0.5,
  noise: { of: 'step', kind: 'uniform', ratio: 0.1 },
  jitterMs: 0.2,
};
const LOAD: SimLoad = {
  count: 800,
  load: 0.3,
  sizes: [50, 4_000],
  outputs: [10, 60],
  cachedShare: 0.3,
  hiddenShare: 0,
};

interface Case {
  readonly name: string;
  readonly engine?: Partial<SimEngine>;
  readonly load?: Partial<SimLoad>;
  /** The least share of exchanges that gets an estimate; a promise to users, not to the truth. */
  readonly leastShare: number;
}

const CASES: readonly Case[] = [
  { name: 'quiet', load: { load: 0.1 }, leastShare: 0.6 },
  { name: 'usual', leastShare: 0.4 },
  { name: 'busy', load: { load: 0.5 }, leastShare: 0.1 },
  { name: 'queue for two slots', engine: { maxRunning: 2 }, load: { load: 0.5 }, leastShare: 0.3 },
  { name: 'no noise', engine: { noise: { of: 'step', kind: 'uniform', ratio: 0 } }, leastShare: 0.4 },
  { name: 'noise of requests', engine: { noise: { of: 'request', kind: 'uniform', ratio: 0.1 } }, leastShare: 0.3 },
  { name: 'noise of 20 %', engine: { noise: { of: 'step', kind: 'uniform', ratio: 0.2 } }, leastShare: 0.1 },
  { name: '1,000 tokens/s', engine: { tokensPerSecond: 1_000 }, leastShare: 0.3 },
  { name: '50,000 tokens/s', engine: { tokensPerSecond: 50_000 }, leastShare: 0.3 },
  { name: 'steps of 50 ms', engine: { stepBaseMs: 50 }, leastShare: 0.2 },
  { name: 'large steps', engine: { stepTokens: 8_192 }, leastShare: 0.3 },
  { name: 'attention', engine: { squareShare: 1, stepTokens: 2_048 }, load: { sizes: [50, 16_000] }, leastShare: 0.3 },
  { name: 'mostly cached', load: { cachedShare: 0.7 }, leastShare: 0.3 },
  { name: 'hidden neighbours', load: { hiddenShare: 0.2 }, leastShare: 0.3 },
];

interface Judged {
  readonly exchange: SimExchange;
  readonly state: CalibrationState;
  readonly prefillNs: number | undefined;
  readonly queueNs: number | undefined;
}

function judgeAll(exchanges: readonly SimExchange[]): Judged[] {
  const calibration = new Calibration();
  return exchanges.map((exchange) => {
    calibration.see();
    const { uncachedTokens: tokens, tookNs, metIdle, neighbours } = exchange;
    const { state, estimate } = calibration.judge({ tokens, tookNs, metIdle, neighbours });
    return { exchange, state, prefillNs: estimate?.prefillNs, queueNs: estimate?.queueNs };
  });
}

function prefillMisses(judged: readonly Judged[]): number[] {
  return judged.flatMap(({ exchange, prefillNs }) =>
    prefillNs === undefined ? [] : [Math.abs(prefillNs / exchange.prefillNs - 1)],
  );
}

/** As a share of what is allowed. */
function queueMisses(judged: readonly Judged[]): number[] {
  return judged.flatMap(({ exchange, queueNs }) =>
    queueNs === undefined
      ? []
      : [Math.abs(queueNs - exchange.queueNs) / Math.max(QUEUE_FREE_NS, PREFILL_ERROR_MAX * exchange.queueNs)],
  );
}

function percentile(values: readonly number[], percent: number): number {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil((percent * values.length) / 100) - 1)] ?? NaN;
}

function shown(share: number): string {
  return `${(100 * share).toFixed(1)} %`.padStart(8);
}

const lines: string[] = [];
afterAll(() => {
  process.stdout.write(
    `${['case, met idle, estimated, prefill off p50, p90, queue p90 of allowed', ...lines].join('\n')}\n`,
  );
});

function runOf({ engine, load }: Case, seed: number, change?: SimLoad['change']): Judged[] {
  const changed = change === undefined ? {} : { change };
  return judgeAll(simulate({ ...ENGINE, ...engine }, { ...LOAD, ...load, ...changed }, seed));
}

describe('estimates', () => {
  it.each(CASES)('$name', (each) => {
    const runs = SEEDS.map((seed) => runOf(each, seed));
    const judged = runs.flat();
    const misses = prefillMisses(judged);
    const queues = queueMisses(judged);
    const idleShare = judged.filter(({ exchange }) => exchange.metIdle).length / judged.length;
    const share = misses.length / judged.length;
    const figures = [idleShare, share, percentile(misses, 50), percentile(misses, 90), percentile(queues, 90)];
    lines.push(`${each.name.padEnd(20)} ${figures.map(shown).join(' ')}`);
    for (const run of runs) expect(run.slice(0, 30).map(({ state }) => state)).not.toContain('estimated');
    expect(percentile(misses, 90)).toBeLessThanOrEqual(PREFILL_ERROR_MAX);
    expect(percentile(queues, 90)).toBeLessThanOrEqual(1);
    expect(share).toBeGreaterThanOrEqual(each.leastShare);
  });

  it('are none when the engine is never idle, and that is the reason', () => {
    const states = runOf({ name: 'overload', load: { load: 1.2 }, leastShare: 0 }, 1).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(['learning', 'never_idle']));
    expect(states.at(-1)).toBe('never_idle');
  });

  it('are hardly any where one request is off by 10 % and more', () => {
    const noise = { of: 'request', kind: 'normal', ratio: 0.25 } as const;
    const judged = runOf({ name: 'wild', engine: { noise }, leastShare: 0 }, 1);
    const busy = judged.filter(({ exchange, state }) => !exchange.metIdle && state === 'estimated');
    expect(busy.length / judged.length).toBeLessThan(0.05);
  });
});

describe('a change of speed', () => {
  it.each([2, 1.3, 1 / 1.3, 0.5])(
    '× %d: what was learnt gives wrong estimates for a few exchanges at most',
    (speed) => {
      const usual: Case = { name: 'change', leastShare: 0 };
      const after = SEEDS.map((seed) =>
        runOf(usual, seed, { at: 400, speed }).filter(({ exchange }) => exchange.index >= 400),
      );
      const wrongCounts = after.map((run) => prefillMisses(run).filter((miss) => miss > PREFILL_ERROR_MAX).length);
      const wrongSoon = after.map(
        (run) => prefillMisses(run.slice(0, 60)).filter((miss) => miss > PREFILL_ERROR_MAX).length,
      );
      lines.push(`speed × ${speed.toFixed(2).padEnd(12)} wrong of the next 60: ${wrongSoon.join(', ')}`);
      // A slower engine shows only when an exchange meets it idle; three of ten do here.
      for (const count of wrongSoon) expect(count).toBeLessThanOrEqual(8);
      for (const [index, run] of after.entries()) {
        expect(wrongCounts[index] ?? 0).toBeLessThanOrEqual(0.1 * run.length);
        expect(run.map(({ state }) => state)).toContain('relearning');
        expect(run.slice(-100).map(({ state }) => state)).toContain('estimated');
      }
    },
  );

  it('after which nobody meets the engine idle any more is noticed by the silence alone', () => {
    const crowded: Case = {
      name: 'crowded',
      engine: { maxRunning: 2 },
      load: { count: 500, load: 0.8 },
      leastShare: 0,
    };
    const wrongSoon = [7_919, 3, 4, 8].map((seed) => {
      const after = runOf(crowded, seed, { at: 400, speed: 0.4 }).filter(({ exchange }) => exchange.index >= 400);
      expect(after.some(({ exchange }) => exchange.metIdle)).toBe(false);
      expect(after.map(({ state }) => state)).toContain('unconfirmed');
      expect(after.slice(-20).map(({ state }) => state)).not.toContain('estimated');
      return prefillMisses(after.slice(0, 60)).filter((miss) => miss > PREFILL_ERROR_MAX).length;
    });
    lines.push(`crowded, speed × 0.40 wrong of the next 60: ${wrongSoon.join(', ')}`);
    expect(wrongSoon.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(40);
  });
});
