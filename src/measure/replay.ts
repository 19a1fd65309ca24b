// Runs the meters of a live stream over a frozen record and collects what they say. Nothing is decided
// here: the meters are those that ran live, told in an order that cannot change their decisions.
import type { StreamRecord } from '../record/stream-record.ts';
import { rowsOf, valueAt } from './columns.ts';
import { FirstTokenMeter } from './first-token-meter.ts';
import type { Stall, TaintCause } from './figures.ts';
import type { GapPoint } from './gap.ts';
import { createGapMeter, type GapListener, type GapMeter } from './gap-meter.ts';

export interface Replayed {
  readonly ttftNs: number | undefined;
  readonly ttfoNs: number | undefined;
  /** Row of the chunk that completed the first token, delivered or not. */
  readonly firstRow: number | undefined;
  /** Trusted gaps in order of time. */
  readonly gapsNs: Readonly<Record<GapPoint, readonly number[]>>;
  readonly stalls: readonly Stall[];
  readonly taintedCounts: Readonly<Record<TaintCause, number>>;
  readonly coalescedCount: number;
}

export function replayStream(record: StreamRecord): Replayed {
  const { events } = record;
  const chunks = rowsOf(record.chunks);
  const gapsNs: Record<GapPoint, number[]> = { received: [], flushed: [] };
  const stalls: Stall[] = [];
  const taintedCounts: Record<TaintCause, number> = { gc: 0, loop: 0, cpu: 0, clock: 0, backpressure: 0 };
  let coalescedCount = 0;
  let ttftNs: number | undefined;
  let ttfoNs: number | undefined;
  const gapMeter = gapMeterOf(record, {
    onGap(point, { chunk, atNs, gapNs, stalled }) {
      gapsNs[point].push(gapNs);
      if (stalled) stalls.push({ chunk, atNs, gapNs });
    },
    onTaintedGap(cause) {
      taintedCounts[cause] += 1;
    },
    onCoalesced() {
      coalescedCount += 1;
    },
  });
  const firstTokenMeter = new FirstTokenMeter(chunks, {
    onFirstToken(lengthNs) {
      ttftNs = lengthNs;
    },
    onFirstVisibleToken(lengthNs) {
      ttfoNs = lengthNs;
    },
  });
  // Every flush is in the columns already, so the meters need not be told of any.
  events.chunk.forEach((row, index) => {
    const channels = valueAt(events.generated, index);
    if (channels === 0) return;
    gapMeter.onGenerated(row);
    firstTokenMeter.onGenerated(row, channels);
  });
  return { ttftNs, ttfoNs, firstRow: firstTokenMeter.firstRow, gapsNs, stalls, taintedCounts, coalescedCount };
}

/** The gaps alone, each with the moment at which it ends, for whoever lays many exchanges over one another. */
export function replayGaps(record: StreamRecord, listener: GapListener): void {
  const meter = gapMeterOf(record, listener);
  record.events.chunk.forEach((row, index) => {
    if (valueAt(record.events.generated, index) !== 0) meter.onGenerated(row);
  });
}

function gapMeterOf(record: StreamRecord, listener: GapListener): GapMeter {
  const meter = createGapMeter({ chunks: rowsOf(record.chunks), stallNs: record.class.stallNs, listener });
  tellInterruptions(meter, record);
  return meter;
}

/** Blocked intervals and pauses first; the meter looks at none that it could not have known live. */
function tellInterruptions(meter: GapMeter, record: StreamRecord): void {
  record.blockedNs.forEach((atNs, index) => {
    if (index % 2 === 0) meter.onBlocked(atNs);
    else meter.onUnblocked(atNs);
  });
  for (const pause of record.pauses) meter.onPause(pause);
}
