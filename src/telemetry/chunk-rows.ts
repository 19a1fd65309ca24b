// The chunks of a record as whole µs, ready for a span: as equal-length columns, or one by one.
// Every column is a difference of moments that were rounded once, so sums do not drift: first + the
// sum of `at` up to a chunk is the rounded moment of that chunk, whatever its number.
import { SPAN_CHUNKS_MAX_COUNT } from '../base/limits.ts';
import { lostIn } from '../measure/columns.ts';
import type { StreamRecord } from '../record/stream-record.ts';
import { roundedUs } from './span-time.ts';

export interface ChunkRows {
  /** Moment the arrays start from → first chunk received. */
  readonly firstUs: number;
  readonly atUs: readonly number[];
  readonly gapUs: readonly number[];
  readonly holdUs: readonly number[];
  readonly flushUs: readonly number[];
  readonly bytes: readonly number[];
  readonly kind: readonly number[];
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
  const us = (atNs: number | null | undefined): number => roundedUs((atNs ?? 0) - startAtNs);
  const receivedUs = receivedAtNs.slice(0, count).map(us);
  const writtenUs = writtenAtNs.slice(0, count).map(us);
  const flushUs = flushedAtNs.slice(0, count).map((atNs, row) => {
    return atNs === null ? UNKNOWN_US : us(atNs) - (writtenUs[row] ?? 0);
  });
  const generated = generatedRows(record, count);
  return {
    firstUs: receivedUs[0] ?? 0,
    atUs: receivedUs.map((atUs, row) => (row === 0 ? 0 : atUs - (receivedUs[row - 1] ?? 0))),
    gapUs: gapsUs(record.chunks, receivedUs, generated),
    holdUs: writtenUs.map((atUs, row) => atUs - (receivedUs[row] ?? 0)),
    flushUs,
    bytes: bytes.slice(0, count),
    kind: generated.map((isGenerated) => (isGenerated ? KIND_GENERATED : 0)),
  };
}

function generatedRows(record: StreamRecord, count: number): readonly boolean[] {
  const rows = Array.from<boolean>({ length: count }).fill(false);
  const { chunk, generated } = record.events;
  for (const [index, bits] of generated.entries()) {
    const row = chunk[index] ?? count;
    if (bits !== 0 && row < count) rows[row] = true;
  }
  return rows;
}

/**
 * The gap between consecutive reads that carry generated fragments, at the first such chunk of the
 * later read. Chunks of one read share its stamp, so there is no gap between them; where chunks were
 * lost nobody knows. Tainted gaps are listed too: this is what the wire looked like, the figures say
 * what it is worth.
 */
function gapsUs(
  chunks: StreamRecord['chunks'],
  receivedUs: readonly number[],
  generated: readonly boolean[],
): readonly number[] {
  let last: number | undefined;
  return generated.map((isGenerated, row) => {
    if (!isGenerated) return 0;
    const before = last;
    if (before !== undefined && chunks.receivedAtNs[row] === chunks.receivedAtNs[before]) return 0;
    last = row;
    if (before === undefined || lostIn(chunks, before + 1, row)) return 0;
    return (receivedUs[row] ?? 0) - (receivedUs[before] ?? 0);
  });
}
