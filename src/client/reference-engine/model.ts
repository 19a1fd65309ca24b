// What an imagined inference server costs: the numbers a scheduler counts with, all integers in ns or
// tokens. Knows no request and no clock.

/**
 * A step computes one token for every running sequence and, with the rest of its token budget, a
 * piece of the prompts that are not finished. All of it ends together. So a long prompt slows the
 * running sequences, and running sequences slow a prompt, as with chunked prefill in vLLM.
 */
export interface EngineModel {
  /** Requests that can be computed at once; others wait. */
  readonly maxRunning: number;
  /** Tokens one step computes at most, prompt pieces and new tokens together. */
  readonly stepTokens: number;
  /** Length of a step before any work in it. */
  readonly stepBaseNs: number;
  /** Added to a step for each sequence that gets a token. */
  readonly decodeNs: number;
  /** Added to a step for each token already in the caches of these sequences. */
  readonly contextNs: number;
  /** Added to a step for each token of a prompt. */
  readonly prefillNs: number;
  /** Tokens that all running requests may hold together; absent: no such limit. */
  readonly kvCapacityTokens?: number;
  /** Each step is longer or shorter by up to this share of its length; absent: steps are exact. */
  readonly noiseRatio?: number;
  /** Beginnings of prompts are remembered in blocks of so many tokens, for so many blocks; absent: never. */
  readonly prefixCache?: { readonly blockTokens: number; readonly maxBlocks: number };
  /** One step in so many, chosen by the seed, takes longer. */
  readonly stall?: { readonly everySteps: number; readonly stallNs: number };
}

const US = 1_000;
const MS = 1_000_000;

/** About a 7B model on one middling card: 13 ms a token alone, 16,000 prompt tokens a second. */
export const SMALL_MODEL: EngineModel = {
  maxRunning: 8,
  stepTokens: 512,
  stepBaseNs: 12 * MS,
  decodeNs: 300 * US,
  contextNs: 100,
  prefillNs: 60 * US,
};

/** Says what is wrong with a model, or nothing. A model that cannot make a step would wait for ever. */
export function modelFaults(model: EngineModel): string[] {
  const faults: string[] = [];
  const atLeast = (name: string, value: number, lowest: number): void => {
    if (!Number.isSafeInteger(value) || value < lowest) faults.push(`${name} must be an integer of at least ${lowest}`);
  };
  atLeast('maxRunning', model.maxRunning, 1);
  atLeast('stepTokens', model.stepTokens, 1);
  // A step of no length would end in the moment it began, and so would all that follow it.
  atLeast('stepBaseNs', model.stepBaseNs, 1);
  atLeast('decodeNs', model.decodeNs, 0);
  atLeast('contextNs', model.contextNs, 0);
  atLeast('prefillNs', model.prefillNs, 0);
  if (model.kvCapacityTokens !== undefined) atLeast('kvCapacityTokens', model.kvCapacityTokens, 1);
  if (model.noiseRatio !== undefined && !(model.noiseRatio >= 0 && model.noiseRatio < 1)) {
    faults.push('noiseRatio must be at least 0 and less than 1');
  }
  if (model.prefixCache !== undefined) {
    atLeast('prefixCache.blockTokens', model.prefixCache.blockTokens, 1);
    atLeast('prefixCache.maxBlocks', model.prefixCache.maxBlocks, 1);
  }
  if (model.stall !== undefined) {
    atLeast('stall.everySteps', model.stall.everySteps, 1);
    atLeast('stall.stallNs', model.stall.stallNs, 0);
  }
  return faults;
}
