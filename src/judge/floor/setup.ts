// What a floor is computed for: a model on an accelerator, how well it is used, and what one pass has to do.
// Byte and FLOP counts of it. Pure; knows no time.
import { FORMAT_BYTES, type FloorPlace, type ModelFacts } from '../../record/floor-facts.ts';

export const OVERLAPS = ['additive', 'roofline'] as const;
/**
 * How reading memory and computing go together:
 *   additive  step = weights + KV + compute of the chunk; nothing overlaps, and what the batch itself
 *             computes is so little that it is left out
 *   roofline  step = max(weights, compute of batch and chunk) + KV; attention runs beside no matrix product
 */
export type Overlap = (typeof OVERLAPS)[number];

export interface FloorSetup extends FloorPlace {
  /** Of the peak rates, what is reached: 1 is the floor of the hardware itself. */
  readonly bandwidthRatio: number;
  readonly computeRatio: number;
  readonly overlap: Overlap;
}

/** What one pass of the model works on. Counts may be means, so they need not be whole. */
export interface FloorLoad {
  /** Sequences that each get their next token. */
  readonly batchCount: number;
  /** Tokens of prompt and answer that each of them looks back on. */
  readonly contextTokens: number;
  /** Prompt tokens that are prefilled in the same pass. */
  readonly chunkTokens: number;
  /** Tokens drafted for each sequence, to be verified in this pass. */
  readonly draftTokens: number;
}

/** Bytes of KV cache that one token of context takes, in all layers and on all accelerators together. */
export function kvTokenBytes({ model, kvFormat }: FloorPlace): number {
  return model.layerCount * kvLayerBytes(model, FORMAT_BYTES[kvFormat]);
}

function kvLayerBytes({ latentSize, kvHeadCount, headSize }: ModelFacts, bytes: number): number {
  return (latentSize ?? 2 * kvHeadCount * headSize) * bytes;
}

/** Bytes of KV cache that one sequence takes: layers with a sliding window keep no more than the window. */
export function kvSequenceBytes(place: FloorPlace, contextTokens: number): number {
  const { layerCount, sliding } = place.model;
  const slidingCount = sliding?.layerCount ?? 0;
  const slidingTokens = Math.min(contextTokens, sliding?.tokenCount ?? 0);
  const tokens = (layerCount - slidingCount) * contextTokens + slidingCount * slidingTokens;
  return tokens * kvLayerBytes(place.model, FORMAT_BYTES[place.kvFormat]);
}

/** Accelerators that each keep a part of their own of the KV cache; the rest keep copies. */
export function kvShardCount({ model, tensorParallelCount }: FloorPlace): number {
  return model.latentSize === undefined ? Math.min(tensorParallelCount, model.kvHeadCount) : 1;
}

/** Bytes of all weights together. */
export function weightsBytes(place: FloorPlace): number {
  return sharedBytes(place) + expertBytes(place);
}

/**
 * Bytes of weights that a pass over so many tokens reads: all of a dense model, and of a mixture the experts
 * that at least one token was sent to, which routers spread evenly when they are trained well.
 */
export function weightsReadBytes(place: FloorPlace, tokens: number): number {
  const { experts } = place.model;
  if (experts === undefined) return weightsBytes(place);
  const missedRatio = (1 - experts.chosenCount / experts.count) ** tokens;
  return sharedBytes(place) + expertBytes(place) * (1 - missedRatio);
}

function sharedBytes({ model, weightsFormat }: FloorPlace): number {
  const parameters = model.parameterCount - (model.experts?.parameterCount ?? 0);
  return parameters * FORMAT_BYTES[weightsFormat ?? model.format];
}

function expertBytes({ model, weightsFormat }: FloorPlace): number {
  const { experts, format } = model;
  return experts === undefined ? 0 : experts.parameterCount * FORMAT_BYTES[weightsFormat ?? experts.format ?? format];
}

/** Multiply and add with each parameter that a token meets. Attention comes on top, see {@link attentionFlop}. */
export function gemmFlop({ model }: FloorPlace, tokens: number): number {
  const { parameterCount, experts } = model;
  const idleRatio = experts === undefined ? 0 : 1 - experts.chosenCount / experts.count;
  return 2 * (parameterCount - (experts?.parameterCount ?? 0) * idleRatio) * tokens;
}

/** Queries with keys and weights with values, of a whole prompt that looks back on itself. */
export function attentionFlop({ model }: FloorPlace, promptTokens: number): number {
  const { layerCount, sliding, headCount, headSize } = model;
  const slidingCount = sliding?.layerCount ?? 0;
  const window = Math.min(promptTokens, sliding?.tokenCount ?? 0);
  const pairs =
    ((layerCount - slidingCount) * promptTokens ** 2) / 2 + slidingCount * (promptTokens * window - window ** 2 / 2);
  return 4 * headCount * headSize * pairs;
}

/** FLOP/s of one accelerator: formats below 16 bits are unpacked to 16, but for FP8 where there are units for it. */
export function peakFlopPerSecond({ model, hardware, weightsFormat }: FloorPlace): number {
  const { flopPerSecond, fp8FlopPerSecond = flopPerSecond } = hardware;
  return (weightsFormat ?? model.format) === 'fp8' ? fp8FlopPerSecond : flopPerSecond;
}
