// Hold, in ns: first stamp of a read → the kernel accepted the chunk for the client. What rubato and a
// slow client add to a chunk, over all chunks of a stream whose delivery is known.
import type { ChunkColumns } from '../record/chunk-log.ts';
import { valueAt } from './columns.ts';
import { ascending, nearestRank } from './percentile.ts';

export interface HoldFigures {
  readonly holdMaxNs: number | undefined;
  readonly holdP50Ns: number | undefined;
}

export function holdFigures({ receivedAtNs, flushedAtNs }: ChunkColumns): HoldFigures {
  const holdsNs: number[] = [];
  for (let row = 0; row < flushedAtNs.length; row += 1) {
    const atNs = valueAt(flushedAtNs, row);
    if (atNs !== null) holdsNs.push(atNs - valueAt(receivedAtNs, row));
  }
  if (holdsNs.length === 0) return { holdMaxNs: undefined, holdP50Ns: undefined };
  const sorted = ascending(holdsNs);
  return { holdMaxNs: sorted.at(-1), holdP50Ns: nearestRank(sorted, 50) };
}
