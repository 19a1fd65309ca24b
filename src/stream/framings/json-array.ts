// A JSON list that is sent element by element: each is told as soon as its last bracket is in. Gemini
// streams so without `alt=sse`, under the media type of any JSON text, so the path has to tell.
import { EVENT_MAX_BYTES } from '../../base/limits.ts';
import type { Framing, FramingKind, FramingSink } from '../framing.ts';
import { isJsonMediaType } from '../media-type.ts';
import { JsonBounds, opensJson } from './json-bounds.ts';

const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;

/** Gemini's method; no other API known streams a bare list. */
const STREAMS_LIST = /:streamGenerateContent$/;

export const jsonArray: FramingKind = {
  name: 'json-array',
  streamed: true,
  reads: (mediaType, path) => isJsonMediaType(mediaType) && STREAMS_LIST.test(path),
  open: (sink) => new JsonArrayFraming(sink),
};

class JsonArrayFraming implements Framing {
  readonly #sink: FramingSink;
  readonly #decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: false });
  readonly #bounds = new JsonBounds();
  /** Something other than white space was seen: from now on a bracket opens an element, not the list. */
  #begun = false;
  /** Decoded pieces of the element at hand; joined once, so that a long element costs linear time. */
  #pieces: string[] = [];
  #heldBytes = 0;
  #inside = false;
  #dropping = false;
  #strayTold = false;

  constructor(sink: FramingSink) {
    this.#sink = sink;
  }

  feed(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) at = this.#inside ? this.#readElement(bytes, at) : this.#readBetween(bytes, at);
  }

  skip(): void {
    // Whether the next bracket stands in a string cannot be told any more, so no border is certain.
    this.#pieces = [];
    this.#sink.onUnreadable('tape');
  }

  end(): void {
    if (!this.#inside || this.#dropping) return;
    this.#sink.onDoubt('unterminated_tail');
    this.#sink.onMessage(this.#takeText(), undefined);
  }

  /** Reads up to the start of an element; returns where it stands, or the end of the bytes. */
  #readBetween(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      const opensList = byte === OPEN_BRACKET && !this.#begun;
      const isBlank = byte <= 0x20;
      this.#begun ||= !isBlank;
      if (opensJson(byte) && !opensList) {
        this.#inside = true;
        return at;
      }
      const isOurs = opensList || isBlank || byte === COMMA || byte === CLOSE_BRACKET;
      if (!isOurs) this.#noteStray();
    }
    return bytes.length;
  }

  /** Reads up to the end of the element at hand; returns the place behind it, or the end of the bytes. */
  #readElement(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      if (!this.#bounds.closes(bytes[at] ?? 0)) continue;
      this.#hold(bytes.subarray(from, at + 1));
      this.#finishElement();
      return at + 1;
    }
    this.#hold(bytes.subarray(from));
    return bytes.length;
  }

  #hold(bytes: Uint8Array): void {
    if (this.#dropping) return;
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > EVENT_MAX_BYTES) {
      this.#takeText();
      this.#dropping = true;
      this.#sink.onOverflow();
      return;
    }
    this.#pieces.push(this.#decoder.decode(bytes, { stream: true }));
  }

  #finishElement(): void {
    const text = this.#takeText();
    const told = !this.#dropping;
    this.#inside = false;
    this.#dropping = false;
    this.#bounds.reset();
    if (told) this.#sink.onMessage(text, undefined);
  }

  /** The text held so far; the decoder is flushed and starts anew with the next bytes. */
  #takeText(): string {
    const text = this.#pieces.join('') + this.#decoder.decode();
    this.#pieces = [];
    this.#heldBytes = 0;
    return text;
  }

  /** Texts and numbers are no elements that any dialect knows. */
  #noteStray(): void {
    if (!this.#strayTold) this.#sink.onDoubt('parse_error');
    this.#strayTold = true;
  }
}
