// How late the sidecar stamped what an engine wrote, event by event, beside the bound that its record
// gives for each stamp. Both processes read the same monotonic clock, from different zeros: the
// earliest stamp of the stream settles the difference, so lateness that all stamps share is not seen.
import type { StreamRecord } from '../../src/record/stream-record.ts';
import type { EngineExchange } from './raw-engine.ts';

export interface StampLook {
  /**
   * The engine's write → the stamp of the read that completed it, less the smallest such time. At least: an engine
   * that was kept from running around a write is late itself, so that the moment after the write counts for it.
   */
  readonly lateNs: number;
  readonly boundNs: number;
}

/** One event a write behind the writes before them, such as the head; the last write is left out. */
export function stampLooks(exchange: EngineExchange, record: StreamRecord, writesBefore: number): StampLook[] {
  const writes = exchange.writes.slice(writesBefore, -1);
  const looks = record.events.chunk.slice(0, writes.length).map((row, event) => ({
    receivedAtNs: record.chunks.receivedAtNs[row] as number,
    boundNs: record.chunks.errorBoundNs[row] as number,
    write: writes[event] as (typeof writes)[number],
  }));
  const leastNs = Math.min(...looks.map(({ receivedAtNs, write }) => receivedAtNs - write.atNs));
  return looks.map(({ receivedAtNs, boundNs, write }) => ({
    lateNs: Math.max(0, receivedAtNs - write.doneAtNs - leastNs),
    boundNs,
  }));
}
