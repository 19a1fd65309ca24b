// Puts the copied pieces of a request's body together: whole, or its first and last bytes.
import { REQUEST_COPY_EDGE_BYTES, REQUEST_COPY_WHOLE_BYTES } from '../base/limits.ts';
import type { RequestCopy } from '../stream/request-reader.ts';

export class RequestAssembly {
  #head: Uint8Array[] = [];
  #headBytes = 0;
  #tail: Uint8Array | undefined;

  add(offset: number, bytes: Uint8Array): void {
    if (offset === this.#headBytes) {
      this.#head.push(bytes);
      this.#headBytes += bytes.length;
    } else {
      // Behind a hole: the tail, or what is left when overload took pieces away.
      this.#tail = bytes;
    }
  }

  /** What is known of a body of so many bytes. */
  copy(totalBytes: number): RequestCopy {
    const head = Buffer.concat(this.#head);
    const whole = this.#tail === undefined && totalBytes <= REQUEST_COPY_WHOLE_BYTES;
    return {
      head: whole ? head : head.subarray(0, REQUEST_COPY_EDGE_BYTES),
      ...(whole ? {} : { tail: this.#tail ?? head.subarray(-REQUEST_COPY_EDGE_BYTES) }),
      totalBytes,
    };
  }
}
