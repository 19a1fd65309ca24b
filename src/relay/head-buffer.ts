// Gathers the head of a response until it is whole, and finds out as early as possible that it never will
// be: a wait for the end of something that is no head would last until somebody's patience ends. Knows
// lines, no fields. Takes time in proportion to the bytes, in whatever pieces they come.
import { HEAD_MAX_BYTES } from '../base/limits.ts';
import { ParseFault } from './response-head.ts';

const CR = 13;
const LF = 10;
const BEGINNING = Buffer.from('HTTP/1.', 'latin1');
/** The blank line that ends a head, with the end of the line before it. */
const END_BYTES = 4;
/** First size of the buffer; usual heads have a quarter of it. */
const FIRST_BYTES = 2 * 1024;

export class HeadBuffer {
  /** Grows by doubling, so that a head in very many pieces is not copied over and over. */
  #buffer: Buffer | undefined;
  #heldBytes = 0;
  #text = '';

  /**
   * Takes the bytes from `at` on. Gives the position of the first byte behind the head, or undefined while
   * it has no end. Throws {@link ParseFault}.
   */
  push(bytes: Buffer, at: number): number | undefined {
    // No more than the longest head and what shows that it is longer; nearly all heads come whole.
    const piece = bytes.subarray(at, at + HEAD_MAX_BYTES + END_BYTES);
    const heldBytes = this.#heldBytes;
    const all = heldBytes === 0 ? piece : this.#hold(piece);
    checkBeginning(all, heldBytes);
    for (let lf = all.indexOf(LF, heldBytes); lf >= 0; lf = all.indexOf(LF, lf + 1)) {
      // Others would take a bare line feed for the end of a line, and see another head than we do.
      if (all[lf - 1] !== CR) throw new ParseFault('bare line feed in response head');
      if (all[lf - 2] !== LF) continue;
      const headBytes = lf + 1 - END_BYTES;
      if (headBytes > HEAD_MAX_BYTES) break;
      this.#text = all.toString('latin1', 0, headBytes);
      this.clear();
      return at + (lf + 1 - heldBytes);
    }
    // Without an end yet, the last three bytes may be the beginning of one.
    if (all.length - (END_BYTES - 1) > HEAD_MAX_BYTES) throw new ParseFault('response head too large');
    if (heldBytes === 0) this.#hold(piece);
    return undefined;
  }

  /** The head that is whole, without its end. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  /** Forgets what is not whole. Memory is given back, because a stream has a long life after its head. */
  clear(): void {
    this.#buffer = undefined;
    this.#heldBytes = 0;
  }

  /** Adds a piece, as a copy, for its own memory is read into again. Gives all there is. */
  #hold(piece: Buffer): Buffer {
    const allBytes = this.#heldBytes + piece.length;
    if (this.#buffer === undefined || this.#buffer.length < allBytes) {
      const grown = Buffer.allocUnsafe(Math.max(FIRST_BYTES, allBytes, 2 * (this.#buffer?.length ?? 0)));
      this.#buffer?.copy(grown, 0, 0, this.#heldBytes);
      this.#buffer = grown;
    }
    piece.copy(this.#buffer, this.#heldBytes);
    this.#heldBytes = allBytes;
    return this.#buffer.subarray(0, allBytes);
  }
}

/** Every answer begins with the same seven bytes (RFC 9112 §4); the first `from` were looked at before. */
function checkBeginning(all: Buffer, from: number): void {
  const end = Math.min(all.length, BEGINNING.length);
  for (let i = from; i < end; i += 1) if (all[i] !== BEGINNING[i]) throw new ParseFault('not an HTTP response');
}
