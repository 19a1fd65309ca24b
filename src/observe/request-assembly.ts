// Puts the copied pieces of a request's body together: whole, or its first and last bytes.
import { REQUEST_COPY_EDGE_BYTES, REQUEST_COPY_WHOLE_BYTES } from '../base/limits.ts';
import type { RequestCopy } from '../stream/request-reader.ts';

export class RequestAssembly {
  #head: Uint8Array[] = [];
  #headBytes = 0;
  #tail: Uint8Array | undefined;
  #tailEndBytes = 0;

  add(offset: number, bytes: Uint8Array): void {
    if (offset === this.#headBytes) {
      this.#head.push(bytes);
      this.#headBytes += bytes.length;
    } else {
      // Behind a hole: the tail, or what is left when overload took pieces away.
      this.#tail = bytes;
      this.#tailEndBytes = offset + bytes.length;
    }
  }

  /**
   * What is known of a body of so many bytes. Only what reaches to its last byte is its end: a piece from
   * the middle would have fields of nested objects taken for the body's own.
   */
  copy(totalBytes: number): RequestCopy {
    const head = Buffer.concat(this.#head);
    const end = this.#tailEndBytes === totalBytes ? this.#tail : head.length === totalBytes ? head : undefined;
    if (end === head && totalBytes <= REQUEST_COPY_WHOLE_BYTES) return { head, totalBytes };
    return {
      head: head.subarray(0, REQUEST_COPY_EDGE_BYTES),
      ...(end === undefined ? {} : { tail: end.subarray(-REQUEST_COPY_EDGE_BYTES) }),
      totalBytes,
    };
  }

  /** The pieces of a body of so many bytes that was copied whole; undefined of any other. */
  whole(totalBytes: number): readonly Uint8Array[] | undefined {
    return this.#headBytes === totalBytes && totalBytes <= REQUEST_COPY_WHOLE_BYTES ? this.#head : undefined;
  }

  /** Lets go of the bytes: prompts of open exchanges must not pile up in memory. */
  clear(): void {
    this.#head = [];
    this.#headBytes = 0;
    this.#tail = undefined;
    this.#tailEndBytes = 0;
  }
}
