// The trusted gaps of one frozen record, one by one. The gap meter decides which they are, exactly
// as it did while the stream ran; here it only gets the record told.
import { rowsOf } from '../measure/columns.ts';
import { createGapMeter, type Gap } from '../measure/gap-meter.ts';
import type { StreamRecord } from '../record/stream-record.ts';

/** Gaps as received from the engine, in order of time. */
export function gapsReceived(record: StreamRecord): Gap[] {
  const gaps: Gap[] = [];
  // What is no stream has no gaps, however its bytes came.
  if (!record.answer.streamed) return gaps;
  const meter = createGapMeter({
    chunks: rowsOf(record.chunks),
    stallNs: record.class.stallNs,
    listener: {
      onGap: (point, gap) => {
        if (point === 'received') gaps.push(gap);
      },
      onTaintedGap: () => {},
      onCoalesced: () => {},
    },
  });
  for (const pause of record.pauses) meter.onPause(pause);
  for (const [index, edgeNs] of record.blockedNs.entries()) {
    // From and to take turns.
    if (index % 2 === 0) meter.onBlocked(edgeNs);
    else meter.onUnblocked(edgeNs);
  }
  for (const [index, chunk] of record.events.chunk.entries()) {
    if (record.events.generated[index] !== 0) meter.onGenerated(chunk);
  }
  return gaps;
}
