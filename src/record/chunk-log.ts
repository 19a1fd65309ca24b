// The log of one exchange's chunks: columns that grow, one row a chunk, and totals that go on
// counting when the log is full. Knows nothing of tape, parser or figures.
import { CHUNK_LOG_MAX_COUNT } from '../base/limits.ts';

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

export class ChunkLog {
  readonly columns: ChunkColumns = {
    receivedAtNs: [],
    writtenAtNs: [],
    flushedAtNs: [],
    errorBoundNs: [],
    bytes: [],
    queuedBytes: [],
    flags: [],
  };
  /** Chunks that came, kept or not. */
  totalCount = 0;
  /** Body bytes that came, kept or not. */
  totalBytes = 0;

  /** Adds a chunk; returns its row, or undefined when the log is full and only totals went on. */
  add(row: ChunkRow): number | undefined {
    this.totalCount += 1;
    this.totalBytes += row.bytes;
    const { columns } = this;
    const index = columns.receivedAtNs.length;
    if (index >= CHUNK_LOG_MAX_COUNT) return undefined;
    columns.receivedAtNs.push(row.receivedAtNs);
    columns.writtenAtNs.push(row.writtenAtNs);
    columns.flushedAtNs.push(null);
    columns.errorBoundNs.push(row.errorBoundNs);
    columns.bytes.push(row.bytes);
    columns.queuedBytes.push(row.queuedBytes);
    columns.flags.push(row.flags);
    return index;
  }

  /** Of the chunks kept, bytes that the kernel is known to have accepted. */
  get flushedBytes(): number {
    const { bytes, flushedAtNs } = this.columns;
    return bytes.reduce((sum, count, row) => sum + (flushedAtNs[row] === null ? 0 : count), 0);
  }

  /** Notes when the kernel accepted a chunk's last byte. Unknown rows are ignored (the log was full). */
  flush(index: number, atNs: number): void {
    if (index < this.columns.flushedAtNs.length) this.columns.flushedAtNs[index] = atNs;
  }
}
