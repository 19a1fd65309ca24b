// Estimates prompt tokens from bytes of text before the engine has counted them, by what it counted for
// earlier prompts of about the same size and script. Never a tokenizer; what no text shows (images, a chat
// template) is in the ratio. One of these is for one model.
import { PROMPT_RATIO_SAMPLES_MAX_COUNT } from '../base/limits.ts';
import { middleOf, ninthDecile } from './middle.ts';

export interface PromptSize {
  readonly bytes: number;
  /** UTF-16 units of the same text. */
  readonly chars: number;
}

export interface PromptTokensEstimate {
  readonly tokens: number;
  /** Nine of ten estimates of this kind are off by at most this. */
  readonly errorTokens: number;
}

interface Counted {
  readonly logBytes: number;
  readonly tokensAByte: number;
}

/** Fewer prompts say nothing. */
const LEAST_COUNT = 5;
/** The nearest in size are asked: what a template adds weighs more on small prompts. */
const NEAREST_COUNT = 11;
/** Sizes further apart than a factor of 4 have no ratio in common. */
const NEAR_LOG_BYTES = Math.log(4);
/** An estimate that may be off by more than this share is none. */
const ERROR_MAX_RATIO = 0.35;
/** Bytes beyond one a character, as a share of all: below the first mostly ASCII, above the last mostly CJK or the like. */
const SCRIPT_EDGES = [0.05, 0.35];

export class PromptRatio {
  /** By kind of script; the latest of each, oldest first. */
  readonly #counted: Counted[][] = [[], [], []];

  /** The engine counted a prompt. */
  learn(size: PromptSize, tokens: number): void {
    const list = this.#listOf(size);
    if (list === undefined || tokens <= 0) return;
    list.push({ logBytes: Math.log(size.bytes), tokensAByte: tokens / size.bytes });
    if (list.length > PROMPT_RATIO_SAMPLES_MAX_COUNT) list.shift();
  }

  /** Undefined before enough prompts of this kind were counted, and where they differ too much. */
  estimate(size: PromptSize): PromptTokensEstimate | undefined {
    const logBytes = Math.log(size.bytes);
    // Latest first, so that of equally near ones these are asked.
    const near = (this.#listOf(size) ?? [])
      .toReversed()
      .map(({ logBytes: at, tokensAByte }) => ({ tokensAByte, distance: Math.abs(at - logBytes) }))
      .filter(({ distance }) => distance <= NEAR_LOG_BYTES)
      .toSorted((a, b) => a.distance - b.distance)
      .slice(0, NEAREST_COUNT);
    if (near.length < LEAST_COUNT) return undefined;
    const ratio = middleOf(near.map(({ tokensAByte }) => tokensAByte));
    const errorRatio = ninthDecile(near.map(({ tokensAByte }) => Math.abs(tokensAByte / ratio - 1)));
    if (errorRatio > ERROR_MAX_RATIO) return undefined;
    const tokens = Math.max(1, Math.round(ratio * size.bytes));
    return { tokens, errorTokens: Math.ceil(errorRatio * tokens) };
  }

  #listOf({ bytes, chars }: PromptSize): Counted[] | undefined {
    if (bytes <= 0) return undefined;
    const extraShare = (bytes - chars) / bytes;
    return this.#counted[SCRIPT_EDGES.filter((edge) => extraShare >= edge).length];
  }
}
