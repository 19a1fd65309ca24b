// Remembers how prompts began, by hashes at growing lengths, so that a prompt which begins like an
// earlier one is not taken for new: an engine may have its beginning in a cache. Keeps no text.
import { PREFIXES_MAX_COUNT } from '../base/limits.ts';
import { BEGINNING_LENGTHS_CHARS, type PromptBeginning } from '../record/prompt-beginning.ts';

/** A shared beginning below this share of the prompt changes its time by less than anybody can tell. */
const NEGLIGIBLE_SHARE = 0.05;

export class PrefixMemory {
  /** In order of their last use. A hash in here that another text also has only makes us abstain. */
  readonly #seen = new Set<string>();

  /** Takes a prompt in; true when nothing worth mentioning of its beginning was there before. */
  enter({ hashes, totalChars, toolsHash }: PromptBeginning): boolean {
    const toolsKnown = toolsHash !== undefined && this.#touch(`tools:${toolsHash}`);
    let knownCount = 0;
    for (const [index, hash] of hashes.entries()) {
      const known = this.#touch(`${index}:${hash}`);
      if (known && knownCount === index) knownCount += 1;
    }
    for (const oldest of this.#seen) {
      if (this.#seen.size <= PREFIXES_MAX_COUNT) break;
      this.#seen.delete(oldest);
    }
    if (toolsKnown) return false;
    // A prompt too short for a single hash cannot be told from its like.
    if (hashes.length === 0) return false;
    if (knownCount === 0) return true;
    // What is shared ends before the first length at which the prompt is new.
    const sharedBelowChars = knownCount < hashes.length ? BEGINNING_LENGTHS_CHARS[knownCount] : undefined;
    return sharedBelowChars !== undefined && sharedBelowChars <= NEGLIGIBLE_SHARE * totalChars;
  }

  #touch(key: string): boolean {
    const known = this.#seen.delete(key);
    this.#seen.add(key);
    return known;
  }
}
