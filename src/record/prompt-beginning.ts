// How a prompt begins, as hashes: enough to tell whether an earlier prompt began alike, and nothing that
// could be read. Whoever hashes and whoever compares must agree on the lengths, so they stand here.

/** Characters (UTF-16 units) of the text that each hash covers: from a cache's smallest block to long system prompts. */
export const BEGINNING_LENGTHS_CHARS: readonly number[] = [64, 256, 1_024, 4_096, 16_384];

export interface PromptBeginning {
  /** Hash of the first so many characters, for each of the lengths that the prompt has. 32 bits each. */
  readonly hashes: readonly number[];
  /** Characters of the whole prompt, tools left out. */
  readonly totalChars: number;
  /** Hash of how the tools offered begin, which many chat templates put before everything else. */
  readonly toolsHash?: number;
}
