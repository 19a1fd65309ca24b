// The bounded copy of a request body for the observer: whole when it is small, else its first and
// last bytes. Never holds the request back and never holds more than the tail.
import { REQUEST_COPY_EDGE_BYTES, REQUEST_COPY_WHOLE_BYTES } from '../base/limits.ts';

export class RequestCopy {
  readonly #emit: (offset: number, bytes: Uint8Array) => void;
  /** Stated length, when there is one: then the middle is known from the start and never copied. */
  readonly #statedBytes: number | undefined;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #offset = 0;

  constructor(statedBytes: number | undefined, emit: (offset: number, bytes: Uint8Array) => void) {
    this.#statedBytes = statedBytes;
    this.#emit = emit;
  }

  /** Takes what it needs; says whether it holds on to these bytes, so that their memory must stay. */
  push(bytes: Buffer): boolean {
    const headBytes =
      this.#statedBytes === undefined || this.#statedBytes <= REQUEST_COPY_WHOLE_BYTES
        ? REQUEST_COPY_WHOLE_BYTES
        : REQUEST_COPY_EDGE_BYTES;
    const room = headBytes - this.#offset;
    const headPart = room > 0 ? bytes.subarray(0, room) : undefined;
    if (headPart !== undefined && headPart.length > 0) this.#emit(this.#offset, headPart);
    this.#offset += bytes.length;
    const rest = headPart === undefined ? bytes : bytes.subarray(headPart.length);
    // Of a body that says its length, the middle is known by where it is.
    const isMiddle = this.#statedBytes !== undefined && this.#offset <= this.#statedBytes - REQUEST_COPY_EDGE_BYTES;
    if (rest.length === 0 || isMiddle) return false;
    this.#keepTail(rest);
    return true;
  }

  /** The body is over: hands out the last bytes that the head did not hold. */
  end(): void {
    if (this.#tailBytes === 0) return;
    const tail = Buffer.concat(this.#tail).subarray(-REQUEST_COPY_EDGE_BYTES);
    this.#tail = [];
    this.#tailBytes = 0;
    this.#emit(this.#offset - tail.length, tail);
  }

  #keepTail(bytes: Buffer): void {
    this.#tail.push(bytes);
    this.#tailBytes += bytes.length;
    while (this.#tail.length > 1 && this.#tailBytes - (this.#tail[0]?.length ?? 0) >= REQUEST_COPY_EDGE_BYTES) {
      this.#tailBytes -= this.#tail.shift()?.length ?? 0;
    }
  }
}
