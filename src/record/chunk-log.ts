// The log of one exchange's chunks: one row a chunk, packed while the exchange runs and expanded to columns
// at its end, and totals that go on counting when the log is full. Knows nothing of tape, parser or figures.
import assert from 'node:assert/strict';
import { CHUNK_LOG_MAX_COUNT } from '../base/limits.ts';
import { CHUNK_AFTER_LOSS, CHUNK_BYTES_OMITTED } from './kinds.ts';
import { type Cursor, NO_BYTES, PackedRows, readByte, readSigned, readUnsigned } from './packed-rows.ts';

/**
 * Parallel columns, one entry a chunk in order of arrival. Moments are ns since the exchange's
 * request head was received.
 */
export interface ChunkColumns {
  /** The read's first stamp: all chunks of one turn of the relay's loop share it. */
  readonly receivedAtNs: number[];
  /** The chunk was given to the client's socket. */
  readonly writtenAtNs: number[];
  /** The kernel accepted the chunk's last byte; null when that never came to our knowledge. */
  readonly flushedAtNs: (number | null)[];
  /** Upper bound of the error of `receivedAtNs`: how long the relay's loop was busy before it. */
  readonly errorBoundNs: number[];
  /** Body bytes, transfer coding removed. */
  readonly bytes: number[];
  /** Bytes queued in user space towards the client right after this chunk was written. */
  readonly queuedBytes: number[];
  /** Bit set, see kinds.ts `CHUNK_…`. */
  readonly flags: number[];
}

/** One row of {@link ChunkColumns}, less its flush stamp. */
export interface ChunkRow {
  readonly receivedAtNs: number;
  readonly writtenAtNs: number;
  readonly errorBoundNs: number;
  readonly bytes: number;
  readonly queuedBytes: number;
  readonly flags: number;
}

/** What meters look at, row by row, of a log that runs or of columns that are frozen. */
export interface ChunkRows {
  receivedAtNs(row: number): number;
  errorBoundNs(row: number): number;
  /** Null as long as it is not known, for ever when it never will be. */
  flushedAtNs(row: number): number | null;
  /** Whether overload took bytes or whole chunks out of the rows `fromRow` to `toRow` (both included). */
  lostIn(fromRow: number, toRow: number): boolean;
}

export const LOSS_BITS = CHUNK_AFTER_LOSS | CHUNK_BYTES_OMITTED;

/** Places of a row's values in the list of loose rows; a flush that is not known is below 0. */
const RECEIVED = 0;
const WRITTEN = 1;
const FLUSHED = 2;
const BOUND = 3;
const BYTES = 4;
const QUEUED = 5;
const FLAGS = 6;
const STRIDE = 7;
const UNKNOWN = -1;

/** Bits of a packed row's first byte: what is as in the row before it, and what is there at all. */
const SAME_READ_BIT = 1;
const SAME_BOUND_BIT = 2;
const SAME_BYTES_BIT = 4;
const FLUSHED_BIT = 8;
const QUEUED_BIT = 16;
const FLAGS_BIT = 32;
/** That byte and seven numbers of at most eight bytes. */
const ROW_MAX_BYTES = 57;

/**
 * Rows that stay loose although their flush is known: meters look at the last one again and again, and seldom
 * further back.
 */
const LOOSE_LEAST_COUNT = 2;

export class ChunkLog implements ChunkRows {
  readonly #packed = new PackedRows(ROW_MAX_BYTES);
  /** Values of the latest rows, one row behind the other: a flush of theirs may still become known. */
  readonly #loose: number[] = [];
  /** Rows before this one have the flush that they will ever have. */
  #settledCount = 0;
  // Of the row that was packed last: the next one is told by what differs.
  #packedAtNs = 0;
  #packedBoundNs = 0;
  #packedBytes = 0;
  /** Ranges of rows with a loss: first and last in turn, ascending. */
  readonly #lost: number[] = [];
  /** Chunks that came, kept or not. */
  totalCount = 0;
  /** Body bytes that came, kept or not. */
  totalBytes = 0;
  /** Of the chunks kept, bytes that the kernel is known to have accepted. */
  flushedBytes = 0;

  /** Rows kept. */
  get rowCount(): number {
    return this.#packed.count + this.#loose.length / STRIDE;
  }

  /** Adds a chunk; returns its row, or undefined when the log is full and only totals went on. */
  add(row: ChunkRow): number | undefined {
    this.totalCount += 1;
    this.totalBytes += row.bytes;
    const index = this.rowCount;
    if (index >= CHUNK_LOG_MAX_COUNT) return undefined;
    this.#pack();
    const { receivedAtNs, writtenAtNs, errorBoundNs, bytes, queuedBytes, flags } = row;
    this.#loose.push(receivedAtNs, writtenAtNs, UNKNOWN, errorBoundNs, bytes, queuedBytes, flags);
    if ((flags & LOSS_BITS) !== 0) this.#noteLoss(index);
    return index;
  }

  /**
   * Notes when the kernel accepted a chunk's last byte; false when there is no such row any more. Flushes
   * come in the order of rows: one that was passed over never comes, and its row may be packed without.
   */
  flush(index: number, atNs: number): boolean {
    const at = (index - this.#packed.count) * STRIDE;
    if (at < 0 || at >= this.#loose.length) return false;
    this.#loose[at + FLUSHED] = atNs;
    this.flushedBytes += this.#loose[at + BYTES] as number;
    this.#settledCount = Math.max(this.#settledCount, index + 1);
    return true;
  }

  /** Adds flags to a row that was just added, when its bytes have been looked at. */
  mark(index: number, flags: number): void {
    const at = (index - this.#packed.count) * STRIDE;
    if (at >= 0 && at < this.#loose.length) this.#loose[at + FLAGS] = (this.#loose[at + FLAGS] as number) | flags;
  }

  receivedAtNs(row: number): number {
    return this.#valueOf(row, RECEIVED);
  }

  errorBoundNs(row: number): number {
    return this.#valueOf(row, BOUND);
  }

  flushedAtNs(row: number): number | null {
    const atNs = this.#valueOf(row, FLUSHED);
    return atNs === UNKNOWN ? null : atNs;
  }

  lostIn(fromRow: number, toRow: number): boolean {
    // What is asked about is nearly always the end of the log.
    for (let at = this.#lost.length - 2; at >= 0; at -= 2) {
      if ((this.#lost[at + 1] as number) < fromRow) return false;
      if ((this.#lost[at] as number) <= toRow) return true;
    }
    return false;
  }

  /** All rows as columns: a fresh copy each time. */
  get columns(): ChunkColumns {
    const columns: ChunkColumns = {
      receivedAtNs: [],
      writtenAtNs: [],
      flushedAtNs: [],
      errorBoundNs: [],
      bytes: [],
      queuedBytes: [],
      flags: [],
    };
    const unpacker = new Unpacker();
    this.#packed.forEach((cursor, first) => addTo(columns, unpacker.read(cursor, first), 0));
    for (let at = 0; at < this.#loose.length; at += STRIDE) addTo(columns, this.#loose, at);
    return columns;
  }

  /** Gives the memory of all rows back; totals stay. Whoever made the log calls it once it is over. */
  release(): void {
    this.#packed.release();
    this.#loose.length = 0;
    this.#lost.length = 0;
  }

  #noteLoss(row: number): void {
    const last = this.#lost.length - 1;
    if (this.#lost[last] === row - 1) this.#lost[last] = row;
    else this.#lost.push(row, row);
  }

  #valueOf(row: number, place: number): number {
    const at = (row - this.#packed.count) * STRIDE;
    if (at < 0) return unpackRow(this.#packed, row)[place] as number;
    const value = this.#loose[at + place];
    assert(value !== undefined, `row ${row} is not in a log of ${this.rowCount}`);
    return value;
  }

  /** Packs the rows that will not change any more, but for the last of them. */
  #pack(): void {
    const count = Math.min(this.#settledCount - this.#packed.count, this.#loose.length / STRIDE - LOOSE_LEAST_COUNT);
    if (count <= 0) return;
    for (let at = 0; at < count * STRIDE; at += STRIDE) this.#packOne(at);
    this.#loose.copyWithin(0, count * STRIDE);
    this.#loose.length -= count * STRIDE;
  }

  #packOne(at: number): void {
    const packed = this.#packed;
    const valueOf = (place: number): number => this.#loose[at + place] as number;
    const [receivedAtNs, writtenAtNs, flushedAtNs] = [valueOf(RECEIVED), valueOf(WRITTEN), valueOf(FLUSHED)];
    const [boundNs, bytes, queuedBytes, flags] = [valueOf(BOUND), valueOf(BYTES), valueOf(QUEUED), valueOf(FLAGS)];
    if (packed.begin()) {
      this.#packedAtNs = 0;
      this.#packedBoundNs = 0;
      this.#packedBytes = 0;
    }
    const head =
      (receivedAtNs === this.#packedAtNs ? SAME_READ_BIT : 0) |
      (boundNs === this.#packedBoundNs ? SAME_BOUND_BIT : 0) |
      (bytes === this.#packedBytes ? SAME_BYTES_BIT : 0) |
      (flushedAtNs === UNKNOWN ? 0 : FLUSHED_BIT) |
      (queuedBytes === 0 ? 0 : QUEUED_BIT) |
      (flags === 0 ? 0 : FLAGS_BIT);
    packed.byte(head);
    if ((head & SAME_READ_BIT) === 0) packed.signed(receivedAtNs - this.#packedAtNs);
    packed.signed(writtenAtNs - receivedAtNs);
    if ((head & FLUSHED_BIT) !== 0) packed.signed(flushedAtNs - writtenAtNs);
    if ((head & SAME_BOUND_BIT) === 0) packed.unsigned(boundNs);
    if ((head & SAME_BYTES_BIT) === 0) packed.unsigned(bytes);
    if ((head & QUEUED_BIT) !== 0) packed.unsigned(queuedBytes);
    if ((head & FLAGS_BIT) !== 0) packed.unsigned(flags);
    this.#packedAtNs = receivedAtNs;
    this.#packedBoundNs = boundNs;
    this.#packedBytes = bytes;
  }
}

/** Reads packed rows one after the other into one list of values. */
class Unpacker {
  readonly #values: number[] = Array.from({ length: STRIDE }, () => 0);

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

function unpackRow(packed: PackedRows, row: number): readonly number[] {
  const cursor: Cursor = { bytes: NO_BYTES, at: 0 };
  const unpacker = new Unpacker();
  let at = packed.seek(row, cursor);
  let values = unpacker.read(cursor, true);
  for (; at < row; at += 1) values = unpacker.read(cursor, false);
  return values;
}

function addTo(columns: ChunkColumns, values: readonly number[], at: number): void {
  const valueOf = (place: number): number => values[at + place] as number;
  columns.receivedAtNs.push(valueOf(RECEIVED));
  columns.writtenAtNs.push(valueOf(WRITTEN));
  columns.flushedAtNs.push(valueOf(FLUSHED) === UNKNOWN ? null : valueOf(FLUSHED));
  columns.errorBoundNs.push(valueOf(BOUND));
  columns.bytes.push(valueOf(BYTES));
  columns.queuedBytes.push(valueOf(QUEUED));
  columns.flags.push(valueOf(FLAGS));
}
