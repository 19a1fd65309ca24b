// What one step costs, mechanic by mechanic: the arithmetic that makes it as long as it is. Its parts are
// the truth about causes, so nothing here may know how anybody finds causes out. Knows no job and no clock.
import { mix32, seededRandom } from '../random.ts';
import type { EngineModel } from './model.ts';

/** What a step has to do. */
export interface StepLoad {
  /** Sequences that get a token they had a cache for. */
  readonly decodeCount: number;
  /** Tokens in the caches of these. */
  readonly contextTokens: number;
  readonly prefillTokens: number;
  /** Of these, tokens that had been computed before their sequence was thrown out. */
  readonly recomputedTokens: number;
  /** Requests that came since the step before. */
  readonly arrivedCount: number;
}

/** Lengths in ns; together they are the step's. */
export interface StepParts {
  /** Before any work. */
  readonly baseNs: number;
  /** For each sequence that gets a token. */
  readonly decodeNs: number;
  /** For what is in their caches. */
  readonly contextNs: number;
  /** For guessing tokens and checking the guesses. */
  readonly draftNs: number;
  /** For prompts. */
  readonly prefillNs: number;
  /** For what had been computed before its sequence was thrown out. */
  readonly recomputeNs: number;
  /** No step takes as long as the one before it; below 0 where it was quick. */
  readonly noiseNs: number;
  /** The engine's process did something else. */
  readonly hostNs: number;
  /** A stall that the model demands without a reason. */
  readonly stallNs: number;
}

/** Words that nothing else mixes into the seed, so that what is drawn does not go together. */
const NOISE_WORD = 0x6e6f6973;
const HOST_WORD = 0x686f7374;
const DRAFT_WORD = 0x64726166;

export function stepParts(model: EngineModel, seed: number, index: number, load: StepLoad): StepParts {
  const work = workParts(model, load);
  const workNs = workOf(work) + work.prefillNs + work.recomputeNs;
  return {
    ...work,
    noiseNs: noiseNs(model, seed, index, workNs),
    hostNs: hostNs(model, seed, index, load.arrivedCount),
    stallNs: stallNs(model, seed, index),
  };
}

export function lengthOf(parts: StepParts): number {
  return workOf(parts) + parts.prefillNs + parts.recomputeNs + parts.noiseNs + parts.hostNs + parts.stallNs;
}

/** The part that sequences with a cache cause, however they came together. */
export function workOf({ baseNs, decodeNs, contextNs, draftNs }: WorkParts): number {
  return baseNs + decodeNs + contextNs + draftNs;
}

/** The same for these sequences alone in a step. */
export function aloneWorkNs(model: EngineModel, decodeCount: number, contextTokens: number): number {
  return workOf(
    workParts(model, { decodeCount, contextTokens, prefillTokens: 0, recomputedTokens: 0, arrivedCount: 0 }),
  );
}

/** Tokens that a sequence gets from a step: its own, and the guesses that were good up to the first bad one. */
export function tokensOfStep({ speculation }: EngineModel, seed: number, index: number, jobWord: number): number {
  if (speculation === undefined) return 1;
  const random = seededRandom(mix32(mix32(mix32(seed, DRAFT_WORD), index), jobWord));
  let count = 1;
  while (count <= speculation.drafts && random() < speculation.acceptRatio) count += 1;
  return count;
}

type WorkParts = Omit<StepParts, 'noiseNs' | 'hostNs' | 'stallNs'>;

function workParts(model: EngineModel, load: StepLoad): WorkParts {
  const { decodeCount, contextTokens, prefillTokens, recomputedTokens } = load;
  const { drafts = 0, draftNs = 0, verifyNs = 0 } = decodeCount === 0 ? {} : (model.speculation ?? {});
  return {
    baseNs: model.stepBaseNs,
    decodeNs: model.decodeNs * decodeCount,
    contextNs: model.contextNs * contextTokens,
    draftNs: drafts * (draftNs + verifyNs * decodeCount),
    prefillNs: model.prefillNs * (prefillTokens - recomputedTokens),
    recomputeNs: model.prefillNs * recomputedTokens,
  };
}

/** Off by up to the model's ratio either way. */
function noiseNs({ noiseRatio }: EngineModel, seed: number, index: number, workNs: number): number {
  if (noiseRatio === undefined) return 0;
  const share = mix32(mix32(seed, NOISE_WORD), index) / 2 ** 31 - 1;
  return Math.max(1, Math.round(workNs * (1 + noiseRatio * share))) - workNs;
}

function hostNs({ host }: EngineModel, seed: number, index: number, arrivedCount: number): number {
  if (host === undefined) return 0;
  const requestsNs = host.requestNs * arrivedCount;
  if (host.everySteps === 0) return requestsNs;
  const word = mix32(mix32(seed, HOST_WORD), index);
  if (word % host.everySteps !== 0) return requestsNs;
  const share = mix32(word, HOST_WORD) / 2 ** 32;
  return requestsNs + Math.round(host.lowestNs + share * (host.highestNs - host.lowestNs));
}

function stallNs({ stall }: EngineModel, seed: number, index: number): number {
  if (stall === undefined) return 0;
  return mix32(seed, index) % stall.everySteps === 0 ? stall.stallNs : 0;
}
