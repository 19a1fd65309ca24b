// Hashes the beginning of a text at fixed lengths as the text comes in pieces: FNV-1a over UTF-16 units.
// Equal beginnings give equal hashes; that different ones hardly ever do is all that is asked of it.
import { BEGINNING_LENGTHS_CHARS } from '../record/prompt-beginning.ts';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** Units that stand for one token id, as four characters of text do. */
const UNITS_PER_NUMBER = 4;

export class TextHasher {
  /** Hashes of the lengths that were reached. */
  readonly hashes: number[] = [];
  #hash = FNV_OFFSET;
  #count = 0;

  addText(text: string): void {
    for (let index = 0; index < text.length; index += 1) {
      if (this.hashes.length === BEGINNING_LENGTHS_CHARS.length) return;
      this.#add(text.charCodeAt(index));
    }
  }

  addNumber(value: number): void {
    if (this.hashes.length === BEGINNING_LENGTHS_CHARS.length) return;
    for (let unit = 0; unit < UNITS_PER_NUMBER; unit += 1) this.#add((value >>> (8 * unit)) & 0xff);
  }

  #add(unit: number): void {
    this.#hash = Math.imul(this.#hash ^ unit, FNV_PRIME);
    this.#count += 1;
    if (this.#count === BEGINNING_LENGTHS_CHARS[this.hashes.length]) this.hashes.push(this.#hash >>> 0);
  }
}
