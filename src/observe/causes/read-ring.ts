// The latest reads of one running stream: when each came and how many events it carried. A fixed window, so that
// a stream costs the same however long it runs. Knows no gap and no stall.
import { READS_KEPT_COUNT } from '../../base/cause-limits.ts';

const EVENTS_MAX_COUNT = 255;

export class ReadRing {
  readonly #atNs = new Float64Array(READS_KEPT_COUNT);
  readonly #events = new Uint8Array(READS_KEPT_COUNT);
  /** Reads so far; the number of the next one. */
  count = 0;

  /** A read came, later than all before. */
  add(atNs: number): void {
    const place = this.count % READS_KEPT_COUNT;
    this.#atNs[place] = atNs;
    this.#events[place] = 1;
    this.count += 1;
  }

  /** One more event in the latest read. */
  addEvent(): void {
    const place = (this.count - 1) % READS_KEPT_COUNT;
    this.#events[place] = Math.min(EVENTS_MAX_COUNT, (this.#events[place] ?? 0) + 1);
  }

  /** Number of the first read that is still known. */
  get oldest(): number {
    return Math.max(0, this.count - READS_KEPT_COUNT);
  }

  /** Moment of a read that is still known. */
  atNs(read: number): number {
    return this.#atNs[read % READS_KEPT_COUNT] as number;
  }

  events(read: number): number {
    return this.#events[read % READS_KEPT_COUNT] as number;
  }

  /** Number of the first known read at or after a moment; `count` when there is none. */
  firstFrom(atNs: number): number {
    let low = this.oldest;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.atNs(middle) < atNs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Gaps between known reads of which the later one comes before `end`, in order of time. */
  gapsBefore(end = this.count): number[] {
    const gaps: number[] = [];
    for (let read = this.oldest + 1; read < end; read += 1) gaps.push(this.atNs(read) - this.atNs(read - 1));
    return gaps;
  }
}
