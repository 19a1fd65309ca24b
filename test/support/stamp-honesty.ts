// How late the sidecar stamped what an engine wrote, event by event, beside the bound that its record
// gives for each stamp. Both processes read the same monotonic clock, from different zeros: the
// earliest stamp of the stream settles the difference, so lateness that all stamps share is not seen.
import type { StreamRecord } from '../../src/record/stream-record.ts';
import type { EngineExchange } from './raw-engine.ts';

export interface StampLook {
  /** The engine's write → the stamp of the read that completed it, less the smallest such time. */
  readonly lateNs: number;
  readonly boundNs: number;
}

/** One event a write behind the writes before them, such as the head; the last write is left out. */
export function stampLooks(exchange: EngineExchange, record: StreamRecord, writesBefore: number): StampLook[] {
  const sentAtNs = exchange.writes.slice(writesBefore, -1).map(({ atNs }) => atNs);
  const rows = record.events.chunk.slice(0, sentAtNs.length);
  const apartNs = rows.map((row, event) => (record.chunks.receivedAtNs[row] as number) - (sentAtNs[event] as number));
  const leastNs = Math.min(...apartNs);
  return rows.map((row, event) => ({
    lateNs: (apartNs[event] as number) - leastNs,
    boundNs: record.chunks.errorBoundNs[row] as number,
  }));
}
