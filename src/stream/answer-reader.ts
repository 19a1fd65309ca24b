// Reads the body of one answer from copies of its bytes: content coding → framing → messages → facts.
// Everything is synchronous, so that the events emitted during a feed belong to the chunk that was
// fed. Knows nothing of clocks, chunks and tape, and nothing it meets gets past it as an exception.
//
//   bytes ── content-coding ── framing (SSE, NDJSON, …) ── message-reader ── dialect
//                  │                     │                          │              │
//                  └── unreadable ───────┴── doubts ────────────────┴── events ────┴── answer state
//
// An event that is like the one before it is known by its bytes and takes none of these steps (like-event.ts).
import type { Doubt, EventKind } from '../record/kinds.ts';
import type { EngineFacts, EngineName } from '../record/engines.ts';
import type { AnswerFacts, Statements, TokenFacts } from '../record/stream-record.ts';
import { AnswerState } from './answer-state.ts';
import { openDecoder, type BodyDecoder } from './content-coding.ts';
import { EngineWords } from './engine-words.ts';
import type { TextSink } from './fragments.ts';
import type { Framing, FramingKind } from './framing.ts';
import { framingFor } from './framings.ts';
import { LikeEvent } from './like-event.ts';
import { parseMediaType } from './media-type.ts';
import { MessageReader, type EmitEvent } from './message-reader.ts';

export type { EmitEvent } from './message-reader.ts';

/** What the response head says about the body. */
export interface AnswerHead {
  readonly status: number;
  /** Lower case without parameters; a raw Content-Type is understood as well. */
  readonly mediaType?: string;
  /** The field Content-Encoding. */
  readonly encoding?: string;
  /** All fields: names and values in turn, as received. */
  readonly fields?: readonly string[];
}

/** What the request lets expect. Only a prediction: the answer decides. */
export interface RequestHints {
  readonly method: string;
  /** Without query. */
  readonly path: string;
  readonly stream?: boolean;
  readonly choices?: number;
  readonly model?: string;
  /** The engine that configuration names. */
  readonly engine?: EngineName;
  /** Told every piece of generated text while the bytes that complete it are fed. */
  readonly onText?: TextSink;
}

export interface AnswerReader {
  /** Reads bytes; the memory may be used again afterwards. Every event they complete is emitted before this returns. */
  feed(bytes: Uint8Array): void;
  /** Bytes are missing between the last feed and the next: resumes at the next certain border. */
  skip(): void;
  /** The body is over, clean or cut. A tail that nothing closed is read and may emit. */
  end(): void;
  /** False when more bytes would tell nothing: the body is opaque, became unreadable, or is over. */
  readonly wantsBytes: boolean;
  /** The bytes fed so far end inside an event. */
  readonly insideEvent: boolean;
  facts(): AnswerFacts;
  tokens(): TokenFacts;
  /** Which engine answered; undefined when nothing told. */
  engine(): EngineFacts | undefined;
  /** What it said about its time and load; undefined when it said nothing. */
  statements(): Statements | undefined;
  doubts(): Doubt[];
  /** Text of the answer was told wrong or not at all, although every message was read. */
  readonly textLost: boolean;
}

export function createAnswerReader(head: AnswerHead, hints: RequestHints, emit: EmitEvent): AnswerReader {
  return new BodyReader(head, hints, emit);
}

class BodyReader implements AnswerReader {
  readonly #emit: EmitEvent;
  readonly #state: AnswerState;
  readonly #doubts = new Set<Doubt>();
  readonly #eventCounts: Partial<Record<EventKind, number>> = {};
  readonly #success: boolean;
  readonly #streamed: boolean;
  /** End marks such as `[DONE]` are a custom of server-sent events; elsewhere none is missed. */
  readonly #marksEnd: boolean;
  readonly #messages: MessageReader;
  readonly #words: EngineWords;
  readonly #like = new LikeEvent();
  #lastEvent: Parameters<EmitEvent>[0] | undefined;
  #framing: Framing | undefined;
  #decoder: BodyDecoder | undefined;
  #unreadable: string | undefined;
  /** The body's only message, where it is no stream, was complete. */
  #answerComplete = false;
  #ended = false;

  constructor(head: AnswerHead, hints: RequestHints, emit: EmitEvent) {
    this.#emit = emit;
    this.#success = head.status >= 200 && head.status < 300;
    this.#state = new AnswerState(hints.onText);
    this.#words = new EngineWords(hints.engine, head.fields ?? []);
    this.#messages = new MessageReader(hints.path, {
      state: this.#state,
      emit: (event) => this.#tell(event),
      onDoubt: (doubt) => this.#doubts.add(doubt),
      onMessage: (message) => this.#words.noteMessage(message),
    });
    const kind = this.#framingFor(head, hints.path);
    this.#streamed = kind?.streamed ?? false;
    this.#marksEnd = kind?.name === 'sse';
    const opened = openDecoder(head.encoding);
    if (kind === undefined) this.#giveUp('media_type');
    else if ('unreadable' in opened) this.#giveUp(opened.unreadable);
    else {
      this.#decoder = opened.decoder;
      this.#framing = kind.open({
        onMessage: (text, eventName) => this.#read(text, eventName),
        onComment: () => this.#tell({ kind: 'comment', generated: 0, tokensSoFar: undefined }),
        onOverflow: () => {
          this.#doubts.add('parse_overflow');
          this.#state.tokens.noteLoss();
        },
        onDoubt: (doubt) => this.#doubts.add(doubt),
        onUnreadable: (reason) => this.#giveUp(reason),
      });
    }
  }

  get wantsBytes(): boolean {
    return this.#framing !== undefined;
  }

  get textLost(): boolean {
    return this.#state.fragments.lost;
  }

  get insideEvent(): boolean {
    return this.#framing?.insideMessage === true;
  }

  feed(bytes: Uint8Array): void {
    this.#guard((framing) => {
      if (this.#decoder === undefined) {
        this.#readPlain(bytes, framing);
        return;
      }
      const fault = this.#decoder.decode(bytes, (piece) => framing.feed(piece));
      if (fault !== undefined) this.#giveUp(fault);
    });
  }

  skip(): void {
    this.#guard((framing) => {
      this.#state.tokens.noteLoss();
      this.#like.forget();
      // A compressed stream cannot be entered in the middle.
      if (this.#decoder === undefined) framing.skip();
      else this.#giveUp('tape');
    });
  }

  end(): void {
    this.#guard((framing) => framing.end());
    this.#ended = true;
    this.#release();
  }

  facts(): AnswerFacts {
    const { errorType, model, responseId, choiceCount, finishReasons, endMark } = this.#state;
    const facts: AnswerFacts = {
      dialect: this.#dialectName(),
      streamed: this.#streamed,
      terminal: this.#terminal(),
      endMark,
      finishReasons,
      choiceCount,
      eventCounts: { ...this.#eventCounts },
    };
    if (this.#streamed && this.#messages.dialect?.endsByClose === true) facts.endsByClose = true;
    if (errorType !== undefined) facts.errorType = errorType;
    if (this.#unreadable !== undefined) facts.unreadable = this.#unreadable;
    if (model !== undefined) facts.model = model;
    if (responseId !== undefined) facts.responseId = responseId;
    return facts;
  }

  tokens(): TokenFacts {
    return this.#state.tokens.facts();
  }

  engine(): EngineFacts | undefined {
    return this.#words.engine();
  }

  statements(): Statements | undefined {
    return this.#words.statements();
  }

  doubts(): Doubt[] {
    const doubts = [...this.#doubts];
    const expectsMark = this.#marksEnd && this.#messages.dialect?.hasEndMark === true;
    if (this.#ended && expectsMark && this.#terminal() && !this.#state.endMark) doubts.push('no_done');
    return doubts;
  }

  /** Reads what is not encoded: events that are like the one before are known by their bytes. */
  #readPlain(bytes: Uint8Array, framing: Framing): void {
    let start = 0;
    for (let end = this.#like.endIn(bytes, start); end !== 0; end = this.#like.endIn(bytes, start)) {
      this.#tellLike(bytes, start, end);
      if (end === bytes.length) return;
      start = end;
    }
    this.#readAnew(start === 0 ? bytes : bytes.subarray(start), framing);
  }

  #tellLike(bytes: Uint8Array, start: number, end: number): void {
    const { meaning } = this.#like;
    if (meaning === undefined) return;
    const { fragments } = this.#state;
    if (fragments.isHeard) {
      fragments.text(meaning.told.channel, meaning.told.choice, this.#like.textIn(bytes, start, end));
      fragments.take();
    }
    this.#tell(meaning.reading);
  }

  #readAnew(bytes: Uint8Array, framing: Framing): void {
    this.#like.forget();
    const { atBorder } = framing;
    framing.feed(bytes);
    if (atBorder === true && this.#lastEvent !== undefined) this.#like.keep(bytes, this.#lastEvent, this.#messages);
  }

  /** A failure is one text, also where a stream was asked for: its path no longer tells how it is framed. */
  #framingFor(head: AnswerHead, path: string): FramingKind | undefined {
    return framingFor(parseMediaType(head.mediaType), this.#success ? path : '');
  }

  #read(text: string, eventName: string | undefined): void {
    if (this.#streamed) this.#messages.readEvent(text, eventName);
    else this.#answerComplete = this.#messages.readAnswer(text, this.#success);
  }

  #tell(event: Parameters<EmitEvent>[0]): void {
    this.#lastEvent = event;
    this.#eventCounts[event.kind] = (this.#eventCounts[event.kind] ?? 0) + 1;
    this.#emit(event);
  }

  #dialectName(): string {
    // A body nobody could read from the start has no dialect, whatever its path promised.
    const read = this.#unreadable === undefined || Object.keys(this.#eventCounts).length > 0;
    return (read ? this.#messages.dialect?.name : undefined) ?? 'opaque';
  }

  #terminal(): boolean {
    if (!this.#streamed) return this.#success && this.#answerComplete;
    return this.#messages.dialect?.isTerminal(this.#state) ?? this.#state.endMark;
  }

  /** Runs one step while there is something to read with. A fault of ours ends the reading, not the caller. */
  #guard(step: (framing: Framing) => void): void {
    if (this.#framing === undefined) return;
    try {
      step(this.#framing);
    } catch {
      // Counted where every unreadable body is: in the record's facts and doubts.
      this.#giveUp('fault');
    }
  }

  #giveUp(reason: string): void {
    this.#unreadable ??= reason;
    this.#doubts.add('unreadable');
    this.#state.tokens.noteLoss();
    this.#release();
  }

  #release(): void {
    this.#decoder?.close();
    this.#decoder = undefined;
    this.#framing = undefined;
  }
}
