// A strip as columns of the picture: so many bins in one, counted together. Pure; knows no terminal.
import type { Strip } from '../../telemetry/live/shown-strip.ts';

/** What came, or went on, within one column of the picture. */
export interface StripColumn {
  readonly receivedCount: number;
  readonly flushedCount: number;
}

export interface ColumnsFrame {
  /** The last column is the one that holds this bin. */
  readonly nowBin: number;
  readonly columnCount: number;
  readonly binsEach: number;
}

/** Oldest first. Columns begin at multiples of their length, so a picture moves by whole columns instead of flickering. */
export function stripColumns(strip: Strip, { nowBin, columnCount, binsEach }: ColumnsFrame): StripColumn[] {
  const firstColumn = Math.floor(nowBin / binsEach) - columnCount + 1;
  const firstBin = strip.endBin - strip.received.length;
  return Array.from({ length: columnCount }, (_, index) => {
    // Bins outside the strip have no place in it, and below 0 a place would count from its end.
    const from = Math.max(0, (firstColumn + index) * binsEach - firstBin);
    const to = Math.max(0, (firstColumn + index + 1) * binsEach - firstBin);
    return {
      receivedCount: sum(strip.received.subarray(from, to)),
      flushedCount: sum(strip.flushed.subarray(from, to)),
    };
  });
}

function sum(counts: Uint8Array): number {
  return counts.reduce((total, count) => total + count, 0);
}
