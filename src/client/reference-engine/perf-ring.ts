// TensorRT-LLM's list of finished requests: bounded, and empty once it was read.
import { REFERENCE_PERF_ENTRIES_MAX_COUNT } from '../../base/limits.ts';

export class PerfRing {
  #entries: object[] = [];
  /** Entries that made room for newer ones before anybody read them. */
  droppedCount = 0;

  add(entry: object): void {
    this.#entries.push(entry);
    if (this.#entries.length <= REFERENCE_PERF_ENTRIES_MAX_COUNT) return;
    this.#entries.shift();
    this.droppedCount += 1;
  }

  take(): object[] {
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }
}
