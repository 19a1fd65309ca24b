// Sends finished spans in batches. Bounded in bytes, one export at a time, and a collector that
// refuses, hangs or is gone costs spans (counted) and never memory, a busy loop or a flood of lines.
//   ended = exported + dropped + queued + in flight, at every moment.
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import {
  EXPORT_FAILURES_BEFORE_PROBING_COUNT,
  EXPORT_PROBE_JITTER_RATIO,
  EXPORT_PROBE_MS,
  FLUSH_MAX_MS,
  SPAN_BATCH_BYTES,
  SPAN_QUEUE_BYTES,
  SPAN_SLICE_BYTES,
} from '../base/limits.ts';
import { nowMs } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { createFailureLog, type FailureLog } from './failure-log.ts';
import { SpanQueue } from './span-queue.ts';

export interface BatchOptions {
  readonly exporter: SpanExporter;
  readonly log: Log;
  readonly queueBytes?: number;
  readonly batchBytes?: number;
  /** Spans that wait at most (`OTEL_BSP_MAX_QUEUE_SIZE`), beside the bound in bytes. */
  readonly queueMaxCount?: number;
  /** Spans in one request at most (`OTEL_BSP_MAX_EXPORT_BATCH_SIZE`). */
  readonly batchMaxCount?: number;
  /** A span's end → its export, at most, while all is well (`OTEL_BSP_SCHEDULE_DELAY`). */
  readonly delayMs?: number;
  /** An export's start → it is given up (`OTEL_BSP_EXPORT_TIMEOUT`). */
  readonly exportTimeoutMs?: number;
  readonly probeMs?: number;
  readonly flushMaxMs?: number;
  /** 0 to 1; for the jitter of probes. */
  readonly random?: () => number;
}

export interface BatchStats {
  readonly endedCount: number;
  readonly exportedCount: number;
  readonly droppedCount: number;
  readonly queuedCount: number;
  readonly inFlightCount: number;
  readonly queuedBytes: number;
}

const DELAY_MS = 1_000;
const EXPORT_TIMEOUT_MS = 30_000;
const BATCH_MAX_COUNT = 512;
const SLICES_PER_QUEUE = 8;

export class BoundedSpanProcessor implements SpanProcessor {
  readonly #options: Required<Omit<BatchOptions, 'log'>>;
  readonly #queue: SpanQueue;
  readonly #failures: FailureLog;
  #endedCount = 0;
  #exportedCount = 0;
  #droppedCount = 0;
  #inFlightCount = 0;
  /** Failures since the last success; from a few on only probes are sent. */
  #failuresInRow = 0;
  #timer: NodeJS.Timeout | undefined;
  #timerFor: 'delay' | 'now' | 'probe' | undefined;
  #exporting: Promise<void> | undefined;
  #closed = false;

  constructor(options: BatchOptions) {
    this.#options = {
      queueBytes: SPAN_QUEUE_BYTES,
      batchBytes: SPAN_BATCH_BYTES,
      queueMaxCount: Number.POSITIVE_INFINITY,
      batchMaxCount: BATCH_MAX_COUNT,
      delayMs: DELAY_MS,
      exportTimeoutMs: EXPORT_TIMEOUT_MS,
      probeMs: EXPORT_PROBE_MS,
      flushMaxMs: FLUSH_MAX_MS,
      random: Math.random,
      ...options,
    };
    this.#queue = new SpanQueue(this.#options.queueBytes, this.#options.queueMaxCount);
    this.#failures = createFailureLog(options.log, 'Export of spans');
  }

  onStart(): void {
    // A span is of interest when it has ended.
  }

  onEnd(span: ReadableSpan): void {
    this.#endedCount += 1;
    if (this.#closed) this.#droppedCount += 1;
    else this.#droppedCount += this.#queue.add(span);
    this.#schedule();
  }

  /** Sends all that waits, within a bound; what was not sent by then goes on waiting. */
  async forceFlush(): Promise<void> {
    await withinMs(this.#drain(), this.#options.flushMaxMs);
  }

  /** A last flush, then the exporter is closed and what is left counts as dropped. */
  async shutdown(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#clearTimer();
    const startMs = nowMs();
    await withinMs(this.#drain(), this.#options.flushMaxMs);
    this.#droppedCount += this.#queue.clear();
    const leftMs = Math.max(this.#options.flushMaxMs - (nowMs() - startMs), 0);
    await withinMs(this.#options.exporter.shutdown(), leftMs);
  }

  stats(): BatchStats {
    return {
      endedCount: this.#endedCount,
      exportedCount: this.#exportedCount,
      droppedCount: this.#droppedCount,
      queuedCount: this.#queue.count,
      inFlightCount: this.#inFlightCount,
      queuedBytes: this.#queue.bytes,
    };
  }

  /** Plans the next export: soon while all is well, at once when a batch is full, as a probe after failures. */
  #schedule(): void {
    if (this.#closed || this.#exporting !== undefined || this.#queue.count === 0) return;
    const { batchMaxCount, delayMs } = this.#options;
    const full = this.#queue.bytes >= this.#batchBytes() || this.#queue.count >= batchMaxCount;
    if (this.#failuresInRow >= EXPORT_FAILURES_BEFORE_PROBING_COUNT) this.#setTimer('probe', this.#probeDelayMs());
    else if (full) this.#setTimer('now', 0);
    else if (this.#timerFor === undefined) this.#setTimer('delay', delayMs);
  }

  /**
   * A batch is put into bytes in one go, so it is small while the collector keeps up. Of what has piled up a part goes
   * at once, however long that takes: a collector that is far away takes as many batches a second, of whatever size.
   */
  #batchBytes(): number {
    return Math.min(this.#options.batchBytes, Math.max(SPAN_SLICE_BYTES, this.#queue.bytes / SLICES_PER_QUEUE));
  }

  #probeDelayMs(): number {
    const { probeMs, random } = this.#options;
    return probeMs * (1 + EXPORT_PROBE_JITTER_RATIO * (2 * random() - 1));
  }

  /** A timer for the same thing is left as it is: each span that ends would put the export off again. */
  #setTimer(reason: 'delay' | 'now' | 'probe', delayMs: number): void {
    if (this.#timerFor === reason) return;
    this.#clearTimer();
    this.#timerFor = reason;
    this.#timer = setTimeout(() => {
      this.#clearTimer();
      void this.#exportOne();
    }, delayMs);
    this.#timer.unref();
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#timerFor = undefined;
  }

  /** Exports until the queue is empty or an export fails. */
  async #drain(): Promise<void> {
    await this.#exporting;
    while (this.#queue.count > 0) {
      const failedBefore = this.#failuresInRow;
      await this.#exportOne();
      if (this.#failuresInRow > failedBefore) return;
    }
  }

  /** One batch, unless one is under way. Never rejects. */
  async #exportOne(): Promise<void> {
    if (this.#exporting !== undefined) return this.#exporting;
    const batch = this.#queue.takeBatch(this.#batchBytes(), this.#options.batchMaxCount);
    if (batch.length === 0) return;
    this.#inFlightCount = batch.length;
    this.#exporting = this.#send(batch).then((result) => this.#settle(batch.length, result));
    await this.#exporting;
  }

  #settle(batchCount: number, result: ExportResult): void {
    this.#exporting = undefined;
    this.#inFlightCount = 0;
    if (result.code === ExportResultCode.SUCCESS) {
      this.#exportedCount += batchCount;
      this.#failuresInRow = 0;
      this.#failures.succeeded();
    } else {
      this.#droppedCount += batchCount;
      this.#failuresInRow += 1;
      this.#failures.failed(result.error ?? 'no reason given', batchCount, nowMs());
    }
    this.#schedule();
  }

  /** Gives a batch to the exporter; an exporter that throws or never answers has failed. */
  #send(batch: ReadableSpan[]): Promise<ExportResult> {
    return new Promise((resolve) => {
      const fail = (error: Error): void => resolve({ code: ExportResultCode.FAILED, error });
      const { exportTimeoutMs } = this.#options;
      const timer = setTimeout(() => fail(new Error(`no answer within ${exportTimeoutMs} ms`)), exportTimeoutMs);
      timer.unref();
      try {
        this.#options.exporter.export(batch, (result) => {
          clearTimeout(timer);
          resolve(result);
        });
      } catch (fault) {
        clearTimeout(timer);
        fail(fault instanceof Error ? fault : new Error(String(fault)));
      }
    });
  }
}

/** Waits for work, but not longer than a bound; the work itself goes on. A rejection counts as done. */
export async function withinMs(work: Promise<unknown>, maxMs: number): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => timeout.resolve(false), maxMs);
  const done = work.then(
    () => true,
    () => true,
  );
  const inTime = await Promise.race([done, timeout.promise]);
  clearTimeout(timer);
  return inTime;
}
