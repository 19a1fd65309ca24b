// The chunks of one stream over the last half minute, as counts by bin, for the strip that is drawn of it. Of fixed
// size whatever comes. Bins are set and not added to, so the same beat may be applied twice. Knows no terminal.
import type { LiveStrip } from '../../telemetry/live/frame.ts';

/** What came, or went on, within one column of the picture. */
export interface StripColumn {
  readonly receivedCount: number;
  readonly flushedCount: number;
}

/** One character stands for 0 to 35 chunks. */
const RADIX = 36;

export class StripRing {
  readonly #binCount: number;
  readonly #received: Uint8Array;
  readonly #flushed: Uint8Array;
  /** The latest bin that was ever set; what is `binCount` bins older is forgotten. */
  #latestBin: number | undefined;

  constructor(binCount: number) {
    this.#binCount = Math.max(1, binCount);
    this.#received = new Uint8Array(this.#binCount);
    this.#flushed = new Uint8Array(this.#binCount);
  }

  apply({ fromBin, received, flushed }: LiveStrip): void {
    const length = Math.max(received.length, flushed.length);
    for (let at = 0; at < length; at += 1) {
      const bin = fromBin + at;
      this.#advance(bin);
      if (this.#isForgotten(bin)) continue;
      this.#received[bin % this.#binCount] = countAt(received, at);
      this.#flushed[bin % this.#binCount] = countAt(flushed, at);
    }
  }

  /**
   * The last `columnCount` columns of `binsEach` bins up to the one that holds `nowBin`, oldest first. Columns begin at
   * multiples of their length, so that a picture moves by whole columns instead of flickering.
   */
  columns(nowBin: number, columnCount: number, binsEach: number): StripColumn[] {
    const lastColumn = Math.floor(nowBin / binsEach);
    return Array.from({ length: columnCount }, (_, at) => {
      const fromBin = (lastColumn - columnCount + 1 + at) * binsEach;
      let receivedCount = 0;
      let flushedCount = 0;
      for (let bin = fromBin; bin < fromBin + binsEach; bin += 1) {
        if (this.#isForgotten(bin) || bin > (this.#latestBin ?? -1)) continue;
        receivedCount += this.#received[bin % this.#binCount] ?? 0;
        flushedCount += this.#flushed[bin % this.#binCount] ?? 0;
      }
      return { receivedCount, flushedCount };
    });
  }

  /** Clears the bins between the latest one and this. */
  #advance(bin: number): void {
    const latest = this.#latestBin;
    if (latest !== undefined && bin <= latest) return;
    const from = latest === undefined ? bin : Math.max(latest + 1, bin - this.#binCount + 1);
    for (let each = from; each <= bin; each += 1) {
      this.#received[each % this.#binCount] = 0;
      this.#flushed[each % this.#binCount] = 0;
    }
    this.#latestBin = bin;
  }

  #isForgotten(bin: number): boolean {
    return bin < 0 || this.#latestBin === undefined || bin <= this.#latestBin - this.#binCount;
  }
}

/** A character that is none of ours counts as nothing, as does one that is not there. */
function countAt(text: string, at: number): number {
  const count = Number.parseInt(text.charAt(at), RADIX);
  return Number.isNaN(count) ? 0 : count;
}
