// Reads a record file that is being written: each byte once, however often it is asked what there is.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { StallVerdict } from '../../src/judge/causes/verdict.ts';
import type { Figures } from '../../src/measure/figures.ts';
import type { StreamRecord } from '../../src/record/stream-record.ts';

const LF = 10;

/** One line of the record file. */
export interface RecordEntry {
  readonly record: StreamRecord;
  readonly figures: Figures;
  readonly stalls?: readonly StallVerdict[];
}

export class RecordReader {
  readonly #path: string;
  #entries: RecordEntry[] = [];
  /** Of whole lines. */
  #readBytes = 0;
  #lineCount = 0;
  #countedBytes = 0;
  /** Which file it was: a full one gives its name to a new one. */
  #inode = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** All of the file so far. */
  entries(): readonly RecordEntry[] {
    const bytes = this.#from(() => this.#readBytes);
    // The last line may be half written.
    const whole = bytes.subarray(0, bytes.lastIndexOf(LF) + 1);
    this.#readBytes += whole.length;
    for (const line of whole.toString('utf8').split('\n').slice(0, -1)) {
      // What a batch job came to has a line of its own.
      if (!line.startsWith('{"job":')) this.#entries.push(JSON.parse(line) as RecordEntry);
    }
    return this.#entries;
  }

  /** Lines so far, none of which is taken apart for it: that would take time from what is tested. */
  lineCount(): number {
    const bytes = this.#from(() => this.#countedBytes);
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) this.#lineCount += 1;
    this.#countedBytes += bytes.length;
    return this.#lineCount;
  }

  /** What stands in the file behind the bytes that are known. */
  #from(knownBytes: () => number): Buffer {
    let file: number;
    try {
      file = openSync(this.#path, 'r');
    } catch {
      return Buffer.alloc(0); // The file appears with its first line.
    }
    try {
      const { ino, size } = fstatSync(file);
      if (ino !== this.#inode || size < Math.max(this.#readBytes, this.#countedBytes)) this.#beginAnew(ino);
      const bytes = Buffer.allocUnsafe(size - knownBytes());
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, knownBytes()));
    } finally {
      closeSync(file);
    }
  }

  #beginAnew(inode: number): void {
    this.#inode = inode;
    this.#entries = [];
    [this.#readBytes, this.#countedBytes, this.#lineCount] = [0, 0, 0];
  }
}
