// The log of one exchange's chunks: one row a chunk, packed while the exchange runs and expanded to columns
// at its end, and totals that go on counting when the log is full. Knows nothing of tape, parser or figures.
import assert from 'node:assert/strict';
import { CHUNK_LOG_MAX_COUNT } from '../base/limits.ts';
import { CHUNK_AFTER_LOSS, CHUNK_BYTES_OMITTED } from './kinds.ts';
import {
  BOUND,
  BYTES,
  FLAGS,
  FLAGS_BIT,
  FLUSHED,
  FLUSHED_BIT,
  QUEUED,
  QUEUED_BIT,
  RECEIVED,
  ROW_MAX_BYTES,
  SAME_BOUND_BIT,
  SAME_BYTES_BIT,
  SAME_READ_BIT,
  STRIDE,
  UNKNOWN,
  unpackRow,
  Unpacker,
  WRITTEN,
} from './chunk-rows.ts';
import { type Cursor, NO_BYTES, PackedRows } from './packed-rows.ts';

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

/**
 * Rows that stay loose although their flush is known: meters look at the last one again and again, and seldom
 * further back.
 */
const LOOSE_LEAST_COUNT = 2;

export class ChunkLog implements ChunkRows {
  readonly #packed = new PackedRows(ROW_MAX_BYTES);
  /** Values of the latest rows, one row behind the other: a flush of theirs may still become known. */
  readonly #loose: number[] = [];
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

  /** Rows before this one have the flush that they will ever have. */
  get settledCount(): number {
    return this.#settledCount;
  }

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

  /**
   * Shows the stamps of the rows that were received or flushed at `sinceAtNs` or later, and of some before them, in no
   * order; a flush that is not known is below 0. Reads from the end of the log and gives up after about `maxCount`
   * rows. Returns the moment from which on it has shown all.
   */
  eachSince(sinceAtNs: number, maxCount: number, see: (receivedAtNs: number, flushedAtNs: number) => void): number {
    let leftCount = maxCount;
    let end = this.#packed.count;
    for (let row = this.rowCount - 1; row >= end; row -= 1) {
      const [receivedAtNs, flushedAtNs] = [this.#valueOf(row, RECEIVED), this.#valueOf(row, FLUSHED)];
      if (Math.max(receivedAtNs, flushedAtNs) < sinceAtNs) {
        if (row < this.#settledCount) return sinceAtNs;
        // Rows that wait for their flush may be many; those before them were flushed, maybe just now.
        row = Math.max(this.#settledCount, end);
        continue;
      }
      see(receivedAtNs, flushedAtNs);
      leftCount -= 1;
      if (leftCount <= 0) return Math.max(receivedAtNs, flushedAtNs);
    }
    const cursor: Cursor = { bytes: NO_BYTES, at: 0 };
    const unpacker = new Unpacker();
    for (const start of this.#packed.blockStartsBackwards()) {
      const firstAtNs = seeBlock(unpacker, { cursor, from: this.#packed.seek(start, cursor), to: end }, see);
      leftCount -= end - start;
      end = start;
      if (firstAtNs < sinceAtNs) return sinceAtNs;
      if (leftCount <= 0) return firstAtNs;
    }
    return sinceAtNs;
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
    // Asked some ten times a chunk, so the message is put together only for who will read it.
    if (value === undefined) assert.fail(`row ${row} is not in a log of ${this.rowCount}`);
    return value;
  }

  /** Packs the rows that will not change any more, but for the last of them. */
  #pack(): void {
    const count = Math.min(this.#settledCount - this.#packed.count, this.#loose.length / STRIDE - LOOSE_LEAST_COUNT);
    if (count <= 0) return;
    const packedLength = count * STRIDE;
    for (let at = 0; at < packedLength; at += STRIDE) this.#packOne(at);
    const loose = this.#loose;
    // Two or three rows, once a chunk: by hand it takes a tenth of what `copyWithin` does.
    for (let at = packedLength; at < loose.length; at += 1) loose[at - packedLength] = loose[at] as number;
    loose.length -= packedLength;
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

/** Shows the rows of one block; returns the later stamp of its first one. */
function seeBlock(
  unpacker: Unpacker,
  { cursor, from, to }: { readonly cursor: Cursor; readonly from: number; readonly to: number },
  see: (receivedAtNs: number, flushedAtNs: number) => void,
): number {
  let firstAtNs = 0;
  for (let row = from; row < to; row += 1) {
    const values = unpacker.read(cursor, row === from);
    const [receivedAtNs, flushedAtNs] = [values[RECEIVED] as number, values[FLUSHED] as number];
    if (row === from) firstAtNs = Math.max(receivedAtNs, flushedAtNs);
    see(receivedAtNs, flushedAtNs);
  }
  return firstAtNs;
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
