// Reading the columns of a chunk log: one row, or whether chunks were lost on the way to it. Knows
// no figure.
import assert from 'node:assert/strict';
import { type ChunkColumns, type ChunkRows, LOSS_BITS } from '../record/chunk-log.ts';

/** The value of a row that must exist: a row outside the column is a programmer's error. */
export function valueAt<T>(column: readonly T[], row: number): T {
  const value = column[row];
  // The message is put together only for who will read it: for each of some thousand looks at a record, it was a third
  // of what measuring and judging one costs.
  if (value === undefined) assert.fail(`row ${row} is not in a column of ${column.length}`);
  return value;
}

/**
 * Whether overload took bytes or whole chunks out of the rows `fromRow` to `toRow` (both included). What
 * was lost may have held generated fragments, so a time across the loss is not a gap.
 */
export function lostIn(chunks: ChunkColumns, fromRow: number, toRow: number): boolean {
  for (let row = fromRow; row <= toRow; row += 1) {
    if ((valueAt(chunks.flags, row) & LOSS_BITS) !== 0) return true;
  }
  return false;
}

/** The columns of a frozen record as meters read them. */
export function rowsOf(chunks: ChunkColumns): ChunkRows {
  return {
    receivedAtNs: (row) => valueAt(chunks.receivedAtNs, row),
    errorBoundNs: (row) => valueAt(chunks.errorBoundNs, row),
    flushedAtNs: (row) => valueAt(chunks.flushedAtNs, row),
    lostIn: (fromRow, toRow) => lostIn(chunks, fromRow, toRow),
  };
}
