// Hashes the beginning of a text at fixed lengths as the text comes in pieces.
import { BEGINNING_LENGTHS_CHARS } from '../record/prompt-beginning.ts';
import { FNV_START, fnvStep } from '../base/fnv.ts';

/** Units that stand for one token id, as four characters of text do. */
const UNITS_PER_NUMBER = 4;

export class TextHasher {
  /** Hashes of the lengths that were reached. */
  readonly hashes: number[] = [];
  #hash = FNV_START;
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
    this.#hash = fnvStep(this.#hash, unit);
    this.#count += 1;
    if (this.#count === BEGINNING_LENGTHS_CHARS[this.hashes.length]) this.hashes.push(this.#hash >>> 0);
  }
}
