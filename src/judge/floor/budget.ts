// How much fits: the largest chunk, batch, context or prompt with which a limit still holds. Pure.
import { FLOOR_BATCH_MAX_COUNT, FLOOR_TOKENS_MAX_COUNT } from '../../base/floor-limits.ts';
import type { FloorPlace } from '../../record/floor-facts.ts';
import { passFloor } from './pass.ts';
import { prefillMs } from './prefill.ts';
import { type FloorLoad, type FloorSetup, kvSequenceBytes, kvShardCount, weightsBytes } from './setup.ts';

/** The largest whole number up to `most` that fits, given that all below one that fits do too; 0 when none does. */
function largest(fits: (count: number) => boolean, most: number): number {
  let [fitting, tooMany] = [0, most + 1];
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    if (fits(middle)) fitting = middle;
    else tooMany = middle;
  }
  return fitting;
}

/** Tokens of prompt that a step can take beside the batch. */
export function largestChunk(setup: FloorSetup, load: FloorLoad, stepMs: number): number {
  return largest((chunkTokens) => passFloor(setup, { ...load, chunkTokens }).stepMs <= stepMs, FLOOR_TOKENS_MAX_COUNT);
}

/** Sequences of this context that one step without a chunk can serve. */
export function largestBatch(setup: FloorSetup, load: FloorLoad, stepMs: number): number {
  const fits = (batchCount: number): boolean =>
    passFloor(setup, { ...load, batchCount, chunkTokens: 0 }).stepMs <= stepMs;
  return largest(fits, FLOOR_BATCH_MAX_COUNT);
}

/** Context of this batch that one step without a chunk can serve. */
export function largestContext(setup: FloorSetup, load: FloorLoad, stepMs: number): number {
  const fits = (contextTokens: number): boolean =>
    passFloor(setup, { ...load, contextTokens, chunkTokens: 0 }).stepMs <= stepMs;
  return largest(fits, FLOOR_TOKENS_MAX_COUNT);
}

/** The longest prompt whose prefill, alone, takes no longer. */
export function longestPrompt(setup: FloorSetup, withinMs: number): number {
  return largest((promptTokens) => prefillMs(setup, promptTokens) <= withinMs, FLOOR_TOKENS_MAX_COUNT);
}

/** Bytes of one accelerator that weights and the batch's KV cache take; activations come on top. */
export function memoryBytes(place: FloorPlace, { batchCount, contextTokens }: FloorLoad): number {
  const kvBytes = (batchCount * kvSequenceBytes(place, contextTokens)) / kvShardCount(place);
  return weightsBytes(place) / place.tensorParallelCount + kvBytes;
}

/** Sequences of this context whose KV cache has room beside the weights. */
export function largestBatchInMemory(place: FloorPlace, load: FloorLoad): number {
  const { memoryBytes: roomBytes } = place.hardware;
  return largest((batchCount) => memoryBytes(place, { ...load, batchCount }) <= roomBytes, FLOOR_BATCH_MAX_COUNT);
}
