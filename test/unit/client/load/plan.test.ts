// Goal: arrivals have the rate, the shape and the order they were asked for, and depend on the seed alone; lengths
// and classes keep their bounds and shares. Method: thousands of draws from fixed seeds, of which sums are known.
import { describe, expect, test } from 'vitest';
import { type Arrivals, dueMoments } from '../../../../src/client/load/arrivals.ts';
import { drawLength, type Lengths, readLengths } from '../../../../src/client/load/lengths.ts';
import { type LoadClass, type Planned, planRequests, type Schedule } from '../../../../src/client/load/plan.ts';
import { seededRandom } from '../../../../src/client/random.ts';

const S = 1e9;

function take(arrivals: Arrivals, count: number, seed = 1): number[] {
  const moments = dueMoments(arrivals, seed);
  return Array.from({ length: count }, () => moments.next().value);
}

/** Standard deviation of the gaps over their mean: 1 by chance, above it in bursts, below it evenly. */
function unevenness(moments: readonly number[]): number {
  const gaps = moments.slice(1).map((atNs, index) => atNs - (moments[index] ?? 0));
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  return Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length) / mean;
}

describe('arrivals', () => {
  test('constant ones never drift', () => {
    const moments = take({ kind: 'constant', perSecond: 3 }, 3_001);
    expect([moments[0], moments[1], moments[3], moments[3_000]]).toEqual([0, 333_333_333, S, 1_000 * S]);
  });

  test.each<[string, Arrivals, number, number]>([
    ['Poisson', { kind: 'poisson', perSecond: 5 }, 0.95, 1.05],
    ['Gamma below 1', { kind: 'gamma', perSecond: 5, shape: 0.25 }, 1.85, 2.15],
    ['Gamma above 1', { kind: 'gamma', perSecond: 5, shape: 16 }, 0.23, 0.27],
    ['on and off', { kind: 'on_off', perSecond: 5, onNs: S, offNs: 4 * S }, 2, 10],
  ])('%s: the rate of the whole, and as uneven as asked for', (_, arrivals, least, most) => {
    const moments = take(arrivals, 20_000);
    expect(moments.every((atNs, index) => atNs >= (moments[index - 1] ?? 0))).toBe(true);
    expect(20_000 / ((moments.at(-1) ?? 0) / S)).toBeGreaterThan(4.8);
    expect(20_000 / ((moments.at(-1) ?? 0) / S)).toBeLessThan(5.2);
    expect(unevenness(moments)).toBeGreaterThan(least);
    expect(unevenness(moments)).toBeLessThan(most);
  });

  test('on and off: nothing is due while it is off', () => {
    const moments = take({ kind: 'on_off', perSecond: 50, onNs: S, offNs: 4 * S }, 5_000);
    expect(moments.filter((atNs) => atNs % (5 * S) > S)).toEqual([]);
  });

  test('the same seed gives the same ones, and another one does not', () => {
    const arrivals: Arrivals = { kind: 'gamma', perSecond: 5, shape: 0.5 };
    expect(take(arrivals, 50, 7)).toEqual(take(arrivals, 50, 7));
    expect(take(arrivals, 50, 7)).not.toEqual(take(arrivals, 50, 8));
  });
});

describe('lengths', () => {
  test.each<[string, Lengths | undefined]>([
    ['256', { kind: 'uniform', least: 256, most: 256 }],
    ['64-512', { kind: 'uniform', least: 64, most: 512 }],
    ['32,64,128', { kind: 'list', lengths: [32, 64, 128] }],
    ['lognormal:200,0.8', { kind: 'lognormal', median: 200, spread: 0.8, most: 12_800 }],
    ['lognormal:200,0.8,900', { kind: 'lognormal', median: 200, spread: 0.8, most: 900 }],
    ['0', undefined],
    ['512-64', undefined],
    ['1000001', undefined],
    ['lognormal:200,0.8,100', undefined],
    ['lognormal:0,1', undefined],
    ['1,,2', undefined],
    ['', undefined],
    ['12.5', undefined],
  ])('%s', (word, lengths) => expect(readLengths(word)).toEqual(lengths));

  test('a lognormal one has its median, and stays below its bound', () => {
    const random = seededRandom(5);
    const lengths: Lengths = { kind: 'lognormal', median: 200, spread: 0.8, most: 900 };
    const drawn = Array.from({ length: 5_000 }, () => drawLength(lengths, random)).toSorted((a, b) => a - b);
    expect(drawn[2_500]).toBeGreaterThan(190);
    expect(drawn[2_500]).toBeLessThan(210);
    expect([(drawn[0] ?? 0) >= 1, drawn.at(-1)]).toEqual([true, 900]);
  });
});

describe('a mix', () => {
  const fixed = (tokens: number): Lengths => ({ kind: 'uniform', least: tokens, most: tokens });
  const classes: LoadClass[] = [
    { name: 'chat', share: 3, promptTokens: fixed(10), outputTokens: fixed(20) },
    { name: 'batch', share: 1, promptTokens: { kind: 'uniform', least: 100, most: 200 }, outputTokens: fixed(40) },
  ];

  function planOf(schedule: Schedule, count: number): Planned[] {
    const planned: Planned[] = [];
    for (const one of planRequests(classes, schedule, 1)) if (planned.push(one) === count) break;
    return planned;
  }

  test('has the shares of its classes, each with its own lengths', () => {
    const planned = planOf({ kind: 'closed' }, 4_000);
    const chat = planned.filter((one) => one.class === 'chat');
    expect(chat.length).toBeGreaterThan(2_900);
    expect(chat.length).toBeLessThan(3_100);
    expect(new Set(chat.map(({ promptTokens, outputTokens }) => `${promptTokens} ${outputTokens}`))).toEqual(
      new Set(['10 20']),
    );
    expect(planned.every(({ dueAtNs, ordinal }, index) => dueAtNs === undefined && ordinal === index)).toBe(true);
    expect(new Set(planned.map(({ seed }) => seed)).size).toBe(4_000);
  });

  test('another rate asks for the same, at other moments', () => {
    const plan = (perSecond: number) => planOf({ kind: 'open', arrivals: { kind: 'poisson', perSecond } }, 50);
    const withoutMoments = (perSecond: number) => plan(perSecond).map((one) => ({ ...one, dueAtNs: 0 }));
    expect(withoutMoments(9)).toEqual(withoutMoments(2));
    expect(plan(9)[10]?.dueAtNs).toBeLessThan(plan(2)[10]?.dueAtNs ?? 0);
  });

  test('of a trace has what the trace says, and draws the rest', () => {
    const recorded = [
      { atNs: 0, class: 'other', outputTokens: 7 },
      { atNs: 5, class: 'chat', promptTokens: 3 },
    ];
    expect([...planRequests(classes, { kind: 'recorded', recorded }, 1)]).toMatchObject([
      { dueAtNs: 0, class: 'other', outputTokens: 7 },
      { dueAtNs: 5, class: 'chat', promptTokens: 3, outputTokens: 20 },
    ]);
  });
});
