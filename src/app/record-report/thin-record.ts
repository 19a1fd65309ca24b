// A record with so many chunks that a page can hold it: every so many are left out, their bytes added to the next that
// stays, so that the curve keeps its heights. The rows around listed stalls stay. Pure.
import type { Stall } from '../../measure/figures.ts';
import type { ChunkColumns } from '../../record/chunk-log.ts';
import type { EventColumns } from '../../record/event-log.ts';
import type { StreamRecord } from '../../record/stream-record.ts';

/**
 * The record itself where it is small enough. Events have no place without their chunks: of them only the first and
 * the last with a generated fragment stay, which bound the tokens.
 */
export function thinRecord(record: StreamRecord, stalls: readonly Stall[], maxCount: number): StreamRecord {
  const rowCount = record.chunks.bytes.length;
  if (rowCount <= maxCount) return record;
  const { generated, chunk } = record.events;
  const bounds = [...new Set([generated.findIndex(isGenerated), generated.findLastIndex(isGenerated)])].filter(
    (index) => index !== -1,
  );
  const needed = [...bounds.map((index) => chunk[index] as number), ...stalls.flatMap((stall) => around(stall))];
  const rows = keptRows(rowCount, needed, maxCount);
  return {
    ...record,
    chunks: thinChunks(record.chunks, rows),
    events: thinEvents(record.events, bounds, rows),
  };
}

function isGenerated(channels: number): boolean {
  return channels !== 0;
}

/** Both ends of a stall. */
function around({ chunk }: Stall): number[] {
  return [chunk - 1, chunk];
}

/** First and last, those evenly between, and those that are needed. Ascending. */
function keptRows(rowCount: number, needed: readonly number[], maxCount: number): number[] {
  const there = needed.filter((row) => row >= 0 && row < rowCount);
  const evenCount = Math.max(2, maxCount - there.length);
  const even = Array.from({ length: evenCount }, (_, index) => Math.round((index * (rowCount - 1)) / (evenCount - 1)));
  return [...new Set([...even, ...there])].toSorted((a, b) => a - b);
}

function thinEvents(events: EventColumns, kept: readonly number[], rows: readonly number[]): EventColumns {
  const pick = <T>(column: readonly T[]): T[] => kept.map((index) => column[index] as T);
  return {
    chunk: pick(events.chunk).map((row) => rows.indexOf(row)),
    kind: pick(events.kind),
    generated: pick(events.generated),
    tokensSoFar: pick(events.tokensSoFar),
  };
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
