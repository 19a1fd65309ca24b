// One JSON value a line. Lines end in LF (a CR before it is white space to JSON); empty lines are
// nothing; a line above the cap is skipped.
import { EVENT_MAX_BYTES } from '../../base/limits.ts';
import type { Framing, FramingKind, FramingSink } from '../framing.ts';

const LF = 10;

const MEDIA_TYPES: ReadonlySet<string> = new Set([
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/jsonlines',
]);

export const ndjson: FramingKind = {
  name: 'ndjson',
  streamed: true,
  reads: (mediaType) => MEDIA_TYPES.has(mediaType),
  open: (sink) => new NdjsonFraming(sink),
};

class NdjsonFraming implements Framing {
  readonly #sink: FramingSink;
  readonly #decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: false });
  /** Decoded pieces of the line at hand; joined once, so that a long line costs linear time. */
  #pieces: string[] = [];
  #heldBytes = 0;
  #dropping = false;

  constructor(sink: FramingSink) {
    this.#sink = sink;
  }

  feed(bytes: Uint8Array): void {
    let start = 0;
    while (start < bytes.length) {
      const lineEnd = bytes.indexOf(LF, start);
      const end = lineEnd === -1 ? bytes.length : lineEnd;
      this.#hold(bytes.subarray(start, end));
      if (lineEnd !== -1) this.#finishLine();
      start = end + 1;
    }
  }

  skip(): void {
    this.#takeText();
    this.#dropping = true;
  }

  end(): void {
    if (!this.#dropping && this.#heldBytes > 0 && this.#finishLine()) this.#sink.onDoubt('unterminated_tail');
  }

  #hold(bytes: Uint8Array): void {
    if (this.#dropping) return;
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > EVENT_MAX_BYTES) {
      this.skip();
      this.#sink.onOverflow();
      return;
    }
    this.#pieces.push(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Tells the line at hand; false when there was none to tell. */
  #finishLine(): boolean {
    const line = this.#takeText();
    const told = !this.#dropping && line.trim() !== '';
    this.#dropping = false;
    if (told) this.#sink.onMessage(line, undefined);
    return told;
  }

  /** The text held so far; the decoder is flushed and starts anew with the next bytes. */
  #takeText(): string {
    const text = this.#pieces.join('') + this.#decoder.decode();
    this.#pieces = [];
    this.#heldBytes = 0;
    return text;
  }
}
