// The reference engine's scheduler keeps its model to the nanosecond. Method: round numbers for every
// cost, moments given by hand, each step worked out on paper.
import { describe, expect, test } from 'vitest';
import type { EngineModel } from '../../../src/client/reference-engine/model.ts';
import { Scheduler, type Step } from '../../../src/client/reference-engine/scheduler.ts';

// A step costs 1,000; 100 a running sequence; 1 a token in cache; 10 a prompt token; 8 tokens a step.
const MODEL: EngineModel = {
  maxRunning: 2,
  stepTokens: 8,
  stepBaseNs: 1_000,
  decodeNs: 100,
  contextNs: 1,
  prefillNs: 10,
};

function scheduler(overrides: Partial<EngineModel> = {}, seed = 1): Scheduler {
  return new Scheduler({ ...MODEL, ...overrides }, seed);
}

function ends(steps: readonly Step[]): number[] {
  return steps.map((step) => step.endAtNs);
}

describe('one job alone', () => {
  test('gets its first token from the step that ends its prompt, the others one a step', () => {
    const engine = scheduler();
    engine.submit({ id: 'a', promptTokens: 5, outputTokens: [3] }, 100);
    const steps = engine.advance(1_000_000);
    expect(steps).toMatchObject([
      // 1,000 + 5 × 10
      {
        index: 0,
        startAtNs: 100,
        endAtNs: 1_150,
        decodeCount: 0,
        prefillTokens: 5,
        stallNs: 0,
        started: ['a'],
        tokens: [{ id: 'a', position: 1, last: false }],
      },
      // 1,000 + 100 + 6 in cache
      {
        index: 1,
        startAtNs: 1_150,
        endAtNs: 2_256,
        decodeCount: 1,
        prefillTokens: 0,
        stallNs: 0,
        started: [],
        tokens: [{ id: 'a', position: 2, last: false }],
      },
      // 1,000 + 100 + 7 in cache
      {
        index: 2,
        startAtNs: 2_256,
        endAtNs: 3_363,
        decodeCount: 1,
        prefillTokens: 0,
        stallNs: 0,
        started: [],
        tokens: [{ id: 'a', position: 3, last: true }],
      },
    ]);
    expect(engine.current).toBeUndefined();
    expect(engine.runningCount).toBe(0);
  });

  test('a prompt larger than a step takes several, and only the last of them gives a token', () => {
    const engine = scheduler();
    engine.submit({ id: 'a', promptTokens: 20, outputTokens: [1] }, 0);
    const steps = engine.advance(1_000_000);
    expect(steps.map((step) => step.prefillTokens)).toEqual([8, 8, 4]);
    expect(ends(steps)).toEqual([1_080, 2_160, 3_200]);
    expect(steps.map((step) => step.tokens.length)).toEqual([0, 0, 1]);
  });

  test('choices share the prompt and each costs its own decode', () => {
    const engine = scheduler();
    engine.submit({ id: 'a', promptTokens: 4, outputTokens: [3, 2] }, 0);
    const steps = engine.advance(1_000_000);
    // 1,000 + 40; then two sequences with 5 in cache each; then the longer one with 6.
    expect(ends(steps)).toEqual([1_040, 1_040 + 1_210, 1_040 + 1_210 + 1_106]);
    expect(steps.map((step) => step.decodeCount)).toEqual([0, 2, 1]);
    expect(steps.at(-1)?.tokens).toMatchObject([{ id: 'a', position: 3, last: true }]);
  });
});

describe('jobs together', () => {
  test('a long prompt slows the running sequence, and the running sequence slows the prompt', () => {
    const engine = scheduler();
    engine.submit({ id: 'a', promptTokens: 1, outputTokens: [5] }, 0);
    engine.advance(1_010);
    engine.submit({ id: 'b', promptTokens: 14, outputTokens: [1] }, 1_010);
    const steps = engine.advance(1_000_000);
    // The step under way was settled before b came. Then b gets the 7 tokens a's token leaves of 8.
    expect(steps.map((step) => step.prefillTokens)).toEqual([0, 7, 7, 0]);
    expect(ends(steps)).toEqual([1_010 + 1_102, 2_112 + 1_173, 3_285 + 1_174, 4_459 + 1_105]);
    expect(steps[1]?.started).toEqual(['b']);
    expect(steps[2]?.tokens).toMatchObject([
      { id: 'a', position: 4, last: false },
      { id: 'b', position: 1, last: true },
    ]);
  });

  test('a job waits for a slot, and nobody overtakes it', () => {
    const engine = scheduler({ maxRunning: 1 });
    engine.submit({ id: 'a', promptTokens: 1, outputTokens: [2] }, 0);
    engine.submit({ id: 'b', promptTokens: 1, outputTokens: [1] }, 0);
    engine.submit({ id: 'c', promptTokens: 1, outputTokens: [1] }, 0);
    expect([engine.runningCount, engine.waitingCount]).toEqual([1, 2]);
    const steps = engine.advance(1_000_000);
    expect(steps.flatMap((step) => step.started)).toEqual(['a', 'b', 'c']);
    // b begins where a's last step ended: no time is lost between steps.
    expect(steps[2]?.startAtNs).toBe(steps[1]?.endAtNs);
  });

  test('a job waits for room in the cache, which is kept for whole answers', () => {
    const engine = scheduler({ maxRunning: 8, kvCapacityTokens: 10 });
    engine.submit({ id: 'a', promptTokens: 4, outputTokens: [2] }, 0);
    engine.submit({ id: 'b', promptTokens: 3, outputTokens: [2] }, 0);
    expect(engine.heldTokens).toBe(6);
    expect(engine.waitingCount).toBe(1);
    const steps = engine.advance(1_000_000);
    expect(steps.map((step) => step.started)).toEqual([['a'], [], ['b'], []]);
    expect(engine.heldTokens).toBe(0);
  });

  test('a job that could never fit is known beforehand', () => {
    const engine = scheduler({ kvCapacityTokens: 10 });
    expect(engine.fits({ id: 'a', promptTokens: 8, outputTokens: [2] })).toBe(true);
    expect(engine.fits({ id: 'b', promptTokens: 8, outputTokens: [2, 1] })).toBe(false);
  });
});

describe('abort', () => {
  test('frees the slot at once; the next step is for the one who waited', () => {
    const engine = scheduler({ maxRunning: 1 });
    engine.submit({ id: 'a', promptTokens: 1, outputTokens: [100] }, 0);
    engine.submit({ id: 'b', promptTokens: 1, outputTokens: [1] }, 0);
    engine.advance(500);
    expect(engine.abort('a')).toBe(true);
    expect(engine.runningCount).toBe(0);
    const [first, second] = engine.advance(1_000_000);
    // The step under way cannot be called back, but it gives nothing to who has left.
    expect(first).toMatchObject({ endAtNs: 1_010, tokens: [] });
    expect(second).toMatchObject({ startAtNs: 1_010, started: ['b'], tokens: [{ id: 'b', position: 1, last: true }] });
  });

  test('takes a waiting job out of the queue, and an unknown one changes nothing', () => {
    const engine = scheduler({ maxRunning: 1 });
    engine.submit({ id: 'a', promptTokens: 1, outputTokens: [1] }, 0);
    engine.submit({ id: 'b', promptTokens: 1, outputTokens: [1] }, 0);
    expect(engine.abort('b')).toBe(true);
    expect(engine.abort('b')).toBe(false);
    expect(engine.advance(1_000_000).flatMap((step) => step.started)).toEqual(['a']);
  });
});

describe('time', () => {
  test('being woken late changes nothing: steps keep their own clock', () => {
    const punctual = scheduler();
    const late = scheduler();
    for (const engine of [punctual, late]) engine.submit({ id: 'a', promptTokens: 9, outputTokens: [4] }, 7);
    const steps: Step[] = [];
    for (let atNs = 7; atNs < 20_000; atNs += 13) steps.push(...punctual.advance(atNs));
    expect(late.advance(20_000)).toEqual(steps);
  });

  test('the same seed gives the same stalls, another seed others', () => {
    const run = (seed: number): number[] => {
      const engine = scheduler({ stall: { everySteps: 5, stallNs: 9_000 } }, seed);
      engine.submit({ id: 'a', promptTokens: 1, outputTokens: [200] }, 0);
      return engine.advance(10_000_000).flatMap((step) => (step.stallNs > 0 ? [step.index] : []));
    };
    expect(run(1)).toEqual(run(1));
    expect(run(1)).not.toEqual(run(2));
    expect(run(1).length).toBeGreaterThan(20);
    expect(run(1).length).toBeLessThan(80);
  });

  test('a stall makes its step longer by exactly its length', () => {
    const engine = scheduler({ stall: { everySteps: 1, stallNs: 9_000 } });
    engine.submit({ id: 'a', promptTokens: 1, outputTokens: [1] }, 0);
    expect(ends(engine.advance(1_000_000))).toEqual([10_010]);
  });

  test('after a pause the next job starts in the moment it comes', () => {
    const engine = scheduler();
    engine.submit({ id: 'a', promptTokens: 1, outputTokens: [1] }, 0);
    engine.advance(50_000);
    engine.submit({ id: 'b', promptTokens: 1, outputTokens: [1] }, 60_000);
    expect(engine.current).toMatchObject({ index: 1, startAtNs: 60_000, started: ['b'] });
  });
});
