// The files that a load writes: a line for each row as it comes, and the whole when it is over. A file that cannot be
// made is told before anything is sent.
import { closeSync, existsSync, openSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { writeFailure } from './failures.ts';

/** Lines are written some at a time: a write for each would delay the stamps of reads that come meanwhile. */
const LINES_TOGETHER_COUNT = 64;

export class LinesFile<Row> {
  readonly #path: string;
  readonly #fd: number;
  readonly #lineOf: (row: Row) => string;
  #lines: string[];
  /** A disk that fills up ends no run; it is told behind the page. */
  #fault: unknown;

  constructor(path: string, lineOf: (row: Row) => string, head?: string) {
    this.#path = path;
    this.#lineOf = lineOf;
    this.#lines = head === undefined ? [] : [head];
    this.#fd = guarded(path, () => openSync(path, 'w'));
  }

  add(row: Row): void {
    this.#lines.push(this.#lineOf(row));
    if (this.#lines.length >= LINES_TOGETHER_COUNT) this.#write();
  }

  close(): void {
    this.#write();
    closeSync(this.#fd);
    if (this.#fault !== undefined) throw this.#fault;
  }

  #write(): void {
    const text = this.#lines.map((line) => `${line}\n`).join('');
    this.#lines = [];
    if (this.#fault !== undefined) return;
    try {
      guarded(this.#path, () => writeSync(this.#fd, text));
    } catch (fault) {
      this.#fault = fault;
    }
  }
}

/** Makes sure that it can be written, before a long run, and leaves no empty one where the run never begins. */
export function touchFile(path: string): void {
  const isNew = !existsSync(path);
  guarded(path, () => closeSync(openSync(path, 'a')));
  if (isNew) unlinkSync(path);
}

export function writeWhole(path: string, text: string): void {
  guarded(path, () => writeFileSync(path, text));
}

/** One piece after the other: together they may be longer than a string can be. */
export function writePieces(path: string, pieces: Iterable<string>): void {
  guarded(path, () => {
    const fd = openSync(path, 'w');
    try {
      for (const piece of pieces) writeFileSync(fd, piece);
    } finally {
      closeSync(fd);
    }
  });
}

function guarded<Value>(path: string, run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    throw writeFailure(path, error);
  }
}
