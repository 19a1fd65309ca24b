// Reads a record file that is being written: each line once, however often it is asked what there is.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Figures } from '../../src/measure/figures.ts';
import type { StreamRecord } from '../../src/record/stream-record.ts';

const LF = 10;

/** One line of the record file. */
export interface RecordEntry {
  readonly record: StreamRecord;
  readonly figures: Figures;
}

export class RecordReader {
  readonly #path: string;
  #entries: RecordEntry[] = [];
  #readBytes = 0;
  /** Which file it was: a full one gives its name to a new one. */
  #inode = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** All of the file so far. */
  entries(): readonly RecordEntry[] {
    let file: number;
    try {
      file = openSync(this.#path, 'r');
    } catch {
      return []; // The file appears with its first line.
    }
    try {
      this.#readOn(file);
    } finally {
      closeSync(file);
    }
    return this.#entries;
  }

  #readOn(file: number): void {
    const { ino, size } = fstatSync(file);
    if (ino !== this.#inode || size < this.#readBytes) {
      this.#entries = [];
      this.#readBytes = 0;
      this.#inode = ino;
    }
    const bytes = Buffer.allocUnsafe(size - this.#readBytes);
    const count = readSync(file, bytes, 0, bytes.length, this.#readBytes);
    // The last line may be half written.
    const whole = bytes.subarray(0, bytes.subarray(0, count).lastIndexOf(LF) + 1);
    this.#readBytes += whole.length;
    for (const line of whole.toString('utf8').split('\n').slice(0, -1)) {
      this.#entries.push(JSON.parse(line) as RecordEntry);
    }
  }
}
