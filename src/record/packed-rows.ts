// Rows of numbers as bytes: variable-length integers in small blocks out of pages that all logs share. A row
// of a chunk takes about 13 bytes here and 100 as numbers in arrays, which is what decides how many streams
// fit into a machine. Knows numbers and blocks, not what a row means.
//
// Blocks are taken and given back by hand. As objects of their own they would cost more than they hold, and
// the garbage of thousands of logs that grow by doubling was measured at 70 KiB a stream.
import assert from 'node:assert/strict';
import { LOG_BLOCK_BYTES, LOG_PAGE_BYTES, LOG_PAGES_SPARE_COUNT } from '../base/record-limits.ts';

const BLOCKS_PER_PAGE = LOG_PAGE_BYTES / LOG_BLOCK_BYTES;
/** Low bits of a variable-length integer's byte; the high one says that more follow. */
const VARINT_BASE = 128;
/** Below this bit operations are exact; numbers above are divided. */
const BITWISE_BELOW = 2 ** 31;
/** Of a variable-length integer that is read: four bytes of seven bits. */
const BITWISE_BITS = 28;
const VARINT_MASK = VARINT_BASE - 1;

interface Page {
  readonly bytes: Uint8Array;
  /** Blocks that nobody has, by their place in the page. */
  readonly free: number[];
}

/** Blocks of equal size by number. Pages that became free are let go, but for a few. */
export class BlockPages {
  /** A place without a page is free for the next one. */
  readonly #pages: (Page | undefined)[] = [];
  /** Pages that have a free block. */
  readonly #withRoom = new Set<number>();
  #emptyCount = 0;
  #pageCount = 0;

  take(): number {
    const [index = this.#addPage()] = this.#withRoom;
    const page = this.#pageAt(index);
    if (page.free.length === BLOCKS_PER_PAGE) this.#emptyCount -= 1;
    const place = page.free.pop() as number;
    if (page.free.length === 0) this.#withRoom.delete(index);
    return index * BLOCKS_PER_PAGE + place;
  }

  give(block: number): void {
    const index = Math.floor(block / BLOCKS_PER_PAGE);
    const page = this.#pageAt(index);
    page.free.push(block % BLOCKS_PER_PAGE);
    this.#withRoom.add(index);
    if (page.free.length < BLOCKS_PER_PAGE) return;
    if (this.#emptyCount < LOG_PAGES_SPARE_COUNT) {
      this.#emptyCount += 1;
      return;
    }
    this.#pages[index] = undefined;
    this.#withRoom.delete(index);
    this.#pageCount -= 1;
  }

  bytesOf(block: number): Uint8Array {
    return this.#pageAt(Math.floor(block / BLOCKS_PER_PAGE)).bytes;
  }

  startOf(block: number): number {
    return (block % BLOCKS_PER_PAGE) * LOG_BLOCK_BYTES;
  }

  /** Pages held now, with blocks in use or without. */
  get pageCount(): number {
    return this.#pageCount;
  }

  #pageAt(index: number): Page {
    const page = this.#pages[index];
    // The message is put together only for who will read it.
    if (page === undefined) assert.fail(`there is no page ${index}`);
    return page;
  }

  #addPage(): number {
    const vacant = this.#pages.indexOf(undefined);
    const index = vacant < 0 ? this.#pages.length : vacant;
    const free = Array.from({ length: BLOCKS_PER_PAGE }, (_, place) => BLOCKS_PER_PAGE - 1 - place);
    this.#pages[index] = { bytes: new Uint8Array(LOG_PAGE_BYTES), free };
    this.#withRoom.add(index);
    this.#emptyCount += 1;
    this.#pageCount += 1;
    return index;
  }
}

/** The pages of this process. */
export const logPages = new BlockPages();

/** Where a row is read from. The fields are public for speed: they move with every number. */
export interface Cursor {
  bytes: Uint8Array;
  at: number;
}

/**
 * Rows one behind the other. The first row of each block is told so when it is written, and must not lean
 * on the rows before it: then any row is found by reading no more than its own block.
 */
export class PackedRows {
  readonly #pages: BlockPages;
  readonly #rowMaxBytes: number;
  /** Each block and the number of its first row, in turn: one list, as every list takes room for what may come. */
  readonly #index: number[] = [];
  #bytes: Uint8Array = NO_BYTES;
  #at = 0;
  #endAt = 0;
  count = 0;

  constructor(rowMaxBytes: number, pages: BlockPages = logPages) {
    this.#rowMaxBytes = rowMaxBytes;
    this.#pages = pages;
  }

  /** Begins a row; true when it is the first of its block. */
  begin(): boolean {
    const fresh = this.#at + this.#rowMaxBytes > this.#endAt;
    if (fresh) {
      const block = this.#pages.take();
      this.#index.push(block, this.count);
      this.#bytes = this.#pages.bytesOf(block);
      this.#at = this.#pages.startOf(block);
      this.#endAt = this.#at + LOG_BLOCK_BYTES;
    }
    this.count += 1;
    return fresh;
  }

  /** Adds an integer from 0 to 255 to the row at hand. */
  byte(value: number): void {
    this.#bytes[this.#at] = value;
    this.#at += 1;
  }

  /** Adds an integer of 0 or more, up to what a double holds exactly. */
  unsigned(value: number): void {
    let rest = value;
    while (rest >= BITWISE_BELOW) {
      this.byte((rest % VARINT_BASE) + VARINT_BASE);
      rest = Math.floor(rest / VARINT_BASE);
    }
    while (rest >= VARINT_BASE) {
      this.byte((rest & (VARINT_BASE - 1)) | VARINT_BASE);
      rest >>>= 7;
    }
    this.byte(rest);
  }

  /** Adds an integer of either sign; small ones of both take few bytes. */
  signed(value: number): void {
    this.unsigned(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** Puts a cursor at the first row of the block that holds this row; returns that row's number. */
  seek(row: number, cursor: Cursor): number {
    let low = 0;
    let high = this.#blockCount - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#firstRow(middle) <= row) low = middle;
      else high = middle - 1;
    }
    const block = this.#index[2 * low];
    if (block === undefined || row >= this.count) assert.fail(`row ${row} is not among ${this.count}`);
    cursor.bytes = this.#pages.bytesOf(block);
    cursor.at = this.#pages.startOf(block);
    return this.#firstRow(low);
  }

  /** Calls `read` once a row with the cursor at its beginning; `first` for the first row of a block. */
  forEach(read: (cursor: Cursor, first: boolean) => void): void {
    const cursor: Cursor = { bytes: NO_BYTES, at: 0 };
    for (let block = 0; block < this.#blockCount; block += 1) {
      const end = block + 1 < this.#blockCount ? this.#firstRow(block + 1) : this.count;
      const start = this.#firstRow(block);
      this.seek(start, cursor);
      for (let row = start; row < end; row += 1) read(cursor, row === start);
    }
  }

  /** Rows with which blocks begin, the latest first. */
  *blockStartsBackwards(): Iterable<number> {
    for (let block = this.#blockCount - 1; block >= 0; block -= 1) yield this.#firstRow(block);
  }

  /** Gives all blocks back: there are no rows from now on. */
  release(): void {
    for (let at = 0; at < this.#index.length; at += 2) this.#pages.give(this.#index[at] as number);
    this.#index.length = 0;
    this.#at = 0;
    this.#endAt = 0;
    this.count = 0;
  }

  get #blockCount(): number {
    return this.#index.length / 2;
  }

  #firstRow(block: number): number {
    return this.#index[2 * block + 1] as number;
  }
}

/** What a cursor or a log without a block looks at. */
export const NO_BYTES = new Uint8Array(0);

export function readByte(cursor: Cursor): number {
  const value = cursor.bytes[cursor.at] as number;
  cursor.at += 1;
  return value;
}

export function readUnsigned(cursor: Cursor): number {
  const { bytes } = cursor;
  let { at } = cursor;
  let byte = bytes[at++] as number;
  let value = byte & VARINT_MASK;
  // Nearly all numbers have four bytes at most, for which bits are enough; beyond them only doubles are exact.
  for (let shift = 7; byte >= VARINT_BASE && shift < BITWISE_BITS; shift += 7) {
    byte = bytes[at++] as number;
    value |= (byte & VARINT_MASK) << shift;
  }
  for (let weight = 2 ** BITWISE_BITS; byte >= VARINT_BASE; weight *= VARINT_BASE) {
    byte = bytes[at++] as number;
    value += (byte & VARINT_MASK) * weight;
  }
  cursor.at = at;
  return value;
}

export function readSigned(cursor: Cursor): number {
  const value = readUnsigned(cursor);
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
