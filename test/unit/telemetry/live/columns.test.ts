// Goal: each column of the heatmap has the gaps that its second brought, by class and of all models, and no other.
// Method: a real metric store, gaps recorded by hand, and moments that are told.
import { expect, test } from 'vitest';
import { LIVE_COLUMNS_MAX_COUNT } from '../../../../src/base/live-limits.ts';
import { GAP } from '../../../../src/measure/gap.ts';
import { GAP_EDGES_NS, GapColumns } from '../../../../src/telemetry/live/columns.ts';
import { createMetricStore } from '../../../../src/telemetry/store.ts';

const MS = 1e6;

function setUp() {
  const store = createMetricStore({ specs: [GAP], known: {}, startEpochMs: 0 });
  const gap = (lengthMs: number, labels = { class: 'a', model: 'm', point: 'received' }): void =>
    store.histogram(GAP, labels).record(lengthMs * MS);
  return { gap, columns: new GapColumns(store) };
}

/** Row → count, of rows that have any. */
function rowsOf(counts: readonly number[] = []): [number, number][] {
  return [...counts.entries()].filter(([, count]) => count > 0);
}

const rowOf = (lengthMs: number): number => GAP_EDGES_NS.findIndex((edgeNs) => lengthMs * MS <= edgeNs);

test('edges are those of the metric, in ns', () => {
  expect([GAP_EDGES_NS[0], GAP_EDGES_NS.at(-1), GAP_EDGES_NS.length]).toEqual([250_000, 120e9, 25]);
});

test('a column has what came since the one before, summed over models, at the received point', () => {
  const { gap, columns } = setUp();
  gap(20);
  columns.look(5_020);
  gap(20);
  gap(20, { class: 'a', model: 'n', point: 'received' });
  gap(400, { class: 'b', model: 'n', point: 'received' });
  gap(20, { class: 'a', model: 'm', point: 'flushed' });
  columns.look(6_999);
  columns.look(7_020);
  const [first, second, third] = columns.after(0);
  expect([first?.atEpochMs, second?.atEpochMs, third?.atEpochMs]).toEqual([4_000, 5_000, 6_000]);
  expect(rowsOf(first?.counts['a'])).toEqual([[rowOf(20), 1]]);
  expect(rowsOf(second?.counts['a'])).toEqual([[rowOf(20), 2]]);
  expect(rowsOf(second?.counts['b'])).toEqual([[rowOf(400), 1]]);
  expect(second?.counts['a']).toHaveLength(GAP_EDGES_NS.length + 1);
  expect(third).toEqual({ atEpochMs: 6_000, counts: {} });
});

test('gaps from before it began to look are in no column, and one beyond all edges is in the last row', () => {
  const store = createMetricStore({ specs: [GAP], known: {}, startEpochMs: 0 });
  const series = store.histogram(GAP, { class: 'a', model: 'm', point: 'received' });
  series.record(20 * MS);
  const columns = new GapColumns(store);
  series.record(500_000 * MS);
  columns.look(2_000);
  expect(rowsOf(columns.after(0)[0]?.counts['a'])).toEqual([[GAP_EDGES_NS.length, 1]]);
});

test('who has seen so many gets the others, and no more are remembered than fit', () => {
  const { columns } = setUp();
  for (let second = 1; second <= LIVE_COLUMNS_MAX_COUNT + 10; second += 1) columns.look(second * 1_000 + 20);
  expect(columns.madeCount).toBe(LIVE_COLUMNS_MAX_COUNT + 10);
  expect(columns.after(columns.madeCount)).toEqual([]);
  expect(columns.after(columns.madeCount - 2).map(({ atEpochMs }) => atEpochMs)).toEqual([608_000, 609_000]);
  expect([columns.after(0).length, columns.after(0)[0]?.atEpochMs]).toEqual([LIVE_COLUMNS_MAX_COUNT, 10_000]);
});

test('a wall clock that is set back makes what lies ahead of it void, and columns stay in order', () => {
  const { gap, columns } = setUp();
  for (const second of [10, 11, 12]) columns.look(second * 1_000 + 20);
  gap(20);
  columns.look(11_020);
  expect(columns.after(0).map(({ atEpochMs }) => atEpochMs)).toEqual([9_000, 10_000]);
  expect(rowsOf(columns.after(0)[1]?.counts['a'])).toEqual([[rowOf(20), 1]]);
});
