// Server-sent events (HTML standard, §9.2): bytes → text → events, by eventsource-parser behind a
// cap. Comments are events of their own here, the tail that no blank line closes is read too, and so are
// an error without data and an object without a field.
import { createParser, type EventSourceParser } from 'eventsource-parser';
import { EVENT_MAX_BYTES } from '../../base/limits.ts';
import type { Framing, FramingKind, FramingSink } from '../framing.ts';
import { BareJsonWatch } from './bare-json.ts';
import { DatalessErrorWatch } from './dataless-error.ts';
import { EventGate } from './event-gate.ts';

export const sse: FramingKind = {
  name: 'sse',
  streamed: true,
  reads: (mediaType) => mediaType === 'text/event-stream',
  open: (sink) => openEventStream(sink, EVENT_MAX_BYTES),
};

/** The same with a cap of its own, for who reads an event stream that is no answer of an engine. */
export function openEventStream(sink: FramingSink, eventMaxBytes: number): Framing {
  return new SseFraming(sink, eventMaxBytes);
}

class SseFraming implements Framing {
  readonly #sink: FramingSink;
  readonly #gate: EventGate;
  readonly #parser: EventSourceParser;
  readonly #errors = new DatalessErrorWatch();
  readonly #bare = new BareJsonWatch();
  /** Keeps the byte order mark: the parser removes one, also when it came in pieces. */
  readonly #decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
  /** Messages and comments told so far, to see whether the tail held one. */
  #toldCount = 0;

  constructor(sink: FramingSink, eventMaxBytes: number) {
    this.#sink = sink;
    this.#parser = createParser({
      onEvent: (event) => {
        this.#toldCount += 1;
        sink.onMessage(event.data, event.event);
      },
      onComment: () => {
        this.#toldCount += 1;
        sink.onComment();
      },
    });
    this.#gate = new EventGate(eventMaxBytes, {
      pass: (bytes) => this.#read(this.#decoder.decode(bytes, { stream: true })),
      forget: () => this.#forget(),
      onOverflow: () => sink.onOverflow(),
    });
  }

  get insideMessage(): boolean {
    return this.#gate.insideEvent;
  }

  get atBorder(): boolean {
    return this.#gate.atBorder && !this.#bare.inside;
  }

  feed(bytes: Uint8Array): void {
    this.#gate.feed(bytes);
  }

  skip(): void {
    this.#gate.skip();
  }

  end(): void {
    const before = this.#toldCount;
    const rest = this.#bare.takeRest();
    if (rest !== '') this.#tell(rest);
    // `reset({ consume: true })` reads the last line but dispatches no event (4.1.3 as well), so the
    // blank line is made up here, on the copy. The first LF ends a line or completes a CRLF.
    if (this.#gate.insideEvent) this.#parse(`${this.#decoder.decode()}\n\n`);
    if (this.#toldCount > before) this.#sink.onDoubt('unterminated_tail');
  }

  /** Gives the text to the parser, and tells of objects without a field where they stand among the events. */
  #read(text: string): void {
    let start = 0;
    for (let bare = this.#bare.next(text, 0); bare !== undefined; bare = this.#bare.next(text, start)) {
      this.#parse(text.slice(start, bare.end));
      this.#tell(bare.json);
      start = bare.end;
    }
    this.#parse(start === 0 ? text : text.slice(start));
  }

  #tell(json: string): void {
    this.#toldCount += 1;
    this.#sink.onMessage(json, undefined);
  }

  /** Feeds the parser, and tells of errors without data where they stand among the other events. */
  #parse(text: string): void {
    let start = 0;
    for (const end of this.#errors.endsIn(text)) {
      this.#parser.feed(text.slice(start, end));
      start = end;
      this.#toldCount += 1;
      this.#sink.onMessage('', 'error');
    }
    this.#parser.feed(start === 0 ? text : text.slice(start));
  }

  /** Half an event is gone: neither its lines nor half a character of it may meet what follows. */
  #forget(): void {
    this.#parser.reset();
    this.#errors.reset();
    this.#bare.reset();
    this.#decoder.decode();
  }
}
