// A record with so many chunks that a page can hold it: every so many are left out, their bytes added to the next that
// stays, so that the curve keeps its heights. The rows around listed stalls stay. Pure.
import type { Stall } from '../../measure/figures.ts';
import type { ChunkColumns } from '../../record/chunk-log.ts';
import type { StreamRecord } from '../../record/stream-record.ts';

/** The record itself where it is small enough. Without all chunks events have no place, so they are left out too. */
export function thinRecord(record: StreamRecord, stalls: readonly Stall[], maxCount: number): StreamRecord {
  const rowCount = record.chunks.bytes.length;
  if (rowCount <= maxCount) return record;
  const rows = keptRows(rowCount, stalls, maxCount);
  return {
    ...record,
    chunks: thinChunks(record.chunks, rows),
    events: { chunk: [], kind: [], generated: [], tokensSoFar: [] },
  };
}

/** First and last, those evenly between, and both ends of each stall. Ascending. */
function keptRows(rowCount: number, stalls: readonly Stall[], maxCount: number): number[] {
  const around = stalls.flatMap(({ chunk }) => [chunk - 1, chunk]).filter((row) => row >= 0 && row < rowCount);
  const evenCount = Math.max(2, maxCount - around.length);
  const even = Array.from({ length: evenCount }, (_, index) => Math.round((index * (rowCount - 1)) / (evenCount - 1)));
  return [...new Set([...even, ...around])].toSorted((a, b) => a - b);
}

function thinChunks(chunks: ChunkColumns, rows: readonly number[]): ChunkColumns {
  const pick = <T>(column: readonly T[]): T[] => rows.map((row) => column[row] as T);
  let next = 0;
  const bytes = rows.map((row) => {
    let sum = 0;
    for (; next <= row; next += 1) sum += chunks.bytes[next] ?? 0;
    return sum;
  });
  return {
    receivedAtNs: pick(chunks.receivedAtNs),
    writtenAtNs: pick(chunks.writtenAtNs),
    flushedAtNs: pick(chunks.flushedAtNs),
    errorBoundNs: pick(chunks.errorBoundNs),
    bytes,
    queuedBytes: pick(chunks.queuedBytes),
    flags: pick(chunks.flags),
  };
}
