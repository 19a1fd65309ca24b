// The log of one exchange's events: what each parsed message was and which chunk completed it.
// Holds no text. Times are not here: times belong to chunks, meaning belongs to events.
import { EVENT_LOG_MAX_COUNT } from '../base/limits.ts';
import { EVENT_KINDS, type EventKind } from './kinds.ts';

/** Parallel columns, one entry an event in order of arrival. */
export interface EventColumns {
  /** Row in the chunk log of the chunk that completed the event. */
  readonly chunk: number[];
  /** Position in `EVENT_KINDS`. */
  readonly kind: number[];
  /** Bit set of channels that carried a non-empty generated fragment; 0 for none. */
  readonly generated: number[];
  /** Output tokens so far as the engine stated with this event; null when it stated none. */
  readonly tokensSoFar: (number | null)[];
}

export interface EventRow {
  readonly chunk: number;
  readonly kind: EventKind;
  readonly generated: number;
  readonly tokensSoFar: number | undefined;
}

export class EventLog {
  readonly columns: EventColumns = { chunk: [], kind: [], generated: [], tokensSoFar: [] };
  /** Events that came by kind, kept or not; index is the position in `EVENT_KINDS`. */
  readonly countByKind: number[] = EVENT_KINDS.map(() => 0);
  /** Events that came, kept or not. */
  totalCount = 0;

  /** Adds an event; false when the log is full and only the totals went on. */
  add(row: EventRow): boolean {
    const kind = EVENT_KINDS.indexOf(row.kind);
    this.totalCount += 1;
    this.countByKind[kind] = (this.countByKind[kind] ?? 0) + 1;
    const { columns } = this;
    if (columns.chunk.length >= EVENT_LOG_MAX_COUNT) return false;
    columns.chunk.push(row.chunk);
    columns.kind.push(kind);
    columns.generated.push(row.generated);
    columns.tokensSoFar.push(row.tokensSoFar ?? null);
    return true;
  }
}
