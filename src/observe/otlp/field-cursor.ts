// Walks the fields of one protobuf message, as https://protobuf.dev/programming-guides/encoding has them.
// Copies nothing, allocates nothing by what the bytes claim, and never leaves its range: whatever is no
// protobuf ends in a MalformedError. Knows nothing of OTLP.

export class MalformedError extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'MalformedError';
  }
}

export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
const FIXED32 = 5;

const VARINT_MAX_BYTES = 10;

export class FieldCursor {
  /** Number and wire type of the field the cursor stands on. */
  number = 0;
  wireType = 0;
  /** Range of its value: of the embedded bytes, of the fixed number, of the varint. */
  from = 0;
  to = 0;
  /** Fields passed so far. */
  count = 0;
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  constructor(bytes: Buffer, from = 0, to = bytes.length) {
    this.#bytes = bytes;
    this.#at = from;
    this.#end = to;
  }

  /** Steps to the next field; false at the end of the message. */
  next(): boolean {
    if (this.#at >= this.#end) return false;
    this.count += 1;
    const tag = this.#varint();
    this.number = Math.floor(tag / 8);
    this.wireType = tag % 8;
    if (this.number === 0 || this.number >= 2 ** 29) throw new MalformedError('a field has an impossible number');
    this.#step();
    return true;
  }

  /** A cursor over the embedded message the cursor stands on. */
  inside(): FieldCursor {
    return new FieldCursor(this.#bytes, this.from, this.to);
  }

  text(maxChars: number): string {
    // No character takes more than four bytes, so nothing longer has to be looked at.
    const to = Math.min(this.to, this.from + 4 * maxChars);
    return this.#bytes.toString('utf8', this.from, to).slice(0, maxChars);
  }

  hex(): string {
    return this.#bytes.toString('hex', this.from, this.to);
  }

  fixed64(): bigint {
    return this.#bytes.readBigUInt64LE(this.from);
  }

  double(): number {
    return this.#bytes.readDoubleLE(this.from);
  }

  /** A varint as the signed 64-bit number that `int64` fields are. */
  int64(): number {
    let value = 0n;
    for (let at = this.from; at < this.to; at += 1) {
      value |= BigInt((this.#bytes[at] ?? 0) & 127) << BigInt(7 * (at - this.from));
    }
    return Number(BigInt.asIntN(64, value));
  }

  #step(): void {
    this.from = this.#at;
    switch (this.wireType) {
      case VARINT:
        this.#varint();
        break;
      case FIXED64:
        this.#at += 8;
        break;
      case FIXED32:
        this.#at += 4;
        break;
      case BYTES: {
        const length = this.#varint();
        this.from = this.#at;
        this.#at += length;
        break;
      }
      default:
        throw new MalformedError('a field has an unknown wire type');
    }
    if (this.#at > this.#end) throw new MalformedError('a field ends behind its message');
    this.to = this.#at;
  }

  /** Exact up to 2^53; a larger one is a length or a tag that is refused for its size anyway. */
  #varint(): number {
    let value = 0;
    let factor = 1;
    for (let length = 1; length <= VARINT_MAX_BYTES; length += 1) {
      const byte = this.#at < this.#end ? this.#bytes[this.#at] : undefined;
      if (byte === undefined) throw new MalformedError('a number has no end');
      this.#at += 1;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
    throw new MalformedError('a number is longer than ten bytes');
  }
}
