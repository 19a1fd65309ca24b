// Results of the runs through two looks as Markdown: one row a recipe and rhythm, and the sums.
import { rank } from '../truth/figures.ts';
import type { Comparison, Grade } from './compare.ts';

/** Hold times are to agree with what the kernel saw within this. */
const NEAR_MS = 2;

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
  const { name, rhythm, expected, expectedWay, two, twoGrade, one, oneGrade, pairedBy, changes, truth, wire, load } =
    result;
  const cells = [
    name,
    rhythm,
    expectedWay === undefined ? expected : `${expected} by ${expectedWay}`,
    `${twoGrade}: ${said(two)}`,
    `${oneGrade}: ${said(one)}`,
    pairedBy ?? 'none',
    changes.length === 0 ? '–' : changes.join(', '),
    figures([truth.holdP50Ms, truth.holdP95Ms], 1),
    figures([wire?.holdP50Ms, wire?.holdP95Ms], 1),
    figures([wire?.errorP50Ms, wire?.errorP95Ms], 2),
    load.toFixed(1),
  ];
  return `| ${cells.join(' | ')} |`;
}

function figures(values: readonly (number | undefined)[], digits: number): string {
  return values.map((value) => value?.toFixed(digits) ?? '–').join(' / ');
}

/** In how many streams rubato's hold and the kernel's agree, at the worst of the 95 best in a hundred texts. */
function agreement(results: readonly ChainResult[]): string[] {
  const errors = results.flatMap(({ wire }) => (wire === undefined ? [] : [wire.errorP95Ms]));
  if (errors.length === 0) return [];
  const near = errors.filter((error) => error <= NEAR_MS).length;
  const middle = rank(errors, 0.5).toFixed(2);
  return [`Hold off by at most ${NEAR_MS} ms at p95: ${near} of ${errors.length} streams (half of them ${middle} ms).`];
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
    'hold p50 / p95 between the far ends, ms',
    'at the hop itself, ms',
    'off by p50 / p95, ms',
    'load',
  ];
  const judged = results.filter(({ expected }) => expected !== 'unsure');
  const sums = [
    `${judged.length} streams over ${new Set(judged.map(({ name }) => name)).size} configurations whose answer is known.`,
    `Two points: ${countOf(judged, ({ twoGrade }) => twoGrade)}.`,
    `One point in front of the hop: ${countOf(judged, ({ oneGrade }) => oneGrade)}.`,
    ...agreement(results),
    `One point behind the hop, where nothing is held: ${results.filter(({ innerWord }) => innerWord === 'holds').length} accusations in ${results.length}.`,
  ];
  const lines = [`| ${names.join(' | ')} |`, `| ${names.map(() => '---').join(' | ')} |`];
  return `${sums.join(' ')}\n\n${[...lines, ...results.map((result) => row(result))].join('\n')}\n`;
}
