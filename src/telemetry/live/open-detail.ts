// What `/api/streams/{id}` says of an exchange that is still open: as much of its record as there is by now, under the
// record's own names, so that whoever draws the one draws the other. Types only.
import type { OpenExchange } from '../../judge/report.ts';
import type { ChunkColumns } from '../../record/chunk-log.ts';
import type { EventColumns } from '../../record/event-log.ts';
import type { Marks } from '../../record/stream-record.ts';
import type { LiveStall } from './frame.ts';

export interface OpenDetail {
  readonly open: OpenExchange;
  /** As in the record: ns since the request head was received. */
  readonly marks: Marks;
  readonly chunks: ChunkColumns;
  readonly events: EventColumns;
  readonly gapMaxMs?: number;
  readonly stallCount: number;
  /** The latest, oldest first. */
  readonly stalls: readonly LiveStall[];
}
