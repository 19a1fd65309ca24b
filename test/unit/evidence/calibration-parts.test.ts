// Goal: the parts of a calibration do what they are named for: shapes and envelopes are found through
// outliers on both sides, windows keep their spread, beginnings are recognised, ratios are learnt.
// Method: data made by hand or from a seed, with the answer known.
import { describe, expect, it } from 'vitest';
import { PREFIXES_MAX_COUNT } from '../../../src/base/limits.ts';
import { seededRandom } from '../../../src/client/random.ts';
import { Envelope } from '../../../src/evidence/envelope.ts';
import { fitShape } from '../../../src/evidence/prefill-shape.ts';
import { FrontTime } from '../../../src/evidence/front-time.ts';
import { PrefixMemory } from '../../../src/evidence/prefix-memory.ts';
import { PromptRatio } from '../../../src/evidence/prompt-ratio.ts';
import { SampleWindow } from '../../../src/evidence/sample-window.ts';
import type { PromptBeginning } from '../../../src/record/prompt-beginning.ts';

const MS = 1_000_000;
const cost = (tokens: number): number => 4 * MS + 30_000 * tokens + 3 * tokens * tokens;

/** Samples over sizes from 50 to 8,000 tokens; `factor` says how far each is off. */
function samples(count: number, factor: (nth: number, random: () => number) => number) {
  const random = seededRandom(7);
  return Array.from({ length: count }, (_, nth) => {
    const tokens = Math.round(50 * 160 ** random());
    return { tokens, tookNs: Math.round(cost(tokens) * factor(nth, random)) };
  });
}

function off(said: number | undefined, tokens: number): number {
  return Math.abs((said ?? NaN) / cost(tokens) - 1);
}

describe('a shape', () => {
  it('is found exactly where there is no noise', () => {
    const shape = fitShape(
      samples(40, () => 1),
      0.35,
    );
    for (const tokens of [50, 500, 8_000]) expect(off(shape(tokens), tokens)).toBeLessThan(1e-3);
  });

  it('never costs less for more tokens', () => {
    const shape = fitShape(
      samples(30, (_, random) => 0.5 + random()),
      0.35,
    );
    const costs = [1, 10, 100, 1_000, 10_000].map(shape);
    expect(costs).toEqual(costs.toSorted((a, b) => a - b));
  });

  it('exists for one sample, and for many of one size', () => {
    expect(fitShape([{ tokens: 9, tookNs: 9 * MS }], 0.35)(9)).toBeCloseTo(9 * MS, -2);
    const alike = Array.from({ length: 20 }, () => ({ tokens: 100, tookNs: 5 * MS }));
    expect(fitShape(alike, 0.35)(100)).toBeCloseTo(5 * MS, -2);
  });
});

describe('an envelope', () => {
  const worst = (envelope: Envelope): number =>
    Math.max(...[80, 200, 500, 1_200, 3_000, 7_000].map((tokens) => off(envelope.at(tokens)?.prefillNs, tokens)));

  it('is the middle of what an unsteady engine takes', () => {
    expect(worst(new Envelope(samples(200, (_, random) => 0.9 + 0.2 * random())))).toBeLessThan(0.07);
  });

  it('is not lifted by a third of the samples that had somebody in their way', () => {
    const lifted = samples(200, (nth, random) => (nth % 3 === 0 ? 1.5 + 2 * random() : 0.95 + 0.1 * random()));
    expect(worst(new Envelope(lifted))).toBeLessThan(0.05);
  });

  it('is not pulled down by stamps that came late', () => {
    const late = samples(200, (nth, random) => (nth % 25 === 0 ? 0.001 : 0.95 + 0.1 * random()));
    expect(worst(new Envelope(late))).toBeLessThan(0.05);
  });

  it('knows how far it may be off', () => {
    const [steady, unsteady] = [0.02, 0.2].map(
      (half) => new Envelope(samples(200, (_, random) => 1 - half + 2 * half * random())).at(500)?.errorRatio ?? NaN,
    );
    expect(steady).toBeLessThan(0.04);
    expect(unsteady).toBeGreaterThan(0.12);
  });

  it('follows what no shape can: the steps of a scheduler', () => {
    const stepped = (tokens: number): number => Math.ceil(tokens / 512) * 12 * MS + 60_000 * tokens;
    const sizes = Array.from({ length: 250 }, (_, nth) => 60 + ((nth * 37) % 2_000));
    const envelope = new Envelope(sizes.map((tokens) => ({ tokens, tookNs: stepped(tokens) })));
    for (const tokens of [100, 250, 450]) {
      expect(Math.abs((envelope.at(tokens)?.prefillNs ?? NaN) / stepped(tokens) - 1)).toBeLessThan(0.1);
    }
  });

  it('says nothing of sizes without neighbours', () => {
    const envelope = new Envelope(samples(100, () => 1));
    expect([1, 100_000].map((tokens) => envelope.at(tokens))).toEqual([undefined, undefined]);
    expect(new Envelope(samples(4, () => 1)).at(500)).toBeUndefined();
  });
});

describe('a window of samples', () => {
  it('keeps the few large prompts when many small ones come', () => {
    const window = new SampleWindow();
    for (let nth = 0; nth < 5; nth += 1) window.add({ tokens: 9_000, tookNs: nth });
    for (let nth = 0; nth < 2_000; nth += 1) window.add({ tokens: 90, tookNs: nth });
    const kept = window.all();
    expect(window.count).toBe(256);
    expect(kept.filter(({ tokens }) => tokens === 9_000)).toHaveLength(5);
    expect(kept.filter(({ tokens }) => tokens === 90).map(({ tookNs }) => tookNs)[0]).toBe(2_000 - 251);
    window.clear();
    expect([window.count, window.all()]).toEqual([0, []]);
  });
});

describe('the time of a front end', () => {
  const taught = (headNs = 2) => {
    const front = new FrontTime();
    for (let nth = 0; nth < 5; nth += 1) front.partOf(100, headNs, true);
    return front;
  };

  it('is that of its own head for an exchange that met an idle engine', () => {
    expect(
      [2, 49, 50, 100, 0, -3, undefined].map((headNs) => new FrontTime().partOf(100, headNs, true).partNs),
    ).toEqual([2, 49, 0, 0, 0, 0, 0]);
  });

  it('is the usual one for others, whose head may have come when the queue ended', () => {
    expect(new FrontTime().partOf(100, 2, false).partNs).toBe(0);
    expect(taught().partOf(100, 40, false).partNs).toBe(2);
    expect(taught().partOf(100, undefined, false).partNs).toBe(2);
    // So short an exchange cannot have had it.
    expect(taught().partOf(3, 1, false).partNs).toBe(0);
  });

  it('is none for engines that send the head with the first token', () => {
    expect(taught(100).partOf(100, 100, false).partNs).toBe(0);
  });

  it('follows what it is now', () => {
    const front = taught();
    for (let nth = 0; nth < 32; nth += 1) front.partOf(100, 7, true);
    expect(front.partOf(100, 40, false).partNs).toBe(7);
  });

  it('may be some 2 ms wherever no head tells it', () => {
    const unseen = { partNs: 0, unseenNs: 2 * MS };
    expect([new FrontTime().partOf(100, 2, false), taught(100).partOf(100, 100, true)]).toEqual([unseen, unseen]);
    expect([taught().partOf(100, 3, true).unseenNs, taught().partOf(100, 40, false).unseenNs]).toEqual([0, 0]);
  });
});

describe('the memory of beginnings', () => {
  const beginning = (hashes: number[], totalChars = 2_000, toolsHash?: number): PromptBeginning => ({
    hashes,
    totalChars,
    ...(toolsHash === undefined ? {} : { toolsHash }),
  });

  it('finds new what it has not seen, once', () => {
    const memory = new PrefixMemory();
    expect([1, 2, 1].map((first) => memory.enter(beginning([first, first, first])))).toEqual([true, true, false]);
  });

  it('lets pass what is shared only for a moment', () => {
    const memory = new PrefixMemory();
    memory.enter(beginning([1, 2, 3]));
    // New from 256 characters on: of 2,000 that is too much, of 20,000 it is nothing.
    expect(memory.enter(beginning([1, 7, 8]))).toBe(false);
    expect(memory.enter(beginning([1, 9, 10], 20_000))).toBe(true);
    // The same to the end of what was hashed.
    expect(memory.enter(beginning([1, 9, 10], 20_000))).toBe(false);
  });

  it('takes tools for a beginning, and the shortest prompts for known', () => {
    const memory = new PrefixMemory();
    expect(memory.enter(beginning([1], 100, 5))).toBe(true);
    expect(memory.enter(beginning([2], 100, 5))).toBe(false);
    expect(memory.enter(beginning([], 20))).toBe(false);
  });

  it('forgets the oldest beyond its cap', () => {
    const memory = new PrefixMemory();
    for (let first = 0; first <= PREFIXES_MAX_COUNT; first += 1) memory.enter(beginning([first]));
    expect([0, PREFIXES_MAX_COUNT].map((first) => memory.enter(beginning([first])))).toEqual([true, false]);
  });
});

describe('the ratio of bytes to tokens', () => {
  const latin = (bytes: number) => ({ bytes, chars: bytes });
  const chinese = (bytes: number) => ({ bytes, chars: bytes / 3 });

  it('is learnt from five prompts of about the size', () => {
    const ratio = new PromptRatio();
    for (let nth = 0; nth < 4; nth += 1) ratio.learn(latin(1_000 + nth), 250);
    expect(ratio.estimate(latin(1_000))).toBeUndefined();
    ratio.learn(latin(1_000), 250);
    // The ratios differ by up to 2 in a thousand, which is one token of 500.
    expect(ratio.estimate(latin(2_000))).toEqual({ tokens: 500, errorTokens: 1 });
    expect(ratio.estimate(latin(20_000))).toBeUndefined();
  });

  it('is another one for each kind of script', () => {
    const ratio = new PromptRatio();
    for (let nth = 0; nth < 9; nth += 1) {
      ratio.learn(latin(900), 225);
      ratio.learn(chinese(900), 320);
    }
    expect([latin(900), chinese(900)].map((size) => ratio.estimate(size)?.tokens)).toEqual([225, 320]);
  });

  it('is not moved by a prompt with images, and not told where all differ', () => {
    const ratio = new PromptRatio();
    for (let nth = 0; nth < 20; nth += 1) ratio.learn(latin(800), nth % 12 === 0 ? 5_000 : 200);
    expect(ratio.estimate(latin(800))?.tokens).toBe(200);
    const wild = new PromptRatio();
    for (let nth = 0; nth < 20; nth += 1) wild.learn(latin(800), 100 * (1 + (nth % 4)));
    expect(wild.estimate(latin(800))).toBeUndefined();
  });

  it('follows a new model behind the same name', () => {
    const ratio = new PromptRatio();
    for (let nth = 0; nth < 40; nth += 1) ratio.learn(latin(800), 200);
    for (let nth = 0; nth < 32; nth += 1) ratio.learn(latin(800), 160);
    expect(ratio.estimate(latin(800))?.tokens).toBe(160);
    expect(ratio.estimate(latin(0))).toBeUndefined();
  });
});
