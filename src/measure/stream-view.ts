// What the event log says about the order of things, found in one pass: which rows and moments the
// measures of a stream lie between. Finds, does not judge.
import type { StreamRecord } from '../record/stream-record.ts';
import { channelBit } from '../record/kinds.ts';
import { lostIn, valueAt } from './columns.ts';

export interface StreamView {
  /** First stamp of the read that completed the first event of any kind; absent when it may have been lost. */
  readonly firstEventAtNs: number | undefined;
  /** First stamp of the read with the first generated fragment. */
  readonly firstTokenAtNs: number | undefined;
  /** First stamp of the read with the last generated fragment; absent when a later one may have been lost. */
  readonly lastTokenAtNs: number | undefined;
  /** Output tokens up to the end of the first token's read, as the engine stated them. */
  readonly firstReadTokens: number | undefined;
  /** A generated fragment came on the reasoning channel. */
  readonly reasoningSeen: boolean;
  /** Every chunk and event of the stream is in the logs. */
  readonly complete: boolean;
}

/** Reads a record's event and chunk columns; times belong to chunks, meaning to events. */
export function viewStream(record: StreamRecord): StreamView {
  const { chunks, events, doubts } = record;
  const chunkCount = chunks.flags.length;
  // No event, no row: there is none at -1.
  const isGenerated = (channels: number): boolean => channels !== 0;
  const firstRow = events.chunk[events.generated.findIndex(isGenerated)];
  const lastRow = events.chunk[events.generated.findLastIndex(isGenerated)];
  const firstEventRow = events.chunk[0];
  // What came after the last row, because the log was full or the tape was, may have held anything.
  const tailLost = doubts.includes('log_full') || record.response.chunkCount > chunkCount;
  const receivedAtNs = (row: number): number => valueAt(chunks.receivedAtNs, row);
  return {
    firstEventAtNs:
      firstEventRow === undefined || lostIn(chunks, 0, firstEventRow) ? undefined : receivedAtNs(firstEventRow),
    firstTokenAtNs: firstRow === undefined ? undefined : receivedAtNs(firstRow),
    lastTokenAtNs:
      lastRow === undefined || tailLost || lostIn(chunks, lastRow + 1, chunkCount - 1)
        ? undefined
        : receivedAtNs(lastRow),
    firstReadTokens: firstRow === undefined ? undefined : tokensUpTo(record, receivedAtNs(firstRow)),
    reasoningSeen: events.generated.some((channels) => (channels & channelBit('reasoning')) !== 0),
    complete: !tailLost && !lostIn(chunks, 0, chunkCount - 1),
  };
}

/** The largest count stated by an event of the read with this first stamp. */
function tokensUpTo({ chunks, events }: StreamRecord, readAtNs: number): number | undefined {
  let most: number | undefined;
  events.chunk.forEach((row, index) => {
    const tokens = events.tokensSoFar[index] ?? undefined;
    if (tokens === undefined || valueAt(chunks.receivedAtNs, row) !== readAtNs) return;
    most = Math.max(most ?? 0, tokens);
  });
  return most;
}
