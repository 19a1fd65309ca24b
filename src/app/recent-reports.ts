// The latest reports, for `/api/streams` and its details. Bounded in exchanges and in chunks, so that
// a few very long streams do not cost what hundreds of usual ones do.
import { RECENT_MAX_COUNT, RECENT_ROWS_MAX_COUNT } from '../base/limits.ts';
import type { Report, Sink } from '../judge/report.ts';

export class RecentReports implements Sink {
  readonly name = 'recent';
  readonly #reports: Report[] = [];
  #rowCount = 0;
  /** Reports that ever came. */
  totalCount = 0;

  onReport(whole: Report): void {
    // Offsets and hashes of the text are for pairing at the end; whoever looks later has no use for them.
    const { text: _, ...report } = whole;
    this.#reports.push(report);
    this.totalCount += 1;
    this.#rowCount += rowsOf(report);
    while (this.#reports.length > 1 && this.#isFull()) this.#rowCount -= rowsOf(this.#reports.shift() as Report);
  }

  /** Oldest first. */
  list(): readonly Report[] {
    return this.#reports;
  }

  find(id: string): Report | undefined {
    return this.#reports.findLast(({ record }) => record.id === id);
  }

  #isFull(): boolean {
    return this.#reports.length > RECENT_MAX_COUNT || this.#rowCount > RECENT_ROWS_MAX_COUNT;
  }
}

function rowsOf({ record }: Report): number {
  return record.chunks.bytes.length + record.events.chunk.length + (record.hop?.curve.endChars.length ?? 0);
}
