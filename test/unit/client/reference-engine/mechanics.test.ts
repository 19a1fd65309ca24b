// What makes steps of the reference engine longer does so by its own arithmetic, and the engine says how much
// of each gap was whose. Method: as the scheduler's own test: round numbers, each step worked out on paper.
import { describe, expect, test } from 'vitest';
import { gapNsOf, type GapParts } from '../../../../src/client/reference-engine/gap-parts.ts';
import { modelFaults, type EngineModel } from '../../../../src/client/reference-engine/model.ts';
import { Scheduler, type Step } from '../../../../src/client/reference-engine/scheduler.ts';
import { lengthOf } from '../../../../src/client/reference-engine/step-cost.ts';

// A step costs 1,000; 100 a running sequence; 1 a token in cache; 10 a prompt token; 100 tokens a step.
const MODEL: EngineModel = {
  maxRunning: 4,
  stepTokens: 100,
  stepBaseNs: 1_000,
  decodeNs: 100,
  contextNs: 1,
  prefillNs: 10,
};

const NO_PARTS = { prefillNs: 0, preemptedNs: 0, hostNs: 0, stallNs: 0, noiseNs: 0 };

function scheduler(overrides: Partial<EngineModel>, seed = 1): Scheduler {
  const model = { ...MODEL, ...overrides };
  expect(modelFaults(model)).toEqual([]);
  return new Scheduler(model, seed);
}

function lengths(steps: readonly Step[]): number[] {
  return steps.map((step) => step.endAtNs - step.startAtNs);
}

function gapsOf(steps: readonly Step[], id: string): (GapParts | undefined)[] {
  return steps.flatMap((step) => step.tokens.filter((token) => token.id === id).map((token) => token.gap));
}

describe('a paged cache', () => {
  const PAGED = { kvCapacityTokens: 12, paging: { blockTokens: 1 } };

  function overfull(): { readonly engine: Scheduler; readonly steps: Step[] } {
    const engine = scheduler(PAGED);
    engine.submit({ id: 'a', promptTokens: 4, outputTokens: [6] }, 0);
    // Only the first step knows of a alone.
    engine.submit({ id: 'b', promptTokens: 4, outputTokens: [5] }, 0);
    return { engine, steps: engine.advance(1_000_000) };
  }

  test('lets in who has room for a prompt, and throws out the latest when an answer outgrows it', () => {
    const { engine, steps } = overfull();
    expect(steps.map(({ started, preempted }) => [started, preempted])).toEqual([
      [['a'], []],
      [['b'], []],
      [[], []],
      // 4 + 3 tokens of a and 4 + 2 of b are more than 12.
      [[], ['b']],
      [[], []],
      [[], []],
      [[], []],
      [[], []],
      [[], []],
    ]);
    expect(engine.preemptedCount).toBe(1);
    expect(engine.heldTokens).toBe(0);
  });

  test('computes prompt and answer again when the sequence comes back, and its next token with them', () => {
    const { steps } = overfull();
    expect(lengths(steps)).toEqual([
      1_040,
      // b's prompt of 4 beside a's second token, then both.
      1_000 + 105 + 40,
      1_000 + 200 + 6 + 5,
      1_000 + 107,
      1_000 + 108,
      1_000 + 109,
      // b's prompt and the two tokens it had.
      1_000 + 60,
      1_000 + 107,
      1_000 + 108,
    ]);
    expect(steps[6]).toMatchObject({ decodeCount: 0, prefillTokens: 6, started: [] });
    expect(steps[6]?.tokens).toMatchObject([{ id: 'b', position: 3, last: false }]);
  });

  test('is the whole reason for the gap of the sequence that was out, and none of the others', () => {
    const { steps } = overfull();
    expect(gapsOf(steps, 'b')[2]).toEqual({
      ...NO_PARTS,
      workNs: 0,
      preemptedNs: 1_107 + 1_108 + 1_109 + 1_060,
      aloneNs: 1_106,
      tokenCount: 1,
    });
    expect(gapsOf(steps, 'a').map((gap) => gap?.preemptedNs)).toEqual([undefined, 0, 0, 0, 0, 0]);
  });

  test('counts in whole blocks', () => {
    const engine = scheduler({ kvCapacityTokens: 12, paging: { blockTokens: 8 } });
    expect(engine.fits({ id: 'a', promptTokens: 4, outputTokens: [4] })).toBe(true);
    expect(engine.fits({ id: 'b', promptTokens: 4, outputTokens: [5] })).toBe(false);
  });

  test('is freed by whoever leaves', () => {
    const engine = scheduler(PAGED);
    engine.submit({ id: 'a', promptTokens: 10, outputTokens: [2] }, 0);
    engine.submit({ id: 'b', promptTokens: 4, outputTokens: [1] }, 0);
    engine.abort('a');
    expect(engine.heldTokens).toBe(0);
    expect(engine.advance(1_000_000).map((step) => step.started)).toEqual([['a'], ['b']]);
  });
});

describe('whole prompts', () => {
  test('have a step for themselves however large they are, and the others wait for it', () => {
    const engine = scheduler({ wholePrompts: true, stepTokens: 8 });
    engine.submit({ id: 'a', promptTokens: 1, outputTokens: [4] }, 0);
    engine.advance(1_010);
    engine.submit({ id: 'b', promptTokens: 20, outputTokens: [2] }, 1_010);
    const steps = engine.advance(1_000_000);
    expect(lengths(steps)).toEqual([1_102, 1_200, 1_000 + 200 + 3 + 21, 1_104]);
    expect(steps[1]?.tokens).toMatchObject([{ id: 'b', position: 1 }]);
    const [, waited] = gapsOf(steps, 'a');
    expect(waited).toEqual({ ...NO_PARTS, workNs: 1_224, prefillNs: 1_200, aloneNs: 1_103, tokenCount: 1 });
  });
});

describe('the host', () => {
  test('holds up a step for every sequence in it', () => {
    const engine = scheduler({ host: { everySteps: 1, lowestNs: 5_000, highestNs: 5_000, requestNs: 0 } });
    engine.submit({ id: 'a', promptTokens: 1, outputTokens: [2] }, 0);
    engine.submit({ id: 'b', promptTokens: 1, outputTokens: [2] }, 0);
    const steps = engine.advance(1_000_000);
    expect(lengths(steps)).toEqual([6_010, 1_000 + 100 + 2 + 10 + 5_000, 6_102]);
    expect(gapsOf(steps, 'a')[1]).toMatchObject({ workNs: 1_102, prefillNs: 10, hostNs: 5_000 });
  });

  test('takes its time for each request that came, once', () => {
    const engine = scheduler({ host: { everySteps: 0, lowestNs: 0, highestNs: 0, requestNs: 300 } });
    engine.submit({ id: 'a', promptTokens: 1, outputTokens: [2] }, 0);
    expect(lengths(engine.advance(1_000_000))).toEqual([1_310, 1_102]);
  });

  test('pauses by the seed, within its bounds', () => {
    const pauses = (seed: number): number[] => {
      const engine = scheduler({ host: { everySteps: 5, lowestNs: 2_000, highestNs: 3_000, requestNs: 0 } }, seed);
      engine.submit({ id: 'a', promptTokens: 1, outputTokens: [200] }, 0);
      return engine.advance(10_000_000).flatMap(({ parts }) => (parts.hostNs > 0 ? [parts.hostNs] : []));
    };
    expect(pauses(1)).toEqual(pauses(1));
    expect(pauses(1)).not.toEqual(pauses(2));
    expect(pauses(1).length).toBeGreaterThan(20);
    expect(Math.min(...pauses(1))).toBeGreaterThanOrEqual(2_000);
    expect(Math.max(...pauses(1))).toBeLessThanOrEqual(3_000);
    expect(new Set(pauses(1)).size).toBeGreaterThan(10);
  });
});

describe('speculation', () => {
  const SPECULATION = { drafts: 2, acceptRatio: 1, draftNs: 50, verifyNs: 5, told: 'one_event', spacingNs: 0 } as const;

  test('gives a step several tokens, for the price of guessing and checking', () => {
    const engine = scheduler({ speculation: SPECULATION });
    engine.submit({ id: 'a', promptTokens: 1, outputTokens: [6] }, 0);
    const steps = engine.advance(1_000_000);
    expect(lengths(steps)).toEqual([1_010, 1_000 + 102 + 110, 1_000 + 105 + 110]);
    expect(steps.map((step) => step.tokens.map(({ position, last }) => [position, last]))).toEqual([
      [[1, false]],
      [
        [2, false],
        [3, false],
        [4, false],
      ],
      [
        [5, false],
        [6, true],
      ],
    ]);
    expect([engine.draftedCount, engine.acceptedCount]).toEqual([4, 4]);
    expect(gapsOf(steps, 'a').map((gap) => gap?.tokenCount)).toEqual([
      undefined,
      3,
      undefined,
      undefined,
      2,
      undefined,
    ]);
  });

  test('gives one token where no guess is good, and the share that is asked for in the mean', () => {
    const accepted = (acceptRatio: number): number => {
      const engine = scheduler({ speculation: { ...SPECULATION, acceptRatio } });
      engine.submit({ id: 'a', promptTokens: 1, outputTokens: [2_000] }, 0);
      engine.advance(1_000_000_000);
      return engine.acceptedCount / engine.draftedCount;
    };
    expect(accepted(0)).toBe(0);
    // Of two guesses: 0.5 + 0.25 are good in the mean.
    expect(Math.abs(accepted(0.5) - 0.375)).toBeLessThan(0.03);
  });
});

describe('labels', () => {
  test('sum up to every step and every gap, whatever goes on at once', () => {
    const engine = scheduler(
      {
        kvCapacityTokens: 400,
        paging: { blockTokens: 16 },
        noiseRatio: 0.1,
        stall: { everySteps: 40, stallNs: 7_000 },
        host: { everySteps: 30, lowestNs: 1_000, highestNs: 9_000, requestNs: 50 },
        speculation: { drafts: 3, acceptRatio: 0.6, draftNs: 20, verifyNs: 4, told: 'one_event', spacingNs: 0 },
      },
      7,
    );
    const steps: Step[] = [];
    for (let nth = 0; nth < 60; nth += 1) {
      const atNs = nth * 4_000;
      steps.push(...engine.advance(atNs));
      engine.submit(
        { id: `${nth}`, promptTokens: 10 + ((nth * 37) % 150), outputTokens: [5 + ((nth * 13) % 90)] },
        atNs,
      );
    }
    steps.push(...engine.advance(1_000_000_000));
    expect(engine.preemptedCount).toBeGreaterThan(3);
    for (const step of steps) expect(lengthOf(step.parts)).toBe(step.endAtNs - step.startAtNs);
    const lastAtNs = new Map<string, number>();
    for (const { tokens, endAtNs } of steps) {
      for (const { id, position, gap } of tokens) {
        const beforeNs = lastAtNs.get(id);
        expect(gap === undefined).toBe(beforeNs === undefined || beforeNs === endAtNs);
        if (gap !== undefined) expect(gapNsOf(gap)).toBe(endAtNs - (beforeNs ?? NaN));
        expect(position).toBeGreaterThan(0);
        lastAtNs.set(id, endAtNs);
      }
    }
    expect(lastAtNs.size).toBe(60);
  });
});

describe('a model', () => {
  test('whose mechanics cannot be is refused with every fault', () => {
    const faults = modelFaults({
      ...MODEL,
      paging: { blockTokens: 0 },
      eventTokens: 0,
      host: { everySteps: 1, lowestNs: 2, highestNs: 1, requestNs: 0 },
      speculation: { drafts: 100, acceptRatio: 2, draftNs: 0, verifyNs: 0, told: 'writes', spacingNs: 0 },
    });
    expect(faults).toHaveLength(6);
  });
});
