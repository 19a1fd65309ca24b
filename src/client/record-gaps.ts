// The trusted gaps of one frozen record, one by one. The gap meter decides which they are, exactly
// as it did while the stream ran; here it only gets the record told.
import type { Gap } from '../measure/gap-meter.ts';
import { replayGaps } from '../measure/replay.ts';
import type { StreamRecord } from '../record/stream-record.ts';

/** Gaps as received from the engine, in order of time. */
export function gapsReceived(record: StreamRecord): Gap[] {
  const gaps: Gap[] = [];
  // What is no stream has no gaps, however its bytes came.
  if (!record.answer.streamed) return gaps;
  replayGaps(record, {
    onGap: (point, gap) => {
      if (point === 'received') gaps.push(gap);
    },
    onTaintedGap: () => {},
    onCoalesced: () => {},
  });
  return gaps;
}
