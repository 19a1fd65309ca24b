// Passes payloads on to the collector, a few at a time, oldest first, from a queue bounded in bytes and
// number: a collector that is slow, gone or full costs payloads, which are counted, never memory.
// What it could not take for the moment is sent once more, after the time it asks for; then it is lost.
import { setTimeout as delay } from 'node:timers/promises';
import { FLUSH_MAX_MS } from '../../base/limits.ts';
import {
  OTLP_QUEUE_MAX_BYTES,
  OTLP_QUEUE_MAX_COUNT,
  OTLP_RETRY_MAX_MS,
  OTLP_RETRY_MS,
  OTLP_SENDS_MAX_COUNT,
} from '../../base/otlp-limits.ts';
import type { OtlpCounts } from './counts.ts';
import type { Payload, Signal } from './signals.ts';

/** How one attempt went. */
export type SendResult =
  | { readonly sent: true }
  | {
      readonly sent: false;
      readonly fault: string;
      /** It may work later; after so many ms, if the collector said. */
      readonly again: boolean;
      readonly afterMs?: number | undefined;
    };

export interface Sender {
  /** One attempt, within its time limit. Never rejects. */
  send(payload: Payload): Promise<SendResult>;
  close(): void;
}

export interface ForwarderOptions {
  readonly senders: Readonly<Record<Signal, Sender | undefined>>;
  readonly counts: OtlpCounts;
  /** A payload was lost, or one arrived after some were lost. */
  readonly onLost: (fault: string) => void;
  readonly onSent: () => void;
  readonly maxBytes?: number;
  readonly maxCount?: number;
  readonly retryMs?: number;
}

export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #queue: Payload[] = [];
  readonly #abort = new AbortController();
  #bytes = 0;
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  get queuedBytes(): number {
    return this.#bytes;
  }

  add(payload: Payload): void {
    const { maxBytes = OTLP_QUEUE_MAX_BYTES, maxCount = OTLP_QUEUE_MAX_COUNT } = this.#options;
    this.#queue.push(payload);
    this.#bytes += payload.bytes.length;
    while (this.#queue.length > maxCount || this.#bytes > maxBytes) {
      this.#take();
      this.#options.counts.dropped.queue += 1;
    }
    this.#pump();
  }

  /** Sends what waits, within the time for a last flush; what is left then is lost. */
  async close(): Promise<void> {
    const timer = delay(FLUSH_MAX_MS, undefined, { ref: false });
    const drained = this.#drain();
    await Promise.race([drained, timer]);
    this.#options.counts.dropped.queue += this.#queue.splice(0).length;
    this.#bytes = 0;
    this.#abort.abort();
    for (const sender of new Set(Object.values(this.#options.senders))) sender?.close();
  }

  async #drain(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.race(this.#underWay);
  }

  #take(): Payload | undefined {
    const payload = this.#queue.shift();
    if (payload !== undefined) this.#bytes -= payload.bytes.length;
    return payload;
  }

  #pump(): void {
    while (this.#underWay.size < OTLP_SENDS_MAX_COUNT) {
      const payload = this.#take();
      if (payload === undefined) return;
      const work = this.#deliver(payload).finally(() => {
        this.#underWay.delete(work);
        this.#pump();
      });
      this.#underWay.add(work);
    }
  }

  async #deliver(payload: Payload): Promise<void> {
    const { counts, onLost, onSent } = this.#options;
    const sender = this.#options.senders[payload.signal];
    if (sender === undefined) return;
    let result = await sender.send(payload);
    if (!result.sent && result.again && (await this.#wait(result.afterMs))) result = await sender.send(payload);
    if (result.sent) {
      counts.forwarded[payload.signal] += 1;
      onSent();
    } else {
      counts.dropped.collector += 1;
      onLost(result.fault);
    }
  }

  /** False when we are being closed meanwhile. */
  async #wait(askedMs: number | undefined): Promise<boolean> {
    const ms = Math.min(askedMs ?? this.#options.retryMs ?? OTLP_RETRY_MS, OTLP_RETRY_MAX_MS);
    try {
      await delay(ms, undefined, { signal: this.#abort.signal });
      return true;
    } catch {
      return false; // Aborted: the only way in which this wait can fail.
    }
  }
}
