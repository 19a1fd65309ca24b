// The sink that writes records to a file, one JSON line `{ record, figures, delivery, hop, slo, stalls }` an exchange,
// so that every figure and verdict can be recomputed later; with `--capture-text` it also holds `text`, here only. A
// batch job that ended has a line `{ job }` behind those of its exchanges.
// Writing is in the background and bounded: a full or read-only disk costs records (counted) and one log line,
// never memory, and is tried again.
import { nowMs } from '../base/clock.ts';
import {
  FLUSH_MAX_MS,
  RECORD_FILE_BYTES,
  RECORD_FILES_KEPT_COUNT,
  RECORD_GATHER_MS,
  RECORD_QUEUE_BYTES,
  RECORD_RETRY_FIRST_MS,
  RECORD_RETRY_MAX_MS,
  RECORD_WRITE_BYTES,
} from '../base/limits.ts';
import type { Log } from '../base/log.ts';
import type { JobReport } from '../judge/job/judge-job.ts';
import type { ExemplarRef, Report, Sink } from '../judge/report.ts';
import type { CapturedText } from '../record/captured-text.ts';
import { createFailureLog, type FailureLog } from './failure-log.ts';
import { RotatingFile } from './rotating-file.ts';
import { withinMs } from './span-processor.ts';

export interface RecordFileOptions {
  readonly path: string;
  readonly log: Log;
  /** Size at which the file is rotated, see {@link RotatingFile}. */
  readonly maxBytes?: number;
  /** Old files kept beside the current one. */
  readonly keptCount?: number;
  readonly queueBytes?: number;
  /** See {@link RotatingFile}; for records with text. */
  readonly ownerOnly?: boolean;
  readonly retryFirstMs?: number;
}

/** taken = written + dropped + queued, at every moment. */
export interface RecordFileStats {
  readonly takenCount: number;
  readonly writtenCount: number;
  readonly droppedCount: number;
  readonly queuedCount: number;
}

export class RecordFile implements Sink {
  readonly name = 'record_file';
  readonly #file: RotatingFile;
  readonly #failures: FailureLog;
  readonly #queueMaxBytes: number;
  readonly #retryFirstMs: number;
  #lines: Buffer[] = [];
  #queuedBytes = 0;
  #takenCount = 0;
  #writtenCount = 0;
  #droppedCount = 0;
  #running: Promise<void> | undefined;
  #retryMs: number;
  /** Until the next start: what comes is gathered, or a fault is waited out. */
  #startTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: RecordFileOptions) {
    const { path, log, maxBytes = RECORD_FILE_BYTES, keptCount = RECORD_FILES_KEPT_COUNT } = options;
    this.#file = new RotatingFile({ path, maxBytes, keptCount, ownerOnly: options.ownerOnly === true });
    this.#failures = createFailureLog(log, `Writing ${path}`);
    this.#queueMaxBytes = options.queueBytes ?? RECORD_QUEUE_BYTES;
    this.#retryFirstMs = options.retryFirstMs ?? RECORD_RETRY_FIRST_MS;
    this.#retryMs = this.#retryFirstMs;
  }

  onReport(report: Report, _exemplar?: ExemplarRef, text?: CapturedText): void {
    const { record, figures, delivery, hop, slo, stalls } = report;
    this.#enqueue({ record, figures, delivery, hop, slo, stalls, text });
  }

  onJob(job: JobReport): void {
    this.#enqueue({ job });
  }

  #enqueue(entry: object): void {
    this.#takenCount += 1;
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    if (this.#closed || this.#queuedBytes + line.length > this.#queueMaxBytes) {
      this.#droppedCount += 1;
      return;
    }
    this.#lines.push(line);
    this.#queuedBytes += line.length;
    this.#startSoon();
  }

  stats(): RecordFileStats {
    return {
      takenCount: this.#takenCount,
      writtenCount: this.#writtenCount,
      droppedCount: this.#droppedCount,
      queuedCount: this.#takenCount - this.#writtenCount - this.#droppedCount,
    };
  }

  /** Writes what waits, within two seconds, and closes the file; what is left counts as dropped. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#startTimer);
    this.#start();
    await withinMs(this.#running ?? Promise.resolve(), FLUSH_MAX_MS);
    this.#droppedCount += this.#lines.length;
    this.#lines = [];
    this.#queuedBytes = 0;
    await withinMs(this.#file.close(), FLUSH_MAX_MS);
  }

  /** A write takes a thread of libuv and 0.4 ms of CPU, however little it writes. */
  #startSoon(): void {
    if (this.#running === undefined && this.#startTimer === undefined) this.#startIn(RECORD_GATHER_MS);
  }

  #startIn(delayMs: number): void {
    this.#startTimer = setTimeout(() => {
      this.#startTimer = undefined;
      this.#start();
    }, delayMs);
    this.#startTimer.unref();
  }

  #start(): void {
    if (this.#running === undefined && this.#lines.length > 0) this.#running = this.#run();
  }

  /**
   * Writes what waits, and goes on while that is much or the file is to be closed; after a fault it leaves the lines
   * where they are and tries later.
   */
  async #run(): Promise<void> {
    do {
      try {
        await this.#writeSome();
      } catch (fault) {
        this.#failures.failed(fault, 0, nowMs());
        this.#retryLater();
        break;
      }
      this.#retryMs = this.#retryFirstMs;
      this.#failures.succeeded();
    } while (this.#lines.length > 0 && (this.#closed || this.#queuedBytes >= RECORD_WRITE_BYTES));
    // In the same turn as the last look at the lines, so that none added now is left without a writer.
    this.#running = undefined;
    if (this.#lines.length > 0 && !this.#closed) this.#startSoon();
  }

  #retryLater(): void {
    if (this.#closed) return;
    this.#startIn(this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RECORD_RETRY_MAX_MS);
  }

  async #writeSome(): Promise<void> {
    const roomBytes = await this.#file.prepare(this.#lines[0]?.length ?? 0);
    const lines = this.#take(Math.min(roomBytes, RECORD_WRITE_BYTES));
    try {
      await this.#file.append(lines);
    } catch (fault) {
      this.#lines.unshift(...lines);
      throw fault;
    }
    this.#queuedBytes -= lines.reduce((sum, line) => sum + line.length, 0);
    this.#writtenCount += lines.length;
  }

  /** The first lines, as far as they fit; at least one. They count as queued until they are written. */
  #take(maxBytes: number): Buffer[] {
    let bytes = 0;
    let count = 0;
    for (const line of this.#lines) {
      if (count > 0 && bytes + line.length > maxBytes) break;
      bytes += line.length;
      count += 1;
    }
    return this.#lines.splice(0, count);
  }
}
