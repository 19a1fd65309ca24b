// Protobuf put into one growing buffer, in one pass: a message's length is written behind it, into the place that was
// left for it. Knows wire types and no messages. Every function makes the room it needs.

const START_BYTES = 64 * 1024;
const VARINT_MAX_BYTES = 10;
const FIXED_MAX_BYTES = 8;
/** A tag and a varint, a length or a fixed number behind it. */
const FIELD_MAX_BYTES = 2 * VARINT_MAX_BYTES;
/** A shorter text is put in letter by letter, a longer one by the encoder's call. */
const BY_LETTER_MAX_LENGTH = 200;
const LIMIT_32 = 2 ** 32;
const LAST_ASCII = 127;

/** Wire types. */
export const VARINT = 0;
export const FIXED_64 = 1;
export const LENGTH_DELIMITED = 2;
export const FIXED_32 = 5;

/** What stands before a field. */
export function tagOf(field: number, wireType: number): number {
  return field * 8 + wireType;
}

const encoder = new TextEncoder();

export class ProtobufWriter {
  #bytes = new Uint8Array(START_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  /** What was written and not taken is forgotten, so that a message whose writer threw is not the next one's start. */
  clear(): void {
    this.#at = 0;
  }

  /** A copy, because the buffer is written anew while this one may still be on its way. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#at);
    this.#at = 0;
    return taken;
  }

  /**
   * Begins a message, with room for so many bytes of length; `close` is told what this returns. When the guess is wrong,
   * the message is moved.
   */
  open(tag: number, lengthBytes = 1): number {
    this.#reserve(FIELD_MAX_BYTES);
    this.#put(tag);
    this.#at += lengthBytes;
    return this.#at;
  }

  /** Ends the message that began at `start` with so many bytes for its length. */
  close(start: number, lengthBytes = 1): void {
    const length = this.#at - start;
    const shift = varintBytes(length) - lengthBytes;
    if (shift !== 0) {
      this.#reserve(VARINT_MAX_BYTES);
      this.#bytes.copyWithin(start + shift, start, this.#at);
    }
    const end = this.#at + shift;
    this.#at = start - lengthBytes;
    this.#put(length);
    this.#at = end;
  }

  /** Of 64 bits with a sign; -1 takes ten bytes. */
  varint(tag: number, value: number): void {
    this.#reserve(FIELD_MAX_BYTES);
    this.#put(tag);
    this.#put(value);
  }

  double(tag: number, value: number): void {
    this.#reserve(FIELD_MAX_BYTES);
    this.#put(tag);
    this.#view.setFloat64(this.#at, value, true);
    this.#at += FIXED_MAX_BYTES;
  }

  fixed32(tag: number, value: number): void {
    this.#reserve(FIELD_MAX_BYTES);
    this.#put(tag);
    this.#view.setUint32(this.#at, value, true);
    this.#at += 4;
  }

  fixed64(tag: number, low: number, high: number): void {
    this.#reserve(FIELD_MAX_BYTES);
    this.#put(tag);
    this.#view.setUint32(this.#at, low, true);
    this.#view.setUint32(this.#at + 4, high, true);
    this.#at += FIXED_MAX_BYTES;
  }

  bytes(tag: number, value: Uint8Array): void {
    this.#reserve(FIELD_MAX_BYTES + value.length);
    this.#put(tag);
    this.#put(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  text(tag: number, text: string): void {
    const { length } = text;
    if (length > BY_LETTER_MAX_LENGTH) return this.bytes(tag, encoder.encode(text));
    this.#reserve(FIELD_MAX_BYTES + length);
    const start = this.#at;
    this.#put(tag);
    this.#put(length);
    const bytes = this.#bytes;
    let at = this.#at;
    for (let index = 0; index < length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > LAST_ASCII) {
        this.#at = start;
        return this.bytes(tag, encoder.encode(text));
      }
      bytes[at] = code;
      at += 1;
    }
    this.#at = at;
  }

  /** Bytes that are given by two digits each, as ids are. */
  hex(tag: number, digits: string): void {
    const length = digits.length >>> 1;
    this.#reserve(FIELD_MAX_BYTES + length);
    this.#put(tag);
    this.#put(length);
    for (let index = 0; index < 2 * length; index += 2) {
      this.#bytes[this.#at] = (digitOf(digits.charCodeAt(index)) << 4) | digitOf(digits.charCodeAt(index + 1));
      this.#at += 1;
    }
  }

  /** A message for each value, with it as its one field: many of them, without calls for each. Tags are of one byte. */
  varintMessages(tags: { readonly message: number; readonly value: number }, values: readonly number[]): void {
    this.#reserve(values.length * (FIELD_MAX_BYTES + VARINT_MAX_BYTES));
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index] ?? 0;
      this.#bytes[this.#at] = tags.message;
      this.#bytes[this.#at + 2] = tags.value;
      const lengthAt = this.#at + 1;
      this.#at += 3;
      this.#put(value);
      this.#bytes[lengthAt] = this.#at - lengthAt - 1;
    }
  }

  #reserve(count: number): void {
    const needed = this.#at + count;
    if (needed > this.#bytes.length) this.#grow(needed);
  }

  #grow(needed: number): void {
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, needed));
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }

  #put(value: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    let high = 0;
    let low = value >>> 0;
    if (low !== value) {
      // Beyond 32 bits, or below zero.
      const upper = Math.floor(value / LIMIT_32);
      low = (value - upper * LIMIT_32) >>> 0;
      high = upper >>> 0;
    }
    while (high > 0 || low > 0x7f) {
      bytes[at] = (low & 0x7f) | 0x80;
      at += 1;
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    bytes[at] = low;
    this.#at = at + 1;
  }
}

/** How many bytes an integer takes. */
export function varintBytes(value: number): number {
  if (value < 0) return VARINT_MAX_BYTES;
  let count = 1;
  for (let limit = 128; value >= limit; limit *= 128) count += 1;
  return count;
}

function digitOf(code: number): number {
  return code <= 57 ? code - 48 : (code | 32) - 87;
}
