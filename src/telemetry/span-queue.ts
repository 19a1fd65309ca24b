// Finished spans that wait for export: bounded in bytes, oldest dropped first. After an outage the
// spans of the last minutes say more than those of its first. Knows nothing of exporters or timers.
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { estimateSpanBytes } from './span-size.ts';

interface Waiting {
  readonly span: ReadableSpan;
  readonly bytes: number;
}

/** Taken items stay in the array until this many are gone; shifting each one would copy the rest. */
const COMPACT_AFTER_COUNT = 1_024;

export class SpanQueue {
  #items: (Waiting | undefined)[] = [];
  #head = 0;
  #bytes = 0;
  readonly #maxBytes: number;
  readonly #maxCount: number;

  constructor(maxBytes: number, maxCount: number) {
    this.#maxBytes = maxBytes;
    this.#maxCount = maxCount;
  }

  get count(): number {
    return this.#items.length - this.#head;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a span; tells how many had to go for it, itself included when it is larger than the queue. */
  add(span: ReadableSpan): number {
    const bytes = estimateSpanBytes(span);
    if (bytes > this.#maxBytes) return 1;
    let droppedCount = 0;
    while (this.count > 0 && (this.#bytes + bytes > this.#maxBytes || this.count >= this.#maxCount)) {
      this.#take();
      droppedCount += 1;
    }
    this.#items.push({ span, bytes });
    this.#bytes += bytes;
    return droppedCount;
  }

  /** The oldest spans that fit into a batch; at least one, if there is any. */
  takeBatch(maxBytes: number, maxCount: number): ReadableSpan[] {
    const batch: ReadableSpan[] = [];
    let bytes = 0;
    for (let next = this.#items[this.#head]; next !== undefined; next = this.#items[this.#head]) {
      if (batch.length > 0 && (bytes + next.bytes > maxBytes || batch.length >= maxCount)) break;
      bytes += next.bytes;
      batch.push(next.span);
      this.#take();
    }
    return batch;
  }

  /** Empties the queue; tells how many went. */
  clear(): number {
    const { count } = this;
    this.#items = [];
    this.#head = 0;
    this.#bytes = 0;
    return count;
  }

  #take(): void {
    const item = this.#items[this.#head];
    if (item === undefined) return;
    this.#items[this.#head] = undefined;
    this.#head += 1;
    this.#bytes -= item.bytes;
    if (this.#head < COMPACT_AFTER_COUNT) return;
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }
}
