// Results of the runs through two looks as Markdown: one row a recipe and rhythm, and the sums.
import type { Comparison, Grade } from './compare.ts';

export interface ChainResult extends Comparison {
  readonly name: string;
  readonly rhythm: string;
  readonly expected: string;
  readonly expectedWay?: string;
  /** Of the last minute, when it ran. */
  readonly load: number;
}

function said({ word, way, signs }: Comparison['two']): string {
  const what = way === undefined ? word : `${word} by ${way}`;
  return signs.length === 0 ? what : `${what} (${signs.join(', ')})`;
}

function row(result: ChainResult): string {
  const { name, rhythm, expected, expectedWay, two, twoGrade, one, oneGrade, pairedBy, changes, truth, load } = result;
  const cells = [
    name,
    rhythm,
    expectedWay === undefined ? expected : `${expected} by ${expectedWay}`,
    `${twoGrade}: ${said(two)}`,
    `${oneGrade}: ${said(one)}`,
    pairedBy ?? 'none',
    changes.length === 0 ? '–' : changes.join(', '),
    `${truth.holdP50Ms.toFixed(1)} / ${truth.holdP95Ms.toFixed(1)}`,
    `${result.holdErrorP50Ms.toFixed(2)} / ${result.holdErrorP95Ms.toFixed(2)}`,
    load.toFixed(1),
  ];
  return `| ${cells.join(' | ')} |`;
}

function countOf(results: readonly ChainResult[], of: (result: ChainResult) => Grade): string {
  const counts = (['right', 'unsure', 'wrong'] as const).map(
    (grade) => `${results.filter((result) => of(result) === grade).length} ${grade}`,
  );
  return counts.join(', ');
}

export function chainTable(results: readonly ChainResult[]): string {
  const names = [
    'recipe',
    'rhythm',
    'by the recipe',
    'two points',
    'one point, in front',
    'paired by',
    'changes',
    'hold p50 / p95 by raw sockets, ms',
    'error of hold p50 / p95, ms',
    'load',
  ];
  const judged = results.filter(({ expected }) => expected !== 'unsure');
  const sums = [
    `${judged.length} streams over ${new Set(judged.map(({ name }) => name)).size} configurations whose answer is known.`,
    `Two points: ${countOf(judged, ({ twoGrade }) => twoGrade)}.`,
    `One point in front of the hop: ${countOf(judged, ({ oneGrade }) => oneGrade)}.`,
    `One point behind the hop, where nothing is held: ${results.filter(({ innerWord }) => innerWord === 'holds').length} accusations in ${results.length}.`,
  ];
  const lines = [`| ${names.join(' | ')} |`, `| ${names.map(() => '---').join(' | ')} |`];
  return `${sums.join(' ')}\n\n${[...lines, ...results.map((result) => row(result))].join('\n')}\n`;
}
