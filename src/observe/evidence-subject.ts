// What sources of evidence look at, read from a record. Pure, so that what they say can be checked
// against the record later.
import { NOTHING_STATED, type EvidenceSubject } from '../evidence/source.ts';
import { lostIn } from '../measure/columns.ts';
import { defined } from '../measure/defined.ts';
import { viewStream } from '../measure/stream-view.ts';
import { EVENT_KINDS } from '../record/kinds.ts';
import type { StreamRecord } from '../record/stream-record.ts';

export function subjectOf(record: StreamRecord): EvidenceSubject {
  const { answer, marks } = record;
  const seen = answer.streamed ? viewStream(record) : undefined;
  return {
    engine: record.engine,
    dialect: answer.dialect,
    streamed: answer.streamed,
    choiceCount: answer.choiceCount,
    statements: record.statements ?? NOTHING_STATED,
    ...defined({
      requestSentAtNs: marks.requestSentAtNs,
      headReceivedAtNs: marks.headReceivedAtNs,
      firstEventAtNs: seen === undefined ? undefined : firstEventAtNs(record),
      firstTokenAtNs: seen?.firstTokenAtNs,
      lastTokenAtNs: seen?.lastTokenAtNs,
      heldUp: seen !== undefined && isBlockedWithin(record, seen.firstTokenAtNs, seen.lastTokenAtNs) ? true : undefined,
      upstreamEndAtNs: marks.upstreamEndAtNs,
      wireFloorNs: record.connection?.wireFloorNs,
    }),
  };
}

/** Our socket to the client was blocked at some time between these moments, and so the engine was not read from. */
function isBlockedWithin({ blockedNs }: StreamRecord, fromNs = 0, toNs = 0): boolean {
  return blockedNs.some((startNs, index) => {
    const endNs = blockedNs[index + 1] ?? Number.POSITIVE_INFINITY;
    return index % 2 === 0 && startNs < toNs && endNs > fromNs;
  });
}

/** Kinds that only keep a connection alive; they come while nothing has happened in the engine. */
const KEEP_ALIVE_KINDS = new Set([EVENT_KINDS.indexOf('comment'), EVENT_KINDS.indexOf('ping')]);

/** First stamp of the read that completed the first event that says something; absent when it may have been lost. */
function firstEventAtNs({ chunks, events }: StreamRecord): number | undefined {
  const row = events.chunk[events.kind.findIndex((kind) => !KEEP_ALIVE_KINDS.has(kind))];
  return row === undefined || lostIn(chunks, 0, row) ? undefined : chunks.receivedAtNs[row];
}
