// Goal: what the speed bench prints and draws is what was measured: medians, extremes, what is added, what is void.
// Method: made-up results through the pure writers, and the command line through its reader.
import { describe, expect, it } from 'vitest';
import { spentTicks } from '../../bench/harness/processes.ts';
import { short } from '../../bench/harness/stats.ts';
import { readOptions } from '../../bench/speed/options.ts';
import { panelsOf } from '../../bench/speed/panels.ts';
import { barsSvg } from '../../bench/speed/plot.ts';
import { within } from '../../bench/speed/scenarios/exporting.ts';
import { judge } from '../../bench/speed/targets.ts';
import { markdownOf } from '../../bench/speed/text.ts';

const CONTENDERS = [
  { key: 'direct', title: 'no proxy' },
  { key: 'nginx', title: 'nginx <&>' },
  { key: 'rubato', title: 'rubato' },
];
const RESULTS = {
  a: {
    direct: [{ chunkP50Ms: 0.1 }, { chunkP50Ms: 0.3 }, { chunkP50Ms: 0.2 }],
    nginx: [{ chunkP50Ms: 0.3, cpuUsPerChunk: 21 }],
    rubato: [{ chunkP50Ms: 0.5, cpuUsPerChunk: 50, toolShare: 0.99 }],
  },
};
const REPORT = {
  machine: 'M',
  loadText: 'L',
  titles: { a: 'steady' },
  contenders: CONTENDERS,
  results: RESULTS,
  judgements: judge(RESULTS),
  notes: ['somebody is left out'],
};

describe('what the speed bench tells', () => {
  it('writes median, extremes and what is added to the direct way', () => {
    const text = markdownOf(REPORT);
    expect(text).toContain('| no proxy | 0.2 (0.1 to 0.3) | – | – |');
    expect(text).toContain('| nginx <&> | 0.3 +0.1 | 21 | – |');
    expect(text).toContain('| rubato (void) | 0.5 +0.3 | 50 | 0.99 |');
    expect(text).toContain('- somebody is left out');
    expect(text).toMatch(/CPU a chunk, whole.*not measured/);
  });

  it('draws each contender but the direct way, and marks what is void', () => {
    const panels = panelsOf(RESULTS, CONTENDERS);
    expect(panels.map(({ title }) => title)).toEqual(['(a) added: chunk p50, ms', '(a) CPU a chunk, µs']);
    expect(panels[1]?.bars).toEqual([
      { name: 'nginx <&>', median: 21, min: 21, max: 21, isVoid: false, isOwn: false },
      { name: 'rubato', median: 50, min: 50, max: 50, isVoid: true, isOwn: true },
    ]);
    const svg = barsSvg(panels, short);
    expect(svg).toContain('nginx &lt;&amp;&gt;');
    expect(svg.match(/opacity/g)).toHaveLength(2);
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('has no panel for what was not measured', () => {
    expect(panelsOf({}, CONTENDERS)).toEqual([]);
  });
});

describe('the command line of the speed bench', () => {
  const ALL = { scenarios: ['a', 'b'], contenders: ['direct', 'nginx', 'rubato'] };

  it('measures everything, five turns each, unless told otherwise', () => {
    expect(readOptions([], ALL)).toEqual({ ...ALL, turnCount: 5, scale: 1 });
    expect(readOptions(['--quick'], ALL)).toMatchObject({ turnCount: 2, scale: 0.34 });
    expect(readOptions(['--quick', '--turns', '3'], ALL)).toMatchObject({ turnCount: 3, scale: 0.34 });
  });

  it('keeps the direct way, and the order of the table', () => {
    const { contenders, scenarios } = readOptions(['--contender', 'rubato', '--scenario', 'b,a'], ALL);
    expect({ contenders, scenarios }).toEqual({ contenders: ['direct', 'rubato'], scenarios: ['a', 'b'] });
  });

  it('says what there is when asked for what there is not', () => {
    expect(() => readOptions(['--scenario', 'z'], ALL)).toThrow('There is no scenario z. There are: a, b.');
    expect(() => readOptions(['--contender', 'x,nginx'], ALL)).toThrow('There is no contender x.');
    expect(() => readOptions(['--turns', '0'], ALL)).toThrow('--turns');
  });
});

describe('reading the machine', () => {
  it('counts all that was done, and neither idleness nor waiting for disks', () => {
    expect(spentTicks('cpu  1 2 4 800 1600 8 16 32 64 128\ncpu0 9 9 9 9')).toBe(63);
  });

  it('knows which moments lie within a stretch, its ends included', () => {
    const stretches = [
      { fromNs: 10, toNs: 20 },
      { fromNs: 15, toNs: 30 },
    ];
    expect(within([9, 10, 30, 31], stretches)).toEqual([false, true, true, false]);
  });
});
