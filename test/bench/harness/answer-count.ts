// Counts the events of one answer as it comes, and does no more: so little that a bench can read a hundred thousand
// chunks a second beside what it measures. An event is told by its mark and the line end behind it, not by its length,
// because gateways that measure make each event anew. Throws when the answer has no length that HTTP/1.1 knows.

const CR = 13;
const LF = 10;
/** Stands at the end of the text of each event that counts, and nowhere else in an answer. */
export const EVENT_MARK = '~';
const MARK = EVENT_MARK.charCodeAt(0);
/** Trailers and extensions of chunks are of no use here, so whatever is longer is no head of an answer. */
const HEAD_MAX_CHARS = 64 * 1024;

export class AnswerCount {
  /** 0 until the head is complete. */
  status = 0;
  eventCount = 0;
  /** The last byte of the answer came. */
  ended = false;
  #head = '';
  /** What is left of a chunk of the coding, or of the body when it has a length. */
  #leftBytes = 0;
  #state: 'head' | 'length' | 'size' | 'data' | 'end' = 'head';
  #sizeBytes = 0;
  #inExtension = false;
  #inEvent = false;

  feed(bytes: Buffer): void {
    let at = this.#state === 'head' ? this.#readHead(bytes) : 0;
    while (at < bytes.length && !this.ended) {
      if (this.#state === 'data' || this.#state === 'length') {
        at = this.#readBody(bytes, at);
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
    if (end < 0) {
      if (this.#head.length > HEAD_MAX_CHARS) throw new Error('an answer without the end of its head');
      return bytes.length;
    }
    const head = this.#head.slice(0, end + 2);
    this.#head = '';
    this.status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1];
    if (/\r\ntransfer-encoding: *chunked\r\n/i.test(head)) this.#state = 'size';
    else if (length === undefined) throw new Error(`neither chunked nor of a length: ${head.slice(0, 200)}`);
    else this.#beginLength(Number(length));
    return end + 4 - before;
  }

  #beginLength(lengthBytes: number): void {
    this.#state = 'length';
    this.#leftBytes = lengthBytes;
    this.ended = lengthBytes === 0;
  }

  #readBody(bytes: Buffer, from: number): number {
    const to = from + Math.min(this.#leftBytes, bytes.length - from);
    this.#countEvents(bytes, from, to);
    this.#leftBytes -= to - from;
    if (this.#leftBytes === 0) {
      if (this.#state === 'length') this.ended = true;
      else this.#state = 'end';
    }
    return to;
  }

  #countEvents(bytes: Buffer, from: number, to: number): void {
    let at = from;
    while (at < to) {
      const found = bytes.indexOf(this.#inEvent ? LF : MARK, at);
      if (found < 0 || found >= to) return;
      if (this.#inEvent) this.eventCount += 1;
      this.#inEvent = !this.#inEvent;
      at = found + 1;
    }
  }

  #lineEnd(): void {
    if (this.#state === 'end') {
      this.#state = 'size';
      return;
    }
    this.#leftBytes = this.#sizeBytes;
    this.#sizeBytes = 0;
    this.#inExtension = false;
    if (this.#leftBytes === 0) this.ended = true;
    else this.#state = 'data';
  }

  #sizeDigit(byte: number): void {
    if (byte === 0x3b) this.#inExtension = true;
    if (this.#inExtension) return;
    const digit = byte < 58 ? byte - 48 : (byte | 32) - 87;
    if (digit < 0 || digit > 15) throw new Error(`not a chunk size: byte ${byte}`);
    this.#sizeBytes = this.#sizeBytes * 16 + digit;
  }
}
