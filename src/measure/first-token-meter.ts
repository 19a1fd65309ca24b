// Finds the first token of an exchange, and the first visible one, while it runs. The same code runs
// live in the observer and over a frozen record. Calls come in the order of the gap meter's.
//
// The first token is the first event with a generated fragment on any channel of any choice; the first
// visible one is the first with a fragment on a channel other than reasoning.
import type { ChunkRows } from '../record/chunk-log.ts';
import { VISIBLE_CHANNEL_BITS } from '../record/kinds.ts';

export interface FirstTokenListener {
  /** Request head received → chunk with the first token accepted by the kernel for the client. */
  onFirstToken(ttftNs: number, row: number): void;
  /** Request head received → chunk with the first visible token accepted by the kernel for the client. */
  onFirstVisibleToken(ttfoNs: number, row: number): void;
}

export class FirstTokenMeter {
  readonly #chunks: ChunkRows;
  readonly #listener: FirstTokenListener;
  #firstRow: number | undefined;
  #firstVisibleRow: number | undefined;
  #ttftNs: number | undefined;

  constructor(chunks: ChunkRows, listener: FirstTokenListener) {
    this.#chunks = chunks;
    this.#listener = listener;
  }

  /** Row of the chunk that completed the first token, delivered or not. */
  get firstRow(): number | undefined {
    return this.#firstRow;
  }

  /** As it was told; absent before that, and where it is not known. */
  get ttftNs(): number | undefined {
    return this.#ttftNs;
  }

  /** An event with these generated channels (not 0) was completed by the chunk in this row. */
  onGenerated(row: number, channels: number): void {
    if (this.#firstRow === undefined) {
      this.#firstRow = row;
      if (this.#delivered(row)) this.#tellFirst(row);
    }
    if (this.#firstVisibleRow === undefined && (channels & VISIBLE_CHANNEL_BITS) !== 0) {
      this.#firstVisibleRow = row;
      if (this.#delivered(row)) this.#tellFirstVisible(row);
    }
  }

  /** The flush stamp of this row was written into the chunk log. Once a row. */
  onFlush(row: number): void {
    if (row === this.#firstRow) this.#tellFirst(row);
    if (row === this.#firstVisibleRow) this.#tellFirstVisible(row);
  }

  #delivered(row: number): boolean {
    return this.#chunks.flushedAtNs(row) !== null;
  }

  // Where overload took away bytes before, an earlier token may have been among them: no sample.

  #tellFirst(row: number): void {
    if (this.#chunks.lostIn(0, row)) return;
    this.#ttftNs = this.#flushedAtNs(row);
    this.#listener.onFirstToken(this.#ttftNs, row);
  }

  #tellFirstVisible(row: number): void {
    if (!this.#chunks.lostIn(0, row)) this.#listener.onFirstVisibleToken(this.#flushedAtNs(row), row);
  }

  #flushedAtNs(row: number): number {
    return this.#chunks.flushedAtNs(row) as number;
  }
}
