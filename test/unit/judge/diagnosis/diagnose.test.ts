// Goal: the diagnosis of an engine names what moved, the shape of its gaps, the side of the cliff and the causes that
// the figures speak for, ranked, and accuses nobody without a reason.
// Method: windows written down slice by slice, each cause alone and its near miss.
import { describe, expect, test } from 'vitest';
import { diagnose } from '../../../../src/judge/diagnosis/rules.ts';
import { counts, facts, slice, type FactsSpec, type Lengths, type SliceSpec } from '../../../support/diagnosis.ts';

const CALM: SliceSpec = { gapsMs: [[20, 500]], arrivalCount: 5, endCount: 5 };

function many(count: number, of: (index: number) => SliceSpec) {
  return Array.from({ length: count }, (_, index) => slice(of(index)));
}

function causesOf(spec: FactsSpec): string[] {
  return diagnose(facts(spec)).findings.map(({ cause }) => cause);
}

describe('a calm engine', () => {
  const calm: FactsSpec = {
    slices: many(60, () => CALM),
    ttftMs: [[300, 300]],
    before: { ttftMs: [[300, 1500]], gapsMs: [[20, 150_000]] },
  };

  test('is accused of nothing and gets no advice', () => {
    const diagnosis = diagnose(facts(calm));
    expect([diagnosis.findings, diagnosis.playbook, diagnosis.moved, diagnosis.p99Side]).toEqual([
      [],
      [],
      'none',
      'usual',
    ]);
    expect(diagnosis.shape?.modes).toHaveLength(1);
  });

  test('of which next to nothing is known is told as that', () => {
    const diagnosis = diagnose(facts({ slices: [] }));
    expect([diagnosis.moved, diagnosis.shape, diagnosis.findings]).toEqual(['unknown', undefined, []]);
  });
});

describe('what moved', () => {
  const before = { ttftMs: [[300, 1000]] as Lengths, tpotMs: [[20, 1000]] as Lengths, gapsMs: [[20, 9000]] as Lengths };
  const slices = many(60, () => CALM);

  test.each([
    ['ttft', 900, 20],
    ['tpot', 300, 40],
    ['both', 900, 40],
    ['none', 310, 21],
  ] as const)('%s', (moved, ttftMs, tpotMs) => {
    const spec: FactsSpec = { slices, ttftMs: [[ttftMs, 200]], tpotMs: [[tpotMs, 200]], before };
    expect(diagnose(facts(spec)).moved).toBe(moved);
  });
});

test('a percentile of few values that is higher by chance has not moved', () => {
  const slices = many(60, () => CALM);
  const before = { ttftMs: [[300, 1000]] as Lengths, gapsMs: [[20, 9000]] as Lengths };
  // Two of twenty: their p95 is the second longest.
  const few: Lengths = [
    [300, 18],
    [900, 2],
  ];
  expect(diagnose(facts({ slices, ttftMs: few, before })).moved).toBe('none');
});

describe('a slow mode', () => {
  /** Every fourth slice brings prompts; their steps take 90 ms. */
  const bursts = (index: number): SliceSpec =>
    index % 4 === 0
      ? {
          gapsMs: [
            [20, 460],
            [90, 40],
          ],
          arrivalCount: 12,
          endCount: 5,
          promptTokens: 90_000,
        }
      : {
          gapsMs: [
            [20, 498],
            [90, 2],
          ],
          arrivalCount: 3,
          endCount: 5,
          promptTokens: 3_000,
        };

  test('that comes and goes with prompts is prefill among streams, and the p99 gap is part of it', () => {
    const diagnosis = diagnose(facts({ slices: many(60, bursts), ttftMs: [[300, 300]] }));
    expect(diagnosis.findings[0]).toMatchObject({ cause: 'prefill_interference' });
    expect(diagnosis.findings[0]?.numbers['slowShare']).toBeCloseTo(0.023, 3);
    expect(diagnosis.p99Side).toBe('slow');
    expect(diagnosis.playbook.map(({ step }) => step.split(' ').slice(0, 4).join(' '))).toEqual([
      'Look at the prefix',
      'Make the chunk of',
      'Compute prefill elsewhere (disaggregation),',
    ]);
  });

  test('that goes with nothing is told as that, and nobody is named', () => {
    // In turns with another period than the arrivals'.
    const odd = (index: number): SliceSpec => ({
      ...bursts(0),
      gapsMs:
        index % 3 === 0
          ? [
              [20, 460],
              [90, 40],
            ]
          : [[20, 500]],
      arrivalCount: index % 2 === 0 ? 12 : 3,
      promptTokens: index % 2 === 0 ? 9_000 : 90_000,
    });
    expect(causesOf({ slices: many(60, odd) })).toContain('slow_mode_unexplained');
    expect(causesOf({ slices: many(60, odd) })).not.toContain('prefill_interference');
  });

  test('that is missing because prompts have all lengths does not hide prefill among streams', () => {
    // Each step is longer by what its prompt takes, and no two prompts are alike.
    const tail = (index: number): SliceSpec => ({
      gapsMs: [
        [20, 460],
        ...Array.from({ length: index % 4 === 0 ? 40 : 2 }, (_, at) => [22 * 1.07 ** (at % 40), 1] as const),
      ],
      arrivalCount: index % 4 === 0 ? 12 : 3,
      endCount: 5,
      promptTokens: index % 4 === 0 ? 90_000 : 3_000,
    });
    const { shape, findings } = diagnose(facts({ slices: many(60, tail) }));
    expect(shape?.modes).toHaveLength(1);
    expect(findings.map(({ cause }) => cause)).toEqual(['prefill_interference']);
  });

  test('below 1 % leaves the p99 gap among the usual ones', () => {
    const rare = (index: number): SliceSpec => ({
      ...CALM,
      gapsMs:
        index % 4 === 0
          ? [
              [20, 490],
              [90, 10],
            ]
          : [[20, 500]],
    });
    const diagnosis = diagnose(facts({ slices: many(60, rare) }));
    expect(diagnosis.shape?.slowRatio).toBeCloseTo(0.005, 4);
    expect(diagnosis.p99Side).toBe('usual');
  });
});

describe('the usual step', () => {
  const grown = (index: number): SliceSpec => {
    const stepMs = 20 + (index % 10) * 2;
    // Ten slices of a day: the more run, the longer the step.
    return { gapsMs: [[stepMs, 500 + 200 * (index % 10)]], arrivalCount: 5, endCount: 5 };
  };

  test('that grows with the streams that run is the batch or its context', () => {
    expect(causesOf({ slices: many(60, grown) })).toContain('batch_or_context_growth');
  });

  test('that is as long however many run is not', () => {
    const flat = (index: number): SliceSpec => ({ ...grown(index), gapsMs: [[20, 500 + 200 * (index % 10)]] });
    expect(causesOf({ slices: many(60, flat) })).toEqual([]);
  });

  const small: FactsSpec = { slices: many(60, () => ({ ...CALM, gapsMs: [[20, 500]] })) };

  test('far above the floor with few streams is the host', () => {
    expect(causesOf({ ...small, more: { floorNs: 5e6 } })).toEqual(['host_overhead']);
  });

  test.each([
    ['near the floor', small, 12e6],
    ['far above it with many streams', { slices: many(60, () => ({ ...CALM, gapsMs: [[20, 5_000]] })) }, 5e6],
  ] as const)('%s is not', (_what, spec, floorNs) => {
    expect(causesOf({ ...(spec as FactsSpec), more: { floorNs } })).toEqual([]);
  });
});

describe('the engine itself', () => {
  const slices = many(60, () => CALM);

  test('says that it threw requests out', () => {
    expect(causesOf({ slices, more: { preemptedCount: 7 } })).toEqual(['preemption']);
    expect(causesOf({ slices, more: { preemptedCount: 0 } })).toEqual([]);
  });

  test.each([
    [0.89, []],
    [0.9, ['kv_pressure']],
  ])('a KV cache %d full', (kvUsedMaxRatio, expected) => {
    expect(causesOf({ slices: many(60, () => ({ ...CALM, kvUsedMaxRatio })) })).toEqual(expected);
  });

  test('has ever more requests without a token, which is a queue and no regression', () => {
    const growing = many(60, (index) => ({ ...CALM, backlogMaxCount: 2 + Math.floor(index / 4) }));
    const { findings, playbook } = diagnose(facts({ slices: growing }));
    expect(findings.map(({ cause }) => cause)).toEqual(['queueing']);
    expect(findings[0]?.says).toContain('went from 4 to 14: rising latency is no regression');
    expect(playbook.at(-1)?.step).toBe('Add replicas.');
  });

  test.each([
    ['as many as before', (index: number): SliceSpec => ({ ...CALM, backlogMaxCount: 8 + (index % 3) })],
    ['one or two of them', (index: number): SliceSpec => ({ ...CALM, backlogMaxCount: index < 30 ? 0 : 2 })],
    ['streams that have not ended yet', (index: number): SliceSpec => ({ ...CALM, endCount: index < 15 ? 0 : 5 })],
  ])('has %s, which is no queue', (_what, of) => {
    expect(causesOf({ slices: many(60, of) })).toEqual([]);
  });

  test('with one that waits between two steps has no queue, with two in each tenth slice it has', () => {
    const waiting = (index: number, count: number): SliceSpec => {
      return { ...CALM, waitingMaxCount: index % 8 === 0 ? count : 0 };
    };
    expect(causesOf({ slices: many(60, (index) => waiting(index, 1)) })).toEqual([]);
    expect(causesOf({ slices: many(60, (index) => waiting(index, 2)) })).toEqual(['queueing']);
  });
});

describe('behind the engine', () => {
  const slices = many(60, () => CALM);

  test('gaps that are wider to the clients than from the engine', () => {
    expect(
      causesOf({
        slices,
        flushedMs: [
          [20, 25_000],
          [80, 3_000],
        ],
      }),
    ).toEqual(['downstream']);
    expect(causesOf({ slices, flushedMs: [[22, 30_000]] })).toEqual([]);
  });

  test('a hop that held half of what was seen on both sides of it', () => {
    expect(causesOf({ slices, more: { hopJudgedCount: 10, hopHeldCount: 5 } })).toEqual(['downstream']);
    expect(causesOf({ slices, more: { hopJudgedCount: 10, hopHeldCount: 4 } })).toEqual([]);
    expect(causesOf({ slices, more: { hopJudgedCount: 4, hopHeldCount: 4 } })).toEqual([]);
  });
});

test('counts keep their place to 9 %', () => {
  const two = counts([
    [100, 1],
    [110, 1],
  ]);
  expect(two.filter((count) => count > 0)).toHaveLength(2);
});
