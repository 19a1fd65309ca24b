// Reads one answer as it comes, with a checksum of its body: status, framing by length or chunks, clean end or
// not. So little that thousands of streams can be read in one process. Throws on bytes that are no HTTP.
import { crc32 } from 'node:zlib';

const CR = 13;
const LF = 10;

export class BodySum {
  status: number | undefined;
  bytes = 0;
  crc = 0;
  /** The body ended as its framing promised. */
  ended = false;
  #head = '';
  /** Bytes left of the body or of the chunk; undefined between chunks. */
  #left: number | undefined;
  #chunked = false;
  #line = '';
  /** The empty line behind a chunk's bytes is still to come. */
  #behindChunk = false;
  #lastChunk = false;

  feed(bytes: Buffer): void {
    let at = this.status === undefined ? this.#readHead(bytes) : 0;
    while (at < bytes.length && !this.ended)
      at = this.#left === undefined ? this.#readLine(bytes, at) : this.#read(bytes, at);
  }

  #readHead(bytes: Buffer): number {
    const before = this.#head.length;
    this.#head += bytes.toString('latin1');
    const end = this.#head.indexOf('\r\n\r\n');
    if (end < 0) return bytes.length;
    const head = this.#head.slice(0, end);
    this.#head = '';
    this.status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    this.#chunked = /\r\ntransfer-encoding: *chunked/i.test(head);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (!this.#chunked && length === undefined) throw new Error(`neither chunked nor of a length: ${head}`);
    if (!this.#chunked) this.#left = Number(length);
    if (this.#left === 0) this.ended = true;
    return end + 4 - before;
  }

  #read(bytes: Buffer, at: number): number {
    const taken = bytes.subarray(at, at + (this.#left as number));
    this.bytes += taken.length;
    this.crc = crc32(taken, this.crc);
    this.#left = (this.#left as number) - taken.length;
    if (this.#left > 0) return at + taken.length;
    if (this.#chunked) {
      this.#left = undefined;
      this.#behindChunk = true;
    } else this.ended = true;
    return at + taken.length;
  }

  #readLine(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (byte === LF) {
        this.#endLine();
        return at + 1;
      }
      if (byte !== CR) this.#line += String.fromCharCode(byte);
    }
    return bytes.length;
  }

  #endLine(): void {
    const line = this.#line;
    this.#line = '';
    if (this.#lastChunk) {
      if (line === '') this.ended = true;
      return;
    }
    if (this.#behindChunk) {
      if (line !== '') throw new Error(`bytes behind a chunk: ${line}`);
      this.#behindChunk = false;
      return;
    }
    if (!/^[0-9a-f]+$/i.test(line)) throw new Error(`not a chunk size: ${line}`);
    const size = Number.parseInt(line, 16);
    if (size === 0) this.#lastChunk = true;
    else this.#left = size;
  }
}
