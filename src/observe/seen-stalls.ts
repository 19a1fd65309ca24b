// What is told of an exchange's stalls while it is open: how many, the longest gap so far, and the latest ones with
// their cause as soon as it is judged. Bounded; the record has its own account at the end.
import { LIVE_STALLS_MAX_COUNT } from '../base/live-limits.ts';
import type { StallVerdict } from '../judge/causes/verdict.ts';
import type { Gap } from '../measure/gap-meter.ts';
import type { ChunkRows } from '../record/chunk-log.ts';
import type { StallCause } from '../record/stall-context.ts';

export interface SeenStall {
  /** Row in the chunk log at which it ended. */
  readonly chunk: number;
  /** Since the exchange opened. */
  readonly endedAtNs: number;
  readonly gapNs: number;
  /** Absent until it is judged. */
  cause?: StallCause;
  confidence?: number;
}

/** What is asked of a chunk log. */
interface Rows extends Pick<ChunkRows, 'lostIn'> {
  readonly rowCount: number;
}

export class SeenStalls {
  readonly #chunks: Rows;
  /** Oldest first. */
  readonly latest: SeenStall[] = [];
  count = 0;
  /** Longest gap so far, trusted or not; undefined before the second read with generated fragments. */
  gapMaxNs: number | undefined;
  #lastAtNs: number | undefined;
  #lastRow = 0;

  constructor(chunks: Rows) {
    this.#chunks = chunks;
  }

  /** An event with a generated fragment came in a read of this moment, ns since the exchange opened. */
  addEvent(atNs: number): void {
    const lastAtNs = this.#lastAtNs;
    if (lastAtNs === atNs) return;
    const row = this.#chunks.rowCount - 1;
    const gapNs = lastAtNs === undefined ? 0 : atNs - lastAtNs;
    // What overload took away may have held fragments, and then it was no gap.
    if (gapNs > (this.gapMaxNs ?? 0) && !this.#chunks.lostIn(this.#lastRow + 1, row)) this.gapMaxNs = gapNs;
    this.#lastAtNs = atNs;
    this.#lastRow = row;
  }

  addStall({ chunk, atNs, gapNs }: Gap): void {
    this.count += 1;
    this.latest.push({ chunk, endedAtNs: atNs, gapNs });
    if (this.latest.length > LIVE_STALLS_MAX_COUNT) this.latest.shift();
  }

  /** A verdict without a row is of a stall that was only counted: the latest, for it is told at once. */
  addVerdict({ chunk, cause, confidence }: StallVerdict): void {
    const stall = chunk === undefined ? this.latest.at(-1) : this.latest.findLast((each) => each.chunk === chunk);
    if (stall === undefined || stall.cause !== undefined) return;
    stall.cause = cause;
    stall.confidence = confidence;
  }
}
