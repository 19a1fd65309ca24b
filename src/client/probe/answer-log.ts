// One answer as a client saw it, kept the way the sidecar keeps exchanges: chunk log, event log, record. So
// every figure of the probe is the sidecar's own. Times are told, never read from a clock here.
import type { WireEnd } from '../../base/outcome.ts';
import { decideOutcome } from '../../judge/outcome.ts';
import { defined } from '../../measure/defined.ts';
import { ChunkLog } from '../../record/chunk-log.ts';
import { EventLog } from '../../record/event-log.ts';
import { CHUNK_INSIDE_EVENT, type Doubt } from '../../record/kinds.ts';
import {
  RECORD_SCHEMA,
  unansweredFacts,
  type Marks,
  type ResponseFacts,
  type StreamRecord,
} from '../../record/stream-record.ts';
import type { ConnectionFacts, RequestFacts } from '../../record/stream-record.ts';
import type { TextCurve } from '../../record/text-curve.ts';
import { TextLog } from '../../record/text-log.ts';
import { createAnswerReader, type AnswerReader, type EmitEvent } from '../../stream/answer-reader.ts';
import type { TextSink } from '../../stream/fragments.ts';
import { noteHead, type ReceivedHead } from '../../stream/head-facts.ts';

/** As the class `interactive` has it. */
const STALL_NS = 100_000_000;

export interface AskedFor {
  readonly id: string;
  readonly openedAtEpochMs: number;
  readonly request: RequestFacts;
}

/** Of one read: pieces of body that came out of one turn of the loop. */
export interface AnswerRead {
  readonly atNs: number;
  /** How late the stamp may be. */
  readonly errorBoundNs: number;
  /** Pieces as the transfer coding had them. */
  readonly pieces: readonly Uint8Array[];
}

export interface AnswerEndFacts {
  readonly atNs: number;
  readonly wire: WireEnd;
  readonly reason?: string | undefined;
}

/** Moments are ns since the request was begun. */
export class AnswerLog {
  readonly marks: Marks = {};
  connection: ConnectionFacts | undefined;
  readonly #asked: AskedFor;
  readonly #chunks = new ChunkLog();
  readonly #events = new EventLog();
  readonly #response: ResponseFacts = { receivedBytes: 0, deliveredBytes: 0, chunkCount: 0 };
  readonly #doubts = new Set<Doubt>();
  readonly #text = new TextLog();
  #reader: AnswerReader | undefined;
  #row: number | undefined;
  #generated = false;
  #tokenCount = 0;

  constructor(asked: AskedFor) {
    this.#asked = asked;
  }

  /** Events with generated fragments so far. */
  get generatedCount(): number {
    return this.#tokenCount;
  }

  onHead(atNs: number, head: ReceivedHead): void {
    const { status, fields } = head;
    const { method, path, model, stream } = this.#asked.request;
    this.marks.headReceivedAtNs = atNs;
    this.marks.headWrittenAtNs = atNs;
    noteHead(head, this.#response, this.#doubts);
    const { mediaType, encoding } = this.#response;
    const answerHead = { status, fields, ...defined({ mediaType, encoding }) };
    this.#reader = createAnswerReader(
      answerHead,
      { method, path, ...defined({ model, stream }), onText: this.#onText },
      this.#onEvent,
    );
  }

  onRead({ atNs, errorBoundNs, pieces }: AnswerRead): void {
    for (const piece of pieces) {
      const row = {
        receivedAtNs: atNs,
        writtenAtNs: atNs,
        errorBoundNs,
        bytes: piece.length,
        queuedBytes: 0,
        flags: 0,
      };
      this.#row = this.#chunks.add(row);
      if (this.#row === undefined) this.#doubts.add('log_full');
      // What a client has read needs no kernel to accept it: flushed when it was received.
      else this.#chunks.flush(this.#row, atNs);
      this.#reader?.feed(piece);
      if (this.#row !== undefined && this.#reader?.insideEvent) this.#chunks.mark(this.#row, CHUNK_INSIDE_EVENT);
    }
  }

  /** The record of the answer, which is over. */
  end({ atNs, wire, reason }: AnswerEndFacts): StreamRecord {
    this.#reader?.end();
    this.marks.upstreamEndAtNs = atNs;
    this.marks.clientEndAtNs = atNs;
    for (const doubt of this.#reader?.doubts() ?? []) this.#doubts.add(doubt);
    const receivedBytes = this.#chunks.totalBytes;
    const response = {
      ...this.#response,
      receivedBytes,
      deliveredBytes: receivedBytes,
      chunkCount: this.#chunks.totalCount,
    };
    const doubts = [...this.#doubts];
    const answer = this.#reader?.facts() ?? unansweredFacts();
    const outcome = { wire, status: response.status, answer, firstTokenSeen: this.#generated, receivedBytes, doubts };
    return {
      schema: RECORD_SCHEMA,
      ...this.#asked,
      route: 'probe',
      class: { name: 'interactive', stallNs: STALL_NS },
      labels: { model: this.#asked.request.model ?? 'unknown', promptBucket: 'unknown' },
      marks: this.marks,
      ...defined({
        connection: this.connection,
        engine: this.#reader?.engine(),
        statements: this.#reader?.statements(),
      }),
      response,
      answer,
      tokens: this.#reader?.tokens() ?? {},
      evidence: [],
      chunks: this.#chunks.columns,
      events: this.#events.columns,
      blockedNs: [],
      pauses: [],
      end: { wire, ...decideOutcome(outcome), ...defined({ reason }) },
      doubts,
    };
  }

  /** Where its text stood at each chunk, for pairing; undefined where nobody could read one. */
  curve(): TextCurve | undefined {
    if (this.#reader === undefined) return undefined;
    const curve = this.#text.finish();
    const lost = this.#reader.textLost || this.#doubts.has('log_full') || this.#doubts.has('parse_overflow');
    return lost ? { ...curve, incomplete: true } : curve;
  }

  readonly #onText: TextSink = (channel, choice, text) => {
    if (this.#row !== undefined) this.#text.add(channel, choice, text, this.#row);
  };

  readonly #onEvent: EmitEvent = (event) => {
    const row = this.#row;
    if (row === undefined || !this.#events.add({ ...event, chunk: row })) {
      this.#doubts.add('log_full');
      return;
    }
    if (event.generated === 0) return;
    this.#generated = true;
    this.#tokenCount += 1;
  };
}
