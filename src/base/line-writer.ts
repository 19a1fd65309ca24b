// Writes lines to a descriptor in the background, one write at a time, bounded in bytes. What the
// reader does not take is dropped and counted. Own, because the usual writer (sonic-boom 4) retries a
// failed write for ever in its synchronous flush, so a full disk or a closed pipe would keep a
// process from ending.
import { write, writeSync } from 'node:fs';
import { LOG_FLUSH_RETRY_MAX_COUNT, LOG_QUEUE_BYTES, LOG_RETRY_MS } from './limits.ts';

export class LineWriter {
  readonly #fd: number;
  #lines: Buffer[] = [];
  #queuedBytes = 0;
  #droppedCount = 0;
  #writing = false;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#queuedBytes + bytes.length > LOG_QUEUE_BYTES) {
      this.#droppedCount += 1;
      return;
    }
    this.#lines.push(bytes);
    this.#queuedBytes += bytes.length;
    if (this.#writing) return;
    // In a later turn, so that whoever logs and then flushes at once finds the line not yet on its way.
    this.#writing = true;
    setImmediate(() => this.#writeNext());
  }

  get droppedCount(): number {
    return this.#droppedCount;
  }

  /** Writes what waits before it returns. A line that is on its way already may come twice. */
  flushSync(): void {
    let retryCount = 0;
    for (let line = this.#lines[0]; line !== undefined; line = this.#lines[0]) {
      try {
        this.#settle(line, writeSync(this.#fd, line));
      } catch (fault) {
        // A pipe whose reader is slow says EAGAIN; at the end of a process there is no time to wait for it.
        retryCount += 1;
        if (!isBusy(fault) || retryCount > LOG_FLUSH_RETRY_MAX_COUNT) this.#drop(line);
      }
    }
  }

  #writeNext(): void {
    const [line] = this.#lines;
    this.#writing = line !== undefined;
    if (line === undefined) return;
    write(this.#fd, line, (fault, writtenBytes) => {
      // A synchronous flush may have taken the line meanwhile.
      if (this.#lines[0] === line) {
        if (fault === null) this.#settle(line, writtenBytes);
        else if (isBusy(fault)) return void setTimeout(() => this.#writeNext(), LOG_RETRY_MS).unref();
        else this.#drop(line);
      }
      this.#writeNext();
    });
  }

  /** Takes what was written off the first line, and the line off the queue when nothing is left. */
  #settle(line: Buffer, writtenBytes: number): void {
    this.#queuedBytes -= writtenBytes;
    if (writtenBytes < line.length) this.#lines[0] = line.subarray(writtenBytes);
    else this.#lines.shift();
  }

  #drop(line: Buffer): void {
    this.#lines.shift();
    this.#queuedBytes -= line.length;
    this.#droppedCount += 1;
  }
}

function isBusy(fault: unknown): boolean {
  return fault instanceof Error && 'code' in fault && (fault.code === 'EAGAIN' || fault.code === 'EBUSY');
}
