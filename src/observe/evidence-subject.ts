// What sources of evidence look at, read from a record. Pure, so that what they say can be checked
// against the record later.
import type { EvidenceSubject } from '../evidence/source.ts';
import { defined } from '../measure/defined.ts';
import { viewStream } from '../measure/stream-view.ts';
import type { StreamRecord } from '../record/stream-record.ts';

export function subjectOf(record: StreamRecord): EvidenceSubject {
  const { answer, marks } = record;
  const seen = answer.streamed ? viewStream(record) : undefined;
  return {
    engine: record.engine,
    dialect: answer.dialect,
    streamed: answer.streamed,
    choiceCount: answer.choiceCount,
    statements: record.statements ?? {},
    ...defined({
      requestSentAtNs: marks.requestSentAtNs,
      headReceivedAtNs: marks.headReceivedAtNs,
      firstEventAtNs: seen?.firstEventAtNs,
      firstTokenAtNs: seen?.firstTokenAtNs,
      lastTokenAtNs: seen?.lastTokenAtNs,
      wireFloorNs: record.connection?.wireFloorNs,
    }),
  };
}
