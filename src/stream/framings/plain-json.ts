// An answer that is one JSON text: held up to a cap and told as one message at its end. Whether it
// is complete is for the reader of the text to say.
import { JSON_ANSWER_MAX_BYTES } from '../../base/limits.ts';
import type { Framing, FramingKind, FramingSink } from '../framing.ts';
import { isJsonMediaType } from '../media-type.ts';

export const plainJson: FramingKind = {
  name: 'json',
  streamed: false,
  reads: isJsonMediaType,
  open: (sink) => new PlainJsonFraming(sink),
};

class PlainJsonFraming implements Framing {
  readonly #sink: FramingSink;
  readonly #decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: false });
  #pieces: string[] = [];
  #heldBytes = 0;

  constructor(sink: FramingSink) {
    this.#sink = sink;
  }

  feed(bytes: Uint8Array): void {
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > JSON_ANSWER_MAX_BYTES) {
      this.#sink.onOverflow();
      this.#giveUp('too_large');
      return;
    }
    this.#pieces.push(this.#decoder.decode(bytes, { stream: true }));
  }

  skip(): void {
    // A JSON text with a hole has no border to go on at.
    this.#giveUp('tape');
  }

  end(): void {
    if (this.#heldBytes === 0) return;
    const text = this.#pieces.join('') + this.#decoder.decode();
    this.#pieces = [];
    this.#sink.onMessage(text, undefined);
  }

  #giveUp(reason: string): void {
    this.#pieces = [];
    this.#sink.onUnreadable(reason);
  }
}
