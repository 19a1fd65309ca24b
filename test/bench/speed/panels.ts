// Which figures of the results are drawn, and how they become bars. Pure.
import { spreadOf } from '../harness/stats.ts';
import { FIGURES, type FigureKey, type Results } from './figures.ts';
import type { Bar, Panel } from './plot.ts';
import { isVoid, medianOf } from './targets.ts';
import { headOf, type Named } from './text.ts';

const DRAWN: readonly (readonly [string, FigureKey])[] = [
  ['a', 'chunkP50Ms'],
  ['a', 'chunkP99Ms'],
  ['a', 'cpuUsPerChunk'],
  ['b', 'chunkP50Ms'],
  ['b', 'chunkP99Ms'],
  ['b', 'cpuUsPerChunk'],
  ['c', 'chunksPerSecond'],
  ['d', 'firstP50Ms'],
  ['e', 'cpuUsPerRequest'],
  ['f', 'chunkP50Ms'],
  ['g', 'kibPerStream'],
  ['h', 'firstP50Ms'],
];

function barOf(results: Results, [scenario, figure]: readonly [string, FigureKey], { key, title }: Named): Bar[] {
  const turns = results[scenario]?.[key];
  const { beyond } = FIGURES[figure];
  // The direct way adds nothing to itself; where nothing is added it is no proxy to compare with either.
  if (turns === undefined || key === 'direct') return [];
  const baseline = beyond === undefined ? 0 : medianOf(results[scenario]?.['direct'], beyond);
  const values = turns.map((each) => (each[figure] ?? NaN) - baseline).filter((value) => Number.isFinite(value));
  if (values.length === 0) return [];
  return [
    {
      name: title,
      ...spreadOf(values),
      isVoid: isVoid(turns),
      isOwn: key.startsWith('rubato'),
    },
  ];
}

export function panelsOf(results: Results, contenders: readonly Named[]): Panel[] {
  return DRAWN.map(([scenario, figure]) => ({
    title: `(${scenario}) ${FIGURES[figure].beyond === undefined ? '' : 'added: '}${headOf(FIGURES[figure])}`,
    bars: contenders.flatMap((each) => barOf(results, [scenario, figure], each)),
  })).filter(({ bars }) => bars.length > 0);
}
