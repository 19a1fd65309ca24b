// Plays a relay to an observer: hand-made tape entries in few words, and everything that its sinks were told.
// Moments are ms after an exchange was opened.
import { expect } from 'vitest';
import type { Report, Sink } from '../../../src/judge/report.ts';
import { Calibrations } from '../../../src/observe/calibrations.ts';
import { createClassifier } from '../../../src/observe/classifier.ts';
import type { ObserverOptions } from '../../../src/observe/observer-options.ts';
import { Observer } from '../../../src/observe/observer.ts';
import type { StreamRecord } from '../../../src/record/stream-record.ts';
import type { ClassSpec } from '../../../src/record/traffic-class.ts';
import type { ChunkEntry, EndEntry, HeadEntry, OpenEntry, PauseEntry, TapeHandler } from '../../../src/tape/entries.ts';
import type { MarkKind } from '../../../src/tape/layout.ts';

/** The shared clock when exchanges open, unless an opening says otherwise; any number that is not round. */
export const OPENED_AT_NS = 7_000_000_123;
const OPENED_EPOCH_MS = 1_796_000_000_000;
export const CHAT_FIELDS = ['Host', 'engine.test', 'Content-Type', 'application/json'];
export const STREAM_FIELDS = ['Content-Type', 'text/event-stream; charset=utf-8'];

export const CLASSES: readonly ClassSpec[] = [
  { name: 'batch', stallMs: 1_000, rules: [{ model: 'slow' }] },
  { name: 'default', stallMs: 100, rules: [] },
];

/** A chat event with this delta. */
export function event(delta: object, more: object = {}): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...more }] })}\n\n`;
}

export const text = (content: string): string => event({ content });
export const FINISH = event({}, { finish_reason: 'stop' });
export const DONE = 'data: [DONE]\n\n';

/** A sink that keeps each call as a line, and the reports. */
export function catchSink(name = 'catch'): Sink & { readonly calls: string[]; readonly reports: Report[] } {
  const calls: string[] = [];
  const reports: Report[] = [];
  return {
    name,
    calls,
    reports,
    onFirstToken: (_, ttftNs) => void calls.push(`first token ${ttftNs}`),
    onFirstVisibleToken: (_, ttfoNs) => void calls.push(`first visible ${ttfoNs}`),
    onGap: (_, point, gapNs, stalled) => void calls.push(`gap ${point} ${gapNs}${stalled ? ' stalled' : ''}`),
    onTaintedGap: (_, cause) => void calls.push(`tainted ${cause}`),
    onCoalesced: (_, count) => void calls.push(`coalesced ${count}`),
    onReport(report) {
      calls.push(`report ${report.record.id} ${report.record.end.outcome}`);
      reports.push(report);
    },
  };
}

export interface Stage {
  readonly observer: Observer;
  readonly handler: TapeHandler & { relayGone(): void };
  readonly sink: ReturnType<typeof catchSink>;
  readonly faults: string[];
  exchange(number: number, opening?: Partial<OpenEntry>): Play;
}

export function createStage(changes: Partial<ObserverOptions> = {}): Stage {
  const sink = catchSink();
  const faults: string[] = [];
  const observer = new Observer({
    sinks: [sink],
    classifier: createClassifier('x-traffic-class', CLASSES),
    routes: [
      { name: 'main', engine: undefined },
      { name: 'other-route', engine: undefined },
    ],
    lateSources: [],
    evidenceWaitMs: 0,
    engineByMetrics: () => undefined,
    estimator: new Calibrations(),
    models: [],
    promptBucketEdges: [256, 1_024],
    outputBucketEdges: [64],
    toldUpToNs: () => OPENED_AT_NS,
    wallOffsetMs: () => OPENED_EPOCH_MS - OPENED_AT_NS / 1e6,
    onFault: (where, fault) => void faults.push(`${where}: ${fault instanceof Error ? fault.message : String(fault)}`),
    ...changes,
  });
  const handler = observer.handlerFor(0, 0, () => undefined);
  return { observer, handler, sink, faults, exchange: (number, opening = {}) => new Play(handler, number, opening) };
}

/** One exchange as a relay would tell it. */
export class Play {
  readonly #handler: TapeHandler;
  readonly #exchange: number;
  readonly #openedAtNs: number;
  #seq = 0;
  #receivedBytes = 0;

  constructor(handler: TapeHandler, exchange: number, opening: Partial<OpenEntry>) {
    this.#handler = handler;
    this.#exchange = exchange;
    this.#openedAtNs = opening.openedAtNs ?? OPENED_AT_NS;
    handler.onOpen({
      exchange,
      openedAtNs: this.#openedAtNs,
      openedErrorBoundNs: 0,
      epochMs: OPENED_EPOCH_MS,
      routeIndex: 0,
      clientPort: 40_000,
      localPort: 8_080,
      clientAddress: '127.0.0.1',
      method: 'POST',
      target: '/v1/chat/completions',
      fields: CHAT_FIELDS,
      upgrade: false,
      http2: false,
      trace: undefined,
      ...opening,
    });
  }

  /** A request body that was copied whole, and the upload's end. */
  request(body: object | string, atMs = 0): this {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    this.requestBytes(0, bytes);
    return this.mark('uploadEnd', atMs, bytes.length);
  }

  requestBytes(offset: number, bytes: Uint8Array): this {
    this.#handler.onRequestBytes(this.#exchange, offset, bytes);
    return this;
  }

  mark(kind: MarkKind, atMs: number, value = 0): this {
    this.#handler.onMark({ exchange: this.#exchange, kind, atNs: this.#at(atMs), value });
    return this;
  }

  connected(
    atMs: number,
    facts: { reused?: boolean; tcpNs?: number; dnsNs?: number; tlsNs?: number; wireFloorNs?: number } = {},
  ): this {
    const none = { reused: false, dnsNs: undefined, tcpNs: undefined, tlsNs: undefined, wireFloorNs: undefined };
    this.#handler.onConnected({ exchange: this.#exchange, atNs: this.#at(atMs), ...none, ...facts });
    return this;
  }

  head(atMs: number, changes: Partial<HeadEntry> = {}): this {
    const head = { exchange: this.#exchange, receivedAtNs: this.#at(atMs), status: 200, framing: 'chunked' as const };
    this.#handler.onHead({ ...head, fields: STREAM_FIELDS, ...changes });
    return this;
  }

  /** A chunk that is received, written 0.01 ms and, unless it says otherwise, flushed 0.02 ms later. */
  chunk(atMs: number, body: string, changes: Partial<ChunkEntry> & { readonly unflushed?: boolean } = {}): this {
    const { unflushed = false, ...entry } = changes;
    // The tape lends its bytes for one call; whoever keeps them would read the next chunk's.
    const bytes = Buffer.from(body);
    this.#handler.onChunk({
      exchange: this.#exchange,
      seq: this.#seq,
      receivedAtNs: this.#at(atMs),
      writtenAtNs: this.#at(atMs) + 10_000,
      errorBoundNs: 0,
      byteCount: bytes.length,
      queuedBytes: 0,
      bytes,
      bytesOmitted: false,
      ...entry,
    });
    const seq = entry.seq ?? this.#seq;
    this.#seq = seq + 1;
    this.#receivedBytes += bytes.length;
    bytes.fill(0);
    return unflushed ? this : this.flush(atMs + 0.02, seq);
  }

  flush(atMs: number, seq: number): this {
    this.#handler.onFlush({ exchange: this.#exchange, seq, atNs: this.#at(atMs) });
    return this;
  }

  pause(startMs: number, endMs: number, cause: PauseEntry['cause'] = 'gc'): this {
    this.#handler.onPause({ startAtNs: this.#at(startMs), endAtNs: this.#at(endMs), cause });
    return this;
  }

  end(atMs: number, changes: Partial<EndEntry> = {}): void {
    this.#handler.onEnd({
      exchange: this.#exchange,
      atNs: this.#at(atMs),
      wireEnd: 'complete',
      reason: '',
      answeredByUs: false,
      chunkCount: this.#seq,
      receivedBytes: this.#receivedBytes,
      deliveredBytes: this.#receivedBytes,
      requestBytes: 0,
      ...changes,
    });
  }

  #at(ms: number): number {
    return this.#openedAtNs + Math.round(ms * 1e6);
  }
}

/** The one report of an exchange that is played alone. */
export function reportOf(
  play: (exchange: Play) => void,
  opening: Partial<OpenEntry> = {},
  changes: Partial<ObserverOptions> = {},
): Report {
  const stage = createStage(changes);
  play(stage.exchange(1, opening));
  expect(stage.faults).toEqual([]);
  expect(stage.sink.reports).toHaveLength(1);
  return stage.sink.reports[0] as Report;
}

export function recordOf(play: (exchange: Play) => void, opening: Partial<OpenEntry> = {}): StreamRecord {
  return reportOf(play, opening).record;
}

/** The finish and the end of a stream. */
export function finish(play: Play, atMs = 130): void {
  play.chunk(atMs, FINISH + DONE).end(atMs + 1);
}
