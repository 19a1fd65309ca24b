// One exchange as it is rebuilt from the tape: entries in, facts kept, figures told as they happen.
// Joins wire (chunks, stamps) and meaning (events); judges nothing. record-of.ts freezes it.
import { PAUSES_EARLY_COUNT, PAUSES_LATE_COUNT } from '../base/record-limits.ts';
import type { ExchangeLabels } from '../judge/report.ts';
import { defined } from '../measure/defined.ts';
import type { FirstTokenListener } from '../measure/first-token-meter.ts';
import type { GapListener } from '../measure/gap-meter.ts';
import { ChunkLog } from '../record/chunk-log.ts';
import { EventLog } from '../record/event-log.ts';
import { CHUNK_AFTER_LOSS, CHUNK_BYTES_OMITTED, CHUNK_INSIDE_EVENT, type Doubt } from '../record/kinds.ts';
import type { ConnectionFacts, Marks, ResponseFacts } from '../record/stream-record.ts';
import type { EngineName } from '../record/engines.ts';
import type { ClassSpec } from '../record/traffic-class.ts';
import type { AnswerReader, EmitEvent } from '../stream/answer-reader.ts';
import type { RequestReading } from '../stream/request-reader.ts';
import { noteHead } from '../stream/head-facts.ts';
import type { TextCapture } from '../stream/text-capture.ts';
import type { ChunkEntry, ConnectedEntry, EndEntry, HeadEntry, MarkEntry, OpenEntry } from '../tape/entries.ts';
import { pathOfTarget } from '../base/head-rules.ts';
import { AnswerText } from './answer-text.ts';
import { AskedRequest } from './asked-request.ts';
import type { ClassSubject } from './classifier.ts';
import type { Company } from './company.ts';
import { createMetering, type Metering } from './metering.ts';
import { createModelList, type ModelList } from './model-list.ts';
import { openReader } from './open-reader.ts';
import { HeardPauses, type RelayPauses } from './relay-pauses.ts';
import { SeqRows } from './seq-rows.ts';

/** What an exchange tells while it runs. */
export interface ExchangeListener extends GapListener, FirstTokenListener {
  /** A connection to the engine is asked for, or has got the request. */
  onGoing(): void;
  /** The first generated fragment was received: labels do not change from now on. */
  onFirstGenerated(): void;
  /** An event with a generated fragment came, at this moment since the exchange opened; before its gap is told. */
  onGenerated(atNs: number, tokensSoFar: number | undefined): void;
}

export interface ObservedOptions {
  readonly id: string;
  readonly openedAtEpochMs: number;
  readonly classify: (subject: ClassSubject) => ClassSpec;
  readonly listen: (exchange: ObservedExchange) => ExchangeListener;
  /** Tells the relay that this exchange's client has gone, where the relay cannot know. */
  readonly tellClientGone: () => void;
  /** Engine that configuration names for this exchange's route. */
  readonly engine: EngineName | undefined;
  /** Who else was on the route when it opened. */
  readonly company: Company;
  readonly pauses: RelayPauses;
  readonly capture: TextCapture | undefined;
  /** Somebody may look for another sight of it. */
  readonly isPaired: boolean;
}

export class ObservedExchange {
  readonly id: string;
  readonly opening: OpenEntry;
  readonly openedAtEpochMs: number;
  /** Path without query. */
  readonly path: string;
  readonly chunks = new ChunkLog();
  readonly events = new EventLog();
  readonly marks: Marks = {};
  readonly response: ResponseFacts = { receivedBytes: 0, deliveredBytes: 0, chunkCount: 0 };
  readonly doubts = new Set<Doubt>();
  readonly company: Company;
  readonly capture: TextCapture | undefined;
  /** Where the generated text stood at each chunk. */
  readonly text: AnswerText;
  readonly asked: AskedRequest;
  connection: ConnectionFacts | undefined;
  reader: AnswerReader | undefined;
  /** Moment of the latest read with a generated fragment, ns since the exchange opened. */
  lastGeneratedAtNs: number | undefined;
  /** Frozen when they are first asked for, and with them the estimate. */
  labels: ExchangeLabels | undefined;
  promptTokensEstimate: number | undefined;
  /** Bytes that the kernel was last seen to hold for this client. */
  clientUnackedBytes: number | undefined;
  #modelList: ModelList | undefined;
  readonly #options: ObservedOptions;
  readonly #listener: ExchangeListener;
  readonly #pauses: HeardPauses;
  /** Made with the first chunk, when the class is known. */
  #metering: Metering | undefined;
  /** Rows of chunks whose flush stamp is still to come. */
  readonly #unflushedRows = new SeqRows();
  #nextSeq = 0;
  /** Row to which events that are completed now belong; undefined when the log is full. */
  #row: number | undefined;
  #generated = false;

  constructor(opening: OpenEntry, options: ObservedOptions) {
    this.opening = opening;
    this.id = options.id;
    this.openedAtEpochMs = options.openedAtEpochMs;
    this.path = pathOfTarget(opening.target);
    this.company = options.company;
    this.capture = options.capture;
    this.text = new AnswerText(options.capture, options.isPaired);
    this.asked = new AskedRequest(opening, this.path, options.capture);
    this.#pauses = new HeardPauses(options.pauses, opening.openedAtNs, (pause) => this.metering.gaps.onPause(pause));
    this.#options = options;
    this.#listener = options.listen(this);
  }

  get metering(): Metering {
    return this.#metering ?? this.#startMetering();
  }

  /** The class as it would be decided now; asking does not decide it. */
  get classNow(): ClassSpec {
    return this.#metering?.class ?? this.#classify();
  }

  /** What the request says of itself, as far as it was copied by now. */
  get request(): RequestReading {
    return this.asked.reading;
  }

  get headSeen(): boolean {
    return this.response.status !== undefined;
  }

  get tokenSeen(): boolean {
    return this.#generated;
  }

  onRequestBytes(offset: number, bytes: Uint8Array): void {
    this.asked.onBytes(offset, bytes);
  }

  onMark({ kind, atNs, value }: MarkEntry): void {
    const sinceOpenNs = this.#since(atNs);
    switch (kind) {
      case 'admitted':
      case 'connectStart':
      case 'requestSent':
      case 'headWritten':
      case 'upstreamEnd':
        this.marks[`${kind}AtNs`] = sinceOpenNs;
        if (kind === 'connectStart' || kind === 'requestSent') this.#listener.onGoing();
        return;
      case 'uploadEnd':
        this.marks.uploadEndAtNs = sinceOpenNs;
        this.asked.onUploaded(value);
        return;
      case 'blockedFrom':
        this.metering.gaps.onBlocked(sinceOpenNs);
        return;
      case 'blockedTo':
        this.metering.gaps.onUnblocked(sinceOpenNs);
        return;
      case 'informational':
        return;
      case 'retried':
        this.connection = { reused: true, ...this.connection, retried: true };
        return;
    }
  }

  onConnected({ atNs, reused, dnsNs, tcpNs, tlsNs, wireFloorNs }: ConnectedEntry): void {
    this.marks.connectedAtNs = this.#since(atNs);
    this.connection = { reused, ...defined({ retried: this.connection?.retried, dnsNs, tcpNs, tlsNs, wireFloorNs }) };
  }

  onHead(entry: HeadEntry): void {
    const { receivedAtNs, status, framing, fields } = entry;
    this.marks.headReceivedAtNs = this.#since(receivedAtNs);
    noteHead(entry, this.response, this.doubts);
    if (framing === 'upgrade') return;
    this.#modelList = createModelList(this.opening.method, this.path, status);
    const { mediaType, encoding } = this.response;
    const onText = this.text.sink(() => this.#row);
    const answerHead = { status, fields, ...defined({ mediaType, encoding }) };
    this.reader = openReader(answerHead, this, this.#options.engine, { onEvent: this.#onEvent, onText });
  }

  onChunk(entry: ChunkEntry): void {
    void this.metering;
    const lost = entry.seq !== this.#nextSeq;
    this.#nextSeq = entry.seq + 1;
    if (lost) this.doubts.add('tape_chunks');
    if (entry.bytesOmitted) this.doubts.add('tape_bytes');
    if (lost) this.reader?.skip();
    this.#row = this.chunks.add({
      receivedAtNs: this.#since(entry.receivedAtNs),
      writtenAtNs: this.#since(entry.writtenAtNs),
      errorBoundNs: entry.errorBoundNs,
      bytes: entry.byteCount,
      queuedBytes: entry.queuedBytes,
      flags: (entry.bytesOmitted ? CHUNK_BYTES_OMITTED : 0) | (lost ? CHUNK_AFTER_LOSS : 0),
    });
    if (this.#row === undefined) this.doubts.add('log_full');
    else this.#unflushedRows.add(entry.seq, this.#row);
    if (entry.bytesOmitted) this.reader?.skip();
    else if (entry.bytes !== undefined) {
      this.reader?.feed(entry.bytes);
      if (this.#row !== undefined && this.reader?.insideEvent) this.chunks.mark(this.#row, CHUNK_INSIDE_EVENT);
      this.#modelList?.feed(entry.bytes);
    }
  }

  onFlush(seq: number, atNs: number): void {
    const row = this.#unflushedRows.take(seq);
    if (row === undefined || !this.chunks.flush(row, this.#since(atNs))) return;
    this.metering.firstToken.onFlush(row);
    this.metering.gaps.onFlush(row);
  }

  /** The kernel was seen to hold so many bytes that the client has not acknowledged. */
  onUnacked(bytes: number): void {
    this.clientUnackedBytes = bytes;
    this.response.clientUnackedMaxBytes = Math.max(bytes, this.response.clientUnackedMaxBytes ?? 0);
  }

  tellClientGone(): void {
    this.#options.tellClientGone();
  }

  /** Names that this exchange's answer lists; empty unless it is a list of models. */
  listedModels(): readonly string[] {
    return this.#modelList?.names() ?? [];
  }

  /** The last entry: what the body left unsaid is read, totals are the relay's own. */
  onEnd(entry: EndEntry): void {
    if (entry.chunkCount !== this.#nextSeq) this.doubts.add('tape_chunks');
    this.reader?.end();
    this.marks.clientEndAtNs = this.#since(entry.atNs);
    this.response.chunkCount = entry.chunkCount;
    this.response.receivedBytes = entry.receivedBytes;
    this.response.deliveredBytes = entry.deliveredBytes;
    this.asked.onEnd(entry.requestBytes);
    if (this.request.cut && entry.requestBytes > 0) this.doubts.add('request_cut');
    for (const doubt of this.reader?.doubts() ?? []) this.doubts.add(doubt);
    const { gaps } = this.metering;
    this.#pauses.hearLatest(PAUSES_LATE_COUNT);
    if (gaps.blockedFull || gaps.pausesFull) this.doubts.add('log_full');
  }

  /** The record is made, or never will be. */
  release(): void {
    this.chunks.release();
    this.events.release();
    this.text.release();
  }

  readonly #onEvent: EmitEvent = ({ kind, generated, tokensSoFar }) => {
    const row = this.#row;
    if (row === undefined || !this.events.add({ chunk: row, kind, generated, tokensSoFar })) {
      this.doubts.add('log_full');
      return;
    }
    if (generated === 0) return;
    const { firstToken, gaps } = this.metering;
    const atNs = this.chunks.receivedAtNs(row);
    this.lastGeneratedAtNs = atNs;
    if (!this.#generated) {
      this.#generated = true;
      this.#listener.onFirstGenerated();
    }
    this.#listener.onGenerated(atNs, tokensSoFar);
    firstToken.onGenerated(row, generated);
    gaps.onGenerated(row);
  };

  #classify(): ClassSpec {
    const request = this.request;
    return this.#options.classify({
      fields: this.opening.fields,
      path: this.path,
      model: request.model,
      bodyField: (name) => request.field?.(name),
    });
  }

  #startMetering(): Metering {
    const hearPauses = (sinceNs: number): void => this.#pauses.hearSince(sinceNs);
    const metering = createMetering(this.#classify(), this.chunks, this.#listener, hearPauses);
    this.#metering = metering;
    this.#pauses.hearLatest(PAUSES_EARLY_COUNT);
    return metering;
  }

  #since(atNs: number): number {
    return atNs - this.opening.openedAtNs;
  }
}
