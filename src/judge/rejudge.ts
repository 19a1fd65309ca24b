// A record from a file → its figures and verdicts, as they were told when it was written.
import type { StreamRecord } from '../record/stream-record.ts';
import { type Judged, judgeRecord } from './judge-record.ts';

/** A fault in words where the record is not what its type promises, as after an edit by hand. */
export function rejudge(record: StreamRecord): Judged | { readonly fault: string } {
  try {
    return judgeRecord(record);
  } catch (error) {
    return { fault: `its record is damaged (${(error as Error).message})` };
  }
}
