// How a row of the chunk log lies in memory: seven values side by side while it may still change, and packed behind
// that. Reads packed rows; chunk-log.ts writes them, and knows when.
import { type Cursor, NO_BYTES, type PackedRows, readByte, readSigned, readUnsigned } from './packed-rows.ts';

/** Places of a row's values in the list of loose rows; a flush that is not known is below 0. */
export const RECEIVED = 0;
export const WRITTEN = 1;
export const FLUSHED = 2;
export const BOUND = 3;
export const BYTES = 4;
export const QUEUED = 5;
export const FLAGS = 6;
export const STRIDE = 7;
export const UNKNOWN = -1;

/** Bits of a packed row's first byte: what is as in the row before it, and what is there at all. */
export const SAME_READ_BIT = 1;
export const SAME_BOUND_BIT = 2;
export const SAME_BYTES_BIT = 4;
export const FLUSHED_BIT = 8;
export const QUEUED_BIT = 16;
export const FLAGS_BIT = 32;
/** That byte and seven numbers of at most eight bytes. */
export const ROW_MAX_BYTES = 57;

/** Reads packed rows one after the other into one list of values. */
export class Unpacker {
  readonly #values: number[] = [0, 0, 0, 0, 0, 0, 0];

  read(cursor: Cursor, first: boolean): readonly number[] {
    const values = this.#values;
    const head = readByte(cursor);
    const before = (place: number): number => (first ? 0 : (values[place] as number));
    const receivedAtNs = before(RECEIVED) + ((head & SAME_READ_BIT) !== 0 ? 0 : readSigned(cursor));
    const writtenAtNs = receivedAtNs + readSigned(cursor);
    values[RECEIVED] = receivedAtNs;
    values[WRITTEN] = writtenAtNs;
    values[FLUSHED] = (head & FLUSHED_BIT) !== 0 ? writtenAtNs + readSigned(cursor) : UNKNOWN;
    values[BOUND] = (head & SAME_BOUND_BIT) !== 0 ? before(BOUND) : readUnsigned(cursor);
    values[BYTES] = (head & SAME_BYTES_BIT) !== 0 ? before(BYTES) : readUnsigned(cursor);
    values[QUEUED] = (head & QUEUED_BIT) !== 0 ? readUnsigned(cursor) : 0;
    values[FLAGS] = (head & FLAGS_BIT) !== 0 ? readUnsigned(cursor) : 0;
    return values;
  }
}

export function unpackRow(packed: PackedRows, row: number): readonly number[] {
  const cursor: Cursor = { bytes: NO_BYTES, at: 0 };
  const unpacker = new Unpacker();
  let at = packed.seek(row, cursor);
  let values = unpacker.read(cursor, true);
  for (; at < row; at += 1) values = unpacker.read(cursor, false);
  return values;
}
