// Amazon's event stream (`application/vnd.amazon.eventstream`): binary frames that state their length and
// carry two CRC32s. Bytes stay bytes here until a frame is whole and proven.
//
// After a loss the next frame is looked for byte by byte. A prelude is 12 bytes of which 4 are the CRC of
// the others, and the frame's own CRC must fit as well before anything is told, so a border found by
// chance is out of the question; and a length begins with a zero byte or a one, which no JSON holds.
import {
  AWS_FRAME_MAX_BYTES,
  AWS_SEEK_MAX_BYTES,
  ERROR_TYPE_MAX_CHARS,
  EVENT_MAX_BYTES,
  NAME_MAX_CHARS,
} from '../../base/limits.ts';
import type { Framing, FramingKind, FramingSink } from '../framing.ts';
import { boundedText } from '../json-value.ts';
import { PRELUDE_BYTES, readFrame, readPrelude } from './aws-frame.ts';

/** First of the four bytes of a frame's length. */
const LENGTH_FIRST_BYTE_MAX = AWS_FRAME_MAX_BYTES >>> 24;

export const awsEventStream: FramingKind = {
  name: 'aws-event-stream',
  streamed: true,
  reads: (mediaType) => mediaType === 'application/vnd.amazon.eventstream',
  open: (sink) => new AwsEventStreamFraming(sink),
};

class AwsEventStreamFraming implements Framing {
  readonly #sink: FramingSink;
  readonly #prelude = Buffer.alloc(PRELUDE_BYTES);
  #preludeBytes = 0;
  /** The frame at hand once its prelude is read, and how much of it is in. */
  #frame: Buffer | undefined;
  #frameBytes = 0;
  #headersBytes = 0;
  /** Bytes still to come of a frame that is too large to hold. */
  #droppedBytes = 0;
  /** Bytes looked at in vain since the last border that was certain; undefined while at one. */
  #soughtBytes: number | undefined;

  constructor(sink: FramingSink) {
    this.#sink = sink;
  }

  feed(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#droppedBytes > 0) at += this.#drop(bytes.length - at);
      else if (this.#frame === undefined) at = this.#readPrelude(bytes, at);
      else at = this.#fillFrame(this.#frame, bytes, at);
      if ((this.#soughtBytes ?? 0) > AWS_SEEK_MAX_BYTES) {
        this.#sink.onUnreadable('framing');
        return;
      }
    }
  }

  skip(): void {
    this.#frame = undefined;
    this.#preludeBytes = 0;
    this.#droppedBytes = 0;
    this.#soughtBytes ??= 0;
  }

  end(): void {
    const inside = this.#frame !== undefined || this.#preludeBytes > 0;
    // A frame without its end cannot be checked, so it is not read.
    if (inside && this.#soughtBytes === undefined) this.#sink.onDoubt('unterminated_tail');
    this.skip();
  }

  #drop(bytesAtHand: number): number {
    const dropped = Math.min(bytesAtHand, this.#droppedBytes);
    this.#droppedBytes -= dropped;
    return dropped;
  }

  /** Collects a prelude; one that is wrong loses its first byte, so that every place is tried. */
  #readPrelude(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length) {
      if (this.#preludeBytes === 0 && this.#soughtBytes !== undefined) {
        const start = findLengthStart(bytes, at);
        this.#soughtBytes += start - at;
        at = start;
        if (at === bytes.length) return at;
      }
      this.#prelude[this.#preludeBytes] = bytes[at] ?? 0;
      this.#preludeBytes += 1;
      at += 1;
      if (this.#preludeBytes < PRELUDE_BYTES) continue;
      if (this.#openFrame()) return at;
      this.#loseBorder();
    }
    return at;
  }

  /** Opens the frame that the prelude announces; false when it is none. */
  #openFrame(): boolean {
    const prelude = readPrelude(this.#prelude, AWS_FRAME_MAX_BYTES);
    if (prelude === undefined) return false;
    this.#preludeBytes = 0;
    this.#headersBytes = prelude.headersBytes;
    if (prelude.totalBytes > EVENT_MAX_BYTES) {
      // Its length is proven by the prelude's CRC, so it can be passed over without being held.
      this.#droppedBytes = prelude.totalBytes - PRELUDE_BYTES;
      this.#soughtBytes = undefined;
      this.#sink.onOverflow();
      return true;
    }
    this.#frame = Buffer.allocUnsafe(prelude.totalBytes);
    this.#prelude.copy(this.#frame);
    this.#frameBytes = PRELUDE_BYTES;
    return true;
  }

  #fillFrame(frame: Buffer, bytes: Uint8Array, from: number): number {
    const taken = bytes.subarray(from, from + frame.length - this.#frameBytes);
    frame.set(taken, this.#frameBytes);
    this.#frameBytes += taken.length;
    if (this.#frameBytes === frame.length) {
      this.#frame = undefined;
      this.#tell(frame);
    }
    return from + taken.length;
  }

  #tell(frame: Buffer): void {
    const facts = readFrame(frame, this.#headersBytes);
    this.#soughtBytes = undefined;
    if (facts === undefined) {
      // The length was right, so the next frame begins here all the same.
      this.#sink.onDoubt('parse_error');
    } else if (facts.messageType === 'exception' || facts.messageType === 'error') {
      // What went wrong is said by the headers; the payload has only words for people.
      const type = boundedText(facts.faultType ?? '', ERROR_TYPE_MAX_CHARS);
      this.#sink.onMessage(JSON.stringify({ type }), 'error');
    } else {
      const eventName = facts.eventType === undefined ? undefined : boundedText(facts.eventType, NAME_MAX_CHARS);
      this.#sink.onMessage(facts.payload.toString('utf8'), eventName);
    }
  }

  /** The prelude at hand is none: what is left of it may still begin one. */
  #loseBorder(): void {
    // A loss of ours is noted by whoever lost; this is one of the sender's.
    if (this.#soughtBytes === undefined) this.#sink.onDoubt('parse_error');
    const start = findLengthStart(this.#prelude, 1);
    this.#preludeBytes = PRELUDE_BYTES - start;
    // Byte by byte: for so few, `copyWithin` takes ten times as long.
    for (let at = 0; at < this.#preludeBytes; at += 1) this.#prelude[at] = this.#prelude[start + at] ?? 0;
    this.#soughtBytes = (this.#soughtBytes ?? 0) + start;
  }
}

/** The first place at or after `from` where a length could begin: no frame's is so large that its first byte is above. */
function findLengthStart(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] ?? 0) > LENGTH_FIRST_BYTE_MAX) at += 1;
  return at;
}
