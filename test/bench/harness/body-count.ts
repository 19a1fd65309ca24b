// Counts the body bytes of one chunked answer as it comes, and does no more: so little that a bench can
// read thousands of chunks a second beside what it measures. Throws when the bytes are not chunked.

const CR = 13;
const LF = 10;

export class BodyCount {
  /** The head is complete. */
  headSeen = false;
  bodyBytes = 0;
  /** The last chunk came. */
  ended = false;
  #head = '';
  #left = 0;
  #state: 'size' | 'data' | 'end' = 'size';
  #size = 0;
  #inExtension = false;

  feed(bytes: Buffer): void {
    let at = this.headSeen ? 0 : this.#readHead(bytes);
    while (at < bytes.length && !this.ended) {
      if (this.#state === 'data') {
        const taken = Math.min(this.#left, bytes.length - at);
        this.bodyBytes += taken;
        this.#left -= taken;
        at += taken;
        if (this.#left === 0) this.#state = 'end';
        continue;
      }
      const byte = bytes[at] as number;
      at += 1;
      if (byte === LF) this.#lineEnd();
      else if (this.#state === 'size' && byte !== CR) this.#sizeDigit(byte);
    }
  }

  /** Index of the first byte behind the head, or of the end when the head is not complete. */
  #readHead(bytes: Buffer): number {
    const before = this.#head.length;
    this.#head += bytes.toString('latin1');
    const end = this.#head.indexOf('\r\n\r\n');
    if (end < 0) return bytes.length;
    if (!/transfer-encoding: *chunked/i.test(this.#head)) throw new Error(`not chunked: ${this.#head.slice(0, 200)}`);
    this.headSeen = true;
    return end + 4 - before;
  }

  #lineEnd(): void {
    if (this.#state === 'end') {
      this.#state = 'size';
      return;
    }
    this.#left = this.#size;
    this.#size = 0;
    this.#inExtension = false;
    if (this.#left === 0) this.ended = true;
    else this.#state = 'data';
  }

  #sizeDigit(byte: number): void {
    if (byte === 0x3b) this.#inExtension = true;
    if (this.#inExtension) return;
    const digit = byte < 58 ? byte - 48 : (byte | 32) - 87;
    if (digit < 0 || digit > 15) throw new Error(`not a chunk size: byte ${byte}`);
    this.#size = this.#size * 16 + digit;
  }
}
