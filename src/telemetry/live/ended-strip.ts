// The strip of an exchange that ended, from the columns of its record: what its last beat as an open one had not told
// yet, and all of one that came and went between two beats. Pure.
import type { Report } from '../../judge/report.ts';
import type { ChunkColumns } from '../../record/chunk-log.ts';
import type { LiveStrip } from './frame.ts';
import { binOf, stripOf, type StripSource } from './strip.ts';

const NS_PER_MS = 1e6;

/** `fromBin` is the first that may be missing where it is shown. Undefined where nothing came since. */
export function endedStrip(report: Report, fromBin: number, rowsMaxCount: number): LiveStrip | undefined {
  const { record, figures } = report;
  const { openedAtEpochMs } = record;
  const firstBin = Math.max(fromBin, binOf(openedAtEpochMs));
  const toBin = binOf(openedAtEpochMs + figures.durationNs / NS_PER_MS);
  if (toBin < firstBin) return undefined;
  return stripOf(columnsSource(record.chunks), openedAtEpochMs, { fromBin: firstBin, toBin, rowsMaxCount });
}

/** Frozen columns, read as a log that runs is: from its end. */
function columnsSource({ receivedAtNs, flushedAtNs }: ChunkColumns): Pick<StripSource, 'eachSince'> {
  return {
    eachSince(sinceAtNs, maxCount, see) {
      let leftCount = maxCount;
      for (let row = receivedAtNs.length - 1; row >= 0; row -= 1) {
        const receivedRowAtNs = receivedAtNs[row] as number;
        const flushedRowAtNs = flushedAtNs[row] ?? -1;
        const latestAtNs = Math.max(receivedRowAtNs, flushedRowAtNs);
        // Chunks are flushed in their order, so nothing before this one is in the window.
        if (latestAtNs < sinceAtNs) return sinceAtNs;
        see(receivedRowAtNs, flushedRowAtNs);
        leftCount -= 1;
        if (leftCount <= 0) return latestAtNs;
      }
      return sinceAtNs;
    },
  };
}
