// Remembers the beginnings of prompts in blocks, as engines do with their caches: a prompt that begins
// like an earlier one need not be computed that far. Knows text only; what is saved is for the
// scheduler to say.
import { hashText, mix32 } from '../random.ts';

export class PrefixCache {
  readonly #blockChars: number;
  readonly #blockTokens: number;
  readonly #maxBlocks: number;
  /** Blocks in order of their last use. A block stands for itself and all text before it. */
  readonly #blocks = new Set<string>();

  constructor(size: { readonly blockTokens: number; readonly maxBlocks: number }, charsPerToken: number) {
    this.#blockTokens = size.blockTokens;
    this.#blockChars = size.blockTokens * charsPerToken;
    this.#maxBlocks = size.maxBlocks;
  }

  /** Tokens of the prompt that are there already; afterwards all of its whole blocks are. */
  enter(promptText: string, promptTokens: number): number {
    let hit = 0;
    let missed = false;
    let word = 0;
    for (let from = 0; from + this.#blockChars <= promptText.length; from += this.#blockChars) {
      word = mix32(word, hashText(promptText.slice(from, from + this.#blockChars)));
      const key = `${from}:${word}`;
      const known = this.#blocks.delete(key);
      missed ||= !known;
      if (!missed) hit += this.#blockTokens;
      this.#blocks.add(key);
    }
    for (const oldest of this.#blocks) {
      if (this.#blocks.size <= this.#maxBlocks) break;
      this.#blocks.delete(oldest);
    }
    // Engines compute the last token of a prompt always, since the first new one comes out of it.
    return Math.min(hit, promptTokens - 1);
  }
}
