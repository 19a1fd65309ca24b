// Buffers for large pieces of body, used again when the kernel has taken their bytes. A fast download
// would otherwise leave a fresh 64 KiB for the garbage collector with every read.

export class BufferShelf {
  readonly #byteCount: number;
  readonly #maxCount: number;
  readonly #free: Buffer[] = [];

  /** Buffers of so many bytes, of which at most `maxCount` wait unused. */
  constructor(byteCount: number, maxCount: number) {
    this.#byteCount = byteCount;
    this.#maxCount = maxCount;
  }

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#byteCount);
  }

  give(buffer: Buffer): void {
    if (this.#free.length < this.#maxCount) this.#free.push(buffer);
  }
}
