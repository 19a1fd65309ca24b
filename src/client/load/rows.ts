// Rows of the pages of a load: a name and its cells, numbers to the right. Lengths in ms; what is unknown is a dash.
import { ABSENT, showCount, showMs } from '../spread.ts';
import type { Rank, TallySpread } from './tally.ts';

const NAME_WIDTH = 42;
const CELL_WIDTH = 11;

export function spreadRow(name: string, spread: TallySpread): string {
  const mark = spread.banded ? '~' : '';
  const cells = [spread.p50Ns, spread.p95Ns, spread.p99Ns].map((rank) => mark + showRank(rank));
  return rowOf(`  ${name}`, [showCount(spread.count), ...cells, showRank(spread.maxNs)]);
}

export function showRank(rank: Rank | undefined): string {
  return rank === 'never' ? 'never' : showMs(rank);
}

export function showRate(perSecond: number | undefined): string {
  return perSecond === undefined ? ABSENT : perSecond.toFixed(perSecond < 100 ? 2 : 0);
}

export function rowOf(name: string, cells: readonly string[]): string {
  return name.padEnd(NAME_WIDTH) + cells.map((cell) => cell.padStart(CELL_WIDTH)).join('');
}

/** The first column to the left, the others to the right. */
export function tableOf(rows: readonly (readonly string[])[], width: number): string[] {
  const nameWidth = Math.max(...rows.map(([name = '']) => name.length)) + 2;
  return rows.map(([name = '', ...cells]) =>
    // Words that take more room than a number begin with two blanks of their own.
    (
      name.padEnd(nameWidth) + cells.map((cell) => (cell.startsWith('  ') ? cell : cell.padStart(width))).join('')
    ).trimEnd(),
  );
}
