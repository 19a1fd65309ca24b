// The least time that a prompt can take, alone and in chunks beside a batch. Pure.
import { allReduce, computeMs, passFloor } from './pass.ts';
import { attentionFlop, type FloorLoad, type FloorSetup, gemmFlop, weightsReadBytes } from './setup.ts';

/** Steps that a prompt needs when each has room for so many of its tokens. */
export function promptStepCount(promptTokens: number, budgetTokens: number): number {
  return Math.ceil(promptTokens / budgetTokens);
}

/** A prompt's prefill in one pass with nothing beside it: its products and its weights, together as the mode has it, and attention. */
export function prefillMs(setup: FloorSetup, promptTokens: number): number {
  const { tensorParallelCount, hardware, bandwidthRatio } = setup;
  const readMs =
    (weightsReadBytes(setup, promptTokens) / tensorParallelCount / (hardware.bytesPerSecond * bandwidthRatio)) * 1e3;
  const gemmMs = computeMs(setup, gemmFlop(setup, promptTokens));
  const productsMs = setup.overlap === 'additive' ? readMs + gemmMs : Math.max(readMs, gemmMs);
  return productsMs + computeMs(setup, attentionFlop(setup, promptTokens)) + allReduce(setup, promptTokens);
}

/** A prompt's prefill in chunks of `load.chunkTokens`, each in a step of the batch: what TTFT pays for even gaps. */
export function chunkedPrefillMs(setup: FloorSetup, load: FloorLoad, promptTokens: number): number {
  const { chunkTokens } = load;
  const wholeCount = Math.floor(promptTokens / chunkTokens);
  const restTokens = promptTokens - wholeCount * chunkTokens;
  const wholeMs = wholeCount === 0 ? 0 : wholeCount * passFloor(setup, load).stepMs;
  const restMs = restTokens === 0 ? 0 : passFloor(setup, { ...load, chunkTokens: restTokens }).stepMs;
  return wholeMs + restMs + computeMs(setup, attentionFlop(setup, promptTokens));
}
