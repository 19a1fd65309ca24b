// Up to where the strip of each open exchange was told, so that a beat reads no more of its chunk log than is new, and
// loses nothing of what the tape brought late. Forgets an exchange with its log.
import { binOf, type StripSource } from './strip.ts';

interface Mark {
  readonly chunkCount: number;
  readonly flushedBytes: number;
  /** The bin of the first chunk without a known flush, or of the latest chunk: whatever is new lies there or later. */
  readonly bin: number;
}

export class StripMarks {
  #marks = new WeakMap<StripSource, Mark>();

  /** First bin that must be told anew; undefined where nothing came or went since. */
  firstBin(chunks: StripSource, oldestBin: number): number | undefined {
    const mark = this.#marks.get(chunks);
    if (mark === undefined) return oldestBin;
    if (mark.chunkCount === chunks.totalCount && mark.flushedBytes === chunks.flushedBytes) return undefined;
    return Math.max(mark.bin, oldestBin);
  }

  tell(chunks: StripSource, openedAtEpochMs: number): void {
    const { totalCount, flushedBytes, rowCount, settledCount } = chunks;
    const fromAtNs = rowCount === 0 ? 0 : chunks.receivedAtNs(Math.min(settledCount, rowCount - 1));
    this.#marks.set(chunks, { chunkCount: totalCount, flushedBytes, bin: binOf(openedAtEpochMs + fromAtNs / 1e6) });
  }
}
