// Goal: pictures show what was counted: every gap in its cell, every step of a curve at its place, whatever the number
// of chunks. Method: small grids and staircases with exact values, and a long one beside its whole.
import { describe, expect, test } from 'vitest';
import {
  cellWords,
  gridWords,
  type HeatAsk,
  heatGrid,
  heatLevel,
  rowPlace,
} from '../../../src/page/charts/heatmap-data.ts';
import { histogramColumns } from '../../../src/page/charts/histogram-data.ts';
import { evenMoments, levelsAt, staircase } from '../../../src/page/charts/sample-curve.ts';

const EDGES_NS = [1e6, 10e6, 100e6, 1e9];
const AT = 1_800_000_000_000;

function ask(overrides: Partial<HeatAsk> = {}): HeatAsk {
  const columns = [
    { atEpochMs: AT, counts: { chat: [0, 5, 0, 0, 0], batch: [0, 1, 0, 0, 0] } },
    { atEpochMs: AT + 2_000, counts: { chat: [0, 0, 2, 0, 0] } },
  ];
  const plain = { columns, edgesNs: EDGES_NS, columnMs: 1_000, columnsMaxCount: 600 };
  return { ...plain, className: undefined, linesNs: [], ...overrides };
}

describe('the grid of gaps', () => {
  test('has each column at its time, and the columns between them are not seen rather than empty', () => {
    const grid = heatGrid(ask());
    const last = (grid?.columnCount ?? 0) - 1;
    expect(grid?.fromEpochMs).toBe(AT + 2_000 - last * 1_000);
    expect([...(grid?.cells.keys() ?? [])]).toEqual([last - 2, last]);
    expect(grid?.cells.get(last - 2)).toEqual([0, 6, 0, 0]);
    expect(grid?.gapCount).toBe(8);
  });

  test('shows one class alone', () => {
    expect(heatGrid(ask({ className: 'batch' }))?.gapCount).toBe(1);
    expect(heatGrid(ask({ className: 'nobody' }))).toBeUndefined();
  });

  test('is not there without a gap', () => {
    expect(heatGrid(ask({ columns: [] }))).toBeUndefined();
    expect(heatGrid(ask({ columns: [{ atEpochMs: AT, counts: {} }] }))).toBeUndefined();
  });

  test('leaves out what is older than it may remember', () => {
    const grid = heatGrid(ask({ columnsMaxCount: 2 }));
    expect(grid?.gapCount).toBe(2);
    expect(grid?.columnCount).toBe(2);
  });

  test('shows the rows that hold something with one more on each side, and those of its lines', () => {
    expect(heatGrid(ask())?.rowEdgesNs).toEqual([1e6, 10e6, 100e6, 1e9]);
    expect(heatGrid(ask({ linesNs: [5e9] }))?.rowEdgesNs).toEqual([1e6, 10e6, 100e6, 1e9, Infinity]);
  });

  test('says of a cell when, how long and how many', () => {
    const grid = heatGrid(ask());
    if (grid === undefined) throw new Error('no grid');
    const last = grid.columnCount - 1;
    const plain = (text: string): string => text.replaceAll('\u202f', ' ');
    expect(plain(cellWords(grid, last, 2))).toMatch(/^\d\d:\d\d:\d\d, 10 ms to 100 ms: 2 gaps$/);
    expect(plain(cellWords(grid, last - 2, 0))).toMatch(/, 0 ms to 1 ms: 0 gaps$/);
    expect(plain(cellWords(grid, last - 1, 2))).toMatch(/: not seen$/);
    expect(plain(gridWords(grid))).toMatch(/^8 gaps from .*; the longest up to 100 ms\.$/);
  });
});

test('a single gap beside thousands has a colour, and nothing has none', () => {
  expect([0, 1, 1_000, 1_000_000].map((value) => heatLevel(value, 1_000_000))).toEqual([0, 1, 5, 9]);
  expect(heatLevel(1, 1)).toBe(9);
});

test('a length lies in its row by ratio', () => {
  const grid = heatGrid(ask({ linesNs: [5e9] }));
  if (grid === undefined) throw new Error('no grid');
  expect(rowPlace(grid, 10e6)).toBeCloseTo(2, 9);
  expect(rowPlace(grid, Math.sqrt(10e6 * 100e6))).toBeCloseTo(2.5, 9);
  expect(rowPlace(grid, 500_000)).toBeCloseTo(0.5, 9);
  expect(rowPlace(grid, 5e9)).toBe(4.5);
});

describe('a histogram', () => {
  test('goes down to nothing between bins that do not touch, and after the last', () => {
    const bins = [
      { fromNs: 10e6, toNs: 11e6, count: 4 },
      { fromNs: 11e6, toNs: 12e6, count: 2 },
      { fromNs: 40e6, toNs: 44e6, count: 1 },
    ];
    expect(histogramColumns(bins)).toEqual({ edgesMs: [10, 11, 12, 40, 44], counts: [4, 2, 0, 1, 0] });
  });

  test('has a place for the bin that begins at 0, which no logarithm has', () => {
    const { edgesMs } = histogramColumns([{ fromNs: 0, toNs: 1e6, count: 1 }]);
    expect(edgesMs).toEqual([0.8, 1]);
  });

  test('of nothing has no corners', () => {
    expect(histogramColumns([])).toEqual({ edgesMs: [], counts: [] });
  });
});

describe('a curve', () => {
  test('rises at its moments and not before', () => {
    const curve = staircase([
      { at: 5, rise: 2 },
      { at: 1, rise: 1 },
      { at: 5, rise: 3 },
    ]);
    expect(curve).toEqual({ at: [1, 5], level: [1, 6] });
    expect(levelsAt(curve, [0, 1, 4.9, 5, 9])).toEqual([0, 1, 1, 6, 6]);
  });

  test('has the same level in a window as in the whole', () => {
    const steps = Array.from({ length: 262_144 }, (_, index) => ({ at: index * 0.05, rise: 1 + (index % 3) }));
    const curve = staircase(steps);
    const window = evenMoments(5_000, 5_010, 50);
    const expected = window.map((moment) =>
      steps.reduce((sum, { at, rise }) => (at <= moment && at > 4_990 ? sum + rise : sum), 0),
    );
    const base = levelsAt(curve, [4_990])[0] ?? 0;
    expect(levelsAt(curve, window).map((level) => level - base)).toEqual(expected);
    expect(levelsAt(curve, evenMoments(0, 13_107.2, 2_000)).at(-1)).toBe(curve.level.at(-1));
  });

  test('is sampled at both of its ends', () => {
    expect(evenMoments(0, 0.3, 4)).toEqual([0, 0.09999999999999999, 0.19999999999999998, 0.3]);
    expect(evenMoments(2, 2, 100)).toEqual([2]);
  });
});
