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
  /**
   * The cache is given out in blocks as sequences grow, with nothing kept back for the rest of an answer. When
   * none is left, the sequence let in last is thrown out, and all that it had is computed again when it comes
   * back. Absent: room for a whole answer is kept from its start, and nobody is thrown out.
   */
  readonly paging?: { readonly blockTokens: number };
  /** As engines without chunked prefill: prompts are computed whole, in steps of their own, while others wait. */
  readonly wholePrompts?: true;
  /** What the engine's own process costs beside the computing; all sequences wait for it alike. */
  readonly host?: HostModel;
  readonly speculation?: SpeculationModel;
  /** Tokens of a sequence that are told together, as `--stream-interval` does; absent: each step's at once. */
  readonly eventTokens?: number;
}

export interface HostModel {
  /** One step in so many, chosen by the seed, begins late, by a length between both bounds. 0: none does. */
  readonly everySteps: number;
  readonly lowestNs: number;
  readonly highestNs: number;
  /** Added to the next step for each request that comes, as where its text is tokenised between two steps. */
  readonly requestNs: number;
}

export interface SpeculationModel {
  /** Tokens guessed for each sequence and step, which the step then checks. */
  readonly drafts: number;
  /** How likely each guess is good once all before it were. */
  readonly acceptRatio: number;
  /** Added to a step for each guess in a row, however many sequences guess. */
  readonly draftNs: number;
  /** Added to a step for each guess that it checks. */
  readonly verifyNs: number;
  /** How the tokens of one step are told: all in one event, an event each in one write, or a write each. */
  readonly told: 'one_event' | 'one_write' | 'writes';
  /** Between two of these writes. */
  readonly spacingNs: number;
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
  if (model.eventTokens !== undefined) atLeast('eventTokens', model.eventTokens, 1);
  faultsOfPaging(model, faults, atLeast);
  faultsOfHost(model, faults, atLeast);
  faultsOfSpeculation(model, faults, atLeast);
  return faults;
}

type AtLeast = (name: string, value: number, lowest: number) => void;

function faultsOfPaging({ paging, kvCapacityTokens }: EngineModel, faults: string[], atLeast: AtLeast): void {
  if (paging === undefined) return;
  atLeast('paging.blockTokens', paging.blockTokens, 1);
  if (kvCapacityTokens === undefined) faults.push('paging needs kvCapacityTokens');
}

function faultsOfHost({ host }: EngineModel, faults: string[], atLeast: AtLeast): void {
  if (host === undefined) return;
  atLeast('host.everySteps', host.everySteps, 0);
  atLeast('host.lowestNs', host.lowestNs, 0);
  atLeast('host.requestNs', host.requestNs, 0);
  if (!(host.highestNs >= host.lowestNs)) faults.push('host.highestNs must be at least host.lowestNs');
}

function faultsOfSpeculation({ speculation, stepTokens }: EngineModel, faults: string[], atLeast: AtLeast): void {
  if (speculation === undefined) return;
  atLeast('speculation.drafts', speculation.drafts, 1);
  atLeast('speculation.draftNs', speculation.draftNs, 0);
  atLeast('speculation.verifyNs', speculation.verifyNs, 0);
  atLeast('speculation.spacingNs', speculation.spacingNs, 0);
  if (!(speculation.acceptRatio >= 0 && speculation.acceptRatio <= 1)) {
    faults.push('speculation.acceptRatio must be from 0 to 1');
  }
  if (speculation.drafts >= stepTokens) faults.push('speculation.drafts must be less than stepTokens');
}
