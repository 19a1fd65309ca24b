// Gaps over time as a grid: which columns and rows are shown, what each cell counts, and what that is in words. Pure;
// colours and pixels are the canvas's business.
import type { GapColumn } from '../../telemetry/live/frame.ts';
import { clock, counted, span } from '../format.ts';

const NS_PER_MS = 1e6;
/** Fewer columns would be bars, and a page just opened would be one. */
const COLUMNS_LEAST_COUNT = 30;
/** Rows shown beyond those that hold anything. */
const MARGIN_ROWS = 1;
/** The darkest of the theme's colours; 0 is for cells with nothing in them. */
const HEAT_MOST = 9;

export interface HeatGrid {
  readonly fromEpochMs: number;
  readonly columnMs: number;
  readonly columnCount: number;
  /** Upper bounds of the rows shown, shortest first; the last may be Infinity. */
  readonly rowEdgesNs: readonly number[];
  /** Lower bound of the first row. */
  readonly floorNs: number;
  /** By column, then row; a column of which nothing is known is absent. */
  readonly cells: ReadonlyMap<number, readonly number[]>;
  readonly mostCount: number;
  readonly gapCount: number;
}

export interface HeatAsk {
  readonly columns: readonly GapColumn[];
  readonly edgesNs: readonly number[];
  readonly columnMs: number;
  readonly columnsMaxCount: number;
  /** Absent: of all classes together. */
  readonly className: string | undefined;
  /** Lengths that are drawn as lines, so that their rows are there. */
  readonly linesNs: readonly number[];
}

/** Undefined while no gap was counted. */
export function heatGrid({
  columns,
  edgesNs,
  columnMs,
  columnsMaxCount,
  className,
  linesNs,
}: HeatAsk): HeatGrid | undefined {
  const last = columns.at(-1);
  const first = columns[0];
  if (last === undefined || first === undefined || columnMs <= 0) return undefined;
  const spanCount = Math.round((last.atEpochMs - first.atEpochMs) / columnMs) + 1;
  const columnCount = Math.min(columnsMaxCount, Math.max(COLUMNS_LEAST_COUNT, spanCount));
  const fromEpochMs = last.atEpochMs - (columnCount - 1) * columnMs;
  const whole = new Map<number, readonly number[]>();
  const sums = Array.from({ length: edgesNs.length + 1 }, () => 0);
  for (const column of columns) {
    const at = Math.round((column.atEpochMs - fromEpochMs) / columnMs);
    if (at < 0 || at >= columnCount) continue;
    const counts = countsOf(column, className, sums.length);
    for (let row = 0; row < sums.length; row += 1) sums[row] = (sums[row] as number) + (counts[row] as number);
    whole.set(at, counts);
  }
  const gapCount = sums.reduce((sum, value) => sum + value, 0);
  if (gapCount === 0) return undefined;
  const { fromRow, toRow } = rowsShown(sums, edgesNs, linesNs);
  const cells = new Map([...whole].map(([at, counts]) => [at, counts.slice(fromRow, toRow + 1)]));
  return {
    fromEpochMs,
    columnMs,
    columnCount,
    rowEdgesNs: [...edgesNs, Infinity].slice(fromRow, toRow + 1),
    floorNs: edgesNs[fromRow - 1] ?? 0,
    cells,
    mostCount: Math.max(...[...cells.values()].map((counts) => Math.max(...counts))),
    gapCount,
  };
}

/** Plain loops: 600 columns of some classes are summed up twice a second. */
function countsOf({ counts }: GapColumn, className: string | undefined, length: number): number[] {
  const sums = Array.from({ length }, () => 0);
  for (const [name, each] of Object.entries(counts)) {
    if (className !== undefined && name !== className) continue;
    for (let row = 0; row < length; row += 1) sums[row] = (sums[row] as number) + (each[row] ?? 0);
  }
  return sums;
}

function rowsShown(sums: readonly number[], edgesNs: readonly number[], linesNs: readonly number[]) {
  const rowOf = (lengthNs: number): number => {
    const row = edgesNs.findIndex((edgeNs) => lengthNs <= edgeNs);
    return row === -1 ? edgesNs.length : row;
  };
  const filled = sums.flatMap((value, row) => (value > 0 ? [row] : []));
  const rows = [...filled, ...linesNs.map(rowOf)];
  return {
    fromRow: Math.max(0, Math.min(...rows) - MARGIN_ROWS),
    toRow: Math.min(sums.length - 1, Math.max(...rows) + MARGIN_ROWS),
  };
}

/** Colour of a count, 0 to 9: by its logarithm, so that single gaps beside thousands can still be seen. */
export function heatLevel(value: number, mostCount: number): number {
  if (value <= 0) return 0;
  if (mostCount <= 1) return HEAT_MOST;
  return 1 + Math.round((HEAT_MOST - 1) * (Math.log(value) / Math.log(mostCount)));
}

/** Place of a length among the rows, from below: 2.5 is the middle of the third. By ratio within a row. */
export function rowPlace({ rowEdgesNs, floorNs }: HeatGrid, lengthNs: number): number | undefined {
  if (lengthNs < floorNs) return undefined;
  const row = rowEdgesNs.findIndex((edgeNs) => lengthNs <= edgeNs);
  if (row === -1) return undefined;
  const to = rowEdgesNs[row] as number;
  const from = row === 0 ? floorNs : (rowEdgesNs[row - 1] as number);
  if (to === Infinity) return row + 0.5;
  if (from <= 0) return row + lengthNs / to;
  return row + Math.log(lengthNs / from) / Math.log(to / from);
}

/** One cell in words: when, how long, how many. */
export function cellWords(grid: HeatGrid, column: number, row: number): string {
  const { fromEpochMs, columnMs, rowEdgesNs, floorNs, cells } = grid;
  const at = fromEpochMs + column * columnMs;
  const fromNs = row === 0 ? floorNs : (rowEdgesNs[row - 1] ?? 0);
  const toNs = rowEdgesNs[row] ?? Infinity;
  const length =
    toNs === Infinity
      ? `above ${span(fromNs / NS_PER_MS)}`
      : `${span(fromNs / NS_PER_MS)} to ${span(toNs / NS_PER_MS)}`;
  const value = cells.get(column)?.[row];
  const gaps = value === undefined ? 'not seen' : counted(value, 'gap', 'gaps');
  return `${clock(at)}, ${length}: ${gaps}`;
}

/** All of it in a sentence. */
export function gridWords(grid: HeatGrid): string {
  const { fromEpochMs, columnMs, columnCount, gapCount } = grid;
  const longest = longestRow(grid);
  const top = grid.rowEdgesNs[longest] ?? Infinity;
  const most =
    top === Infinity
      ? `above ${span((grid.rowEdgesNs[longest - 1] ?? 0) / NS_PER_MS)}`
      : `up to ${span(top / NS_PER_MS)}`;
  return `${counted(gapCount, 'gap', 'gaps')} from ${clock(fromEpochMs)} to ${clock(fromEpochMs + columnCount * columnMs)}; the longest ${most}.`;
}

function longestRow({ rowEdgesNs, cells }: HeatGrid): number {
  for (let row = rowEdgesNs.length - 1; row > 0; row -= 1) {
    for (const counts of cells.values()) if ((counts[row] ?? 0) > 0) return row;
  }
  return 0;
}
