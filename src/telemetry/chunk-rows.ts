// The chunks of a record as whole µs, ready for a span: as equal-length columns, or one by one.
// Every column is a difference of moments that were rounded once, so sums do not drift: first + the
// sum of `at` up to a chunk is the rounded moment of that chunk, whatever its number.
import { SPAN_CHUNKS_MAX_COUNT } from '../base/limits.ts';
import { lostIn, valueAt } from '../measure/columns.ts';
import type { StreamRecord } from '../record/stream-record.ts';
import { roundedUs } from './span-time.ts';

/** Made for one span, whose they are from then on. */
export interface ChunkRows {
  /** Moment the arrays start from → first chunk received. */
  readonly firstUs: number;
  readonly atUs: number[];
  readonly gapUs: number[];
  readonly holdUs: number[];
  readonly flushUs: number[];
  readonly bytes: number[];
  readonly kind: number[];
}

/** The chunk completed an event with a generated fragment. */
const KIND_GENERATED = 1;

/** A length that is not known; arrays have no holes. */
export const UNKNOWN_US = -1;

/** The first chunks of a record, as many as a span lists; undefined when none came. */
export function chunkRowsOf(record: StreamRecord, startAtNs: number): ChunkRows | undefined {
  const { receivedAtNs, writtenAtNs, flushedAtNs, bytes } = record.chunks;
  const count = Math.min(receivedAtNs.length, SPAN_CHUNKS_MAX_COUNT);
  if (count === 0) return undefined;
  const us = (atNs: number): number => roundedUs(atNs - startAtNs);
  const firstUs = us(valueAt(receivedAtNs, 0));
  const kind = kinds(record, count);
  const gaps = new GapColumn(record.chunks);
  const rows: ChunkRows = { firstUs, atUs: [], gapUs: [], holdUs: [], flushUs: [], bytes: bytes.slice(0, count), kind };
  let beforeUs = firstUs;
  // One walk for all columns: with a walk and a copy for each, this was a hundredth of what main does.
  for (let row = 0; row < count; row += 1) {
    const receivedUs = us(valueAt(receivedAtNs, row));
    const writtenUs = us(valueAt(writtenAtNs, row));
    const flushedNs = valueAt(flushedAtNs, row);
    rows.atUs.push(receivedUs - beforeUs);
    rows.gapUs.push(kind[row] === KIND_GENERATED ? gaps.endingAt(row, receivedUs) : 0);
    rows.holdUs.push(writtenUs - receivedUs);
    rows.flushUs.push(flushedNs === null ? UNKNOWN_US : us(flushedNs) - writtenUs);
    beforeUs = receivedUs;
  }
  return rows;
}

function kinds({ events }: StreamRecord, count: number): number[] {
  // `Array.from` with a length took longer than all other columns.
  const kind: number[] = [];
  for (let row = 0; row < count; row += 1) kind.push(0);
  for (let index = 0; index < events.chunk.length; index += 1) {
    const row = valueAt(events.chunk, index);
    if (row < count && events.generated[index] !== 0) kind[row] = KIND_GENERATED;
  }
  return kind;
}

/**
 * The gap between consecutive reads that carry generated fragments, at the first such chunk of the
 * later read. Chunks of one read share its stamp, so there is no gap between them; where chunks were
 * lost nobody knows. Tainted gaps are listed too: this is what the wire looked like, the figures say
 * what it is worth.
 */
class GapColumn {
  readonly #chunks: StreamRecord['chunks'];
  #lastRow: number | undefined;
  #lastUs = 0;

  constructor(chunks: StreamRecord['chunks']) {
    this.#chunks = chunks;
  }

  /** For each row with a generated fragment, in their order. */
  endingAt(row: number, receivedUs: number): number {
    const [beforeRow, beforeUs] = [this.#lastRow, this.#lastUs];
    const { receivedAtNs } = this.#chunks;
    if (beforeRow !== undefined && receivedAtNs[row] === receivedAtNs[beforeRow]) return 0;
    this.#lastRow = row;
    this.#lastUs = receivedUs;
    return beforeRow === undefined || lostIn(this.#chunks, beforeRow + 1, row) ? 0 : receivedUs - beforeUs;
  }
}
