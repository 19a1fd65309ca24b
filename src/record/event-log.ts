// The log of one exchange's events: what each parsed message was and which chunk completed it. Packed while
// the exchange runs, expanded to columns at its end. Holds no text, and no times: times belong to chunks,
// meaning belongs to events.
import { EVENT_LOG_MAX_COUNT } from '../base/limits.ts';
import { EVENT_KINDS, type EventKind } from './kinds.ts';
import { PackedRows, readByte, readSigned, readUnsigned } from './packed-rows.ts';

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

/** Low bits of a packed event's first byte: its kind, of which there are fewer. */
const KIND_MASK = 0b1_1111;
/** The chunk is the one after the event before's; nearly all events of a stream are alone in theirs. */
const NEXT_CHUNK_BIT = 0b10_0000;
const SAME_GENERATED_BIT = 0b100_0000;
const TOKENS_BIT = 0b1000_0000;
/** That byte and three numbers of at most eight bytes. */
const ROW_MAX_BYTES = 25;

export class EventLog {
  readonly #packed = new PackedRows(ROW_MAX_BYTES);
  // Of the event before.
  #chunk = 0;
  #generated = 0;
  /** Events that came by kind, kept or not; index is the position in `EVENT_KINDS`. */
  readonly countByKind: number[] = EVENT_KINDS.map(() => 0);
  /** Events that came, kept or not. */
  totalCount = 0;

  /** Adds an event; false when the log is full and only the totals went on. */
  add(row: EventRow): boolean {
    const kind = EVENT_KINDS.indexOf(row.kind);
    this.totalCount += 1;
    this.countByKind[kind] = (this.countByKind[kind] ?? 0) + 1;
    if (this.#packed.count >= EVENT_LOG_MAX_COUNT) return false;
    this.#pack(kind, row);
    return true;
  }

  /** All events as columns: a fresh copy each time. */
  get columns(): EventColumns {
    const columns: EventColumns = { chunk: [], kind: [], generated: [], tokensSoFar: [] };
    let chunk = 0;
    let generated = 0;
    this.#packed.forEach((cursor, first) => {
      if (first) {
        chunk = 0;
        generated = 0;
      }
      const head = readByte(cursor);
      chunk += (head & NEXT_CHUNK_BIT) !== 0 ? 1 : readSigned(cursor);
      if ((head & SAME_GENERATED_BIT) === 0) generated = readUnsigned(cursor);
      columns.chunk.push(chunk);
      columns.kind.push(head & KIND_MASK);
      columns.generated.push(generated);
      columns.tokensSoFar.push((head & TOKENS_BIT) === 0 ? null : readUnsigned(cursor));
    });
    return columns;
  }

  /** Gives the memory of all rows back; totals stay. Whoever made the log calls it once it is over. */
  release(): void {
    this.#packed.release();
  }

  #pack(kind: number, { chunk, generated, tokensSoFar }: EventRow): void {
    const packed = this.#packed;
    if (packed.begin()) {
      this.#chunk = 0;
      this.#generated = 0;
    }
    const head =
      kind |
      (chunk === this.#chunk + 1 ? NEXT_CHUNK_BIT : 0) |
      (generated === this.#generated ? SAME_GENERATED_BIT : 0) |
      (tokensSoFar === undefined ? 0 : TOKENS_BIT);
    packed.byte(head);
    if ((head & NEXT_CHUNK_BIT) === 0) packed.signed(chunk - this.#chunk);
    if ((head & SAME_GENERATED_BIT) === 0) packed.unsigned(generated);
    if (tokensSoFar !== undefined) packed.unsigned(tokensSoFar);
    this.#chunk = chunk;
    this.#generated = generated;
  }
}
