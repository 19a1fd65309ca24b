// The least time that one pass of a model can take: what has to be read over how fast memory is, what has to
// be computed over how fast the units are. Pure; a lower bound by construction, because kernels start, sample
// and wait in between, and none of that is counted.
import type { FloorPlace } from '../../record/floor-facts.ts';
import {
  type FloorLoad,
  type FloorSetup,
  gemmFlop,
  kvSequenceBytes,
  kvShardCount,
  type Overlap,
  peakFlopPerSecond,
  weightsBytes,
  weightsReadBytes,
} from './setup.ts';

/** One pass and what it consists of. All lengths of one accelerator, which work side by side. */
export interface PassFloor {
  readonly mode: Overlap;
  /** One pass begins → it has ended. */
  readonly stepMs: number;
  /** Weights are read, of the pass without its chunk. */
  readonly weightsMs: number;
  /** The KV cache of the batch is read. */
  readonly kvMs: number;
  /** Matrix products of batch, drafts and chunk. In roofline mode it counts where it is longer than reading. */
  readonly gemmMs: number;
  /** Products for drafted tokens, which additive mode adds. */
  readonly verifyMs: number;
  /** Partial results are summed over the accelerators, of the pass without its chunk. */
  readonly allReduceMs: number;
  /** All that the chunk adds to the pass. */
  readonly chunkMs: number;
  /** The longer one, of reading weights and computing with them. */
  readonly boundBy: 'memory' | 'compute';
}

/** Activations are exchanged in 16 bits. */
const ACTIVATION_BYTES = 2;
/** After attention and after the feed-forward part. */
const ALL_REDUCES_A_LAYER = 2;
/**
 * One all-reduce of next to nothing, within a host: the kernels that engines bring for it need 5 to 10 µs
 * (vLLM's and TensorRT-LLM's one-shot kernels); a floor takes the least.
 */
const ALL_REDUCE_LATENCY_MS = 0.005;

export function passFloor(setup: FloorSetup, load: FloorLoad): PassFloor {
  const bare = passMs(setup, { ...load, chunkTokens: 0 });
  const whole = load.chunkTokens > 0 ? passMs(setup, load) : bare;
  return {
    mode: setup.overlap,
    stepMs: whole.stepMs,
    weightsMs: bare.weightsMs,
    kvMs: bare.kvMs,
    gemmMs: whole.gemmMs,
    verifyMs: bare.verifyMs,
    allReduceMs: bare.allReduceMs,
    chunkMs: whole.stepMs - bare.stepMs,
    boundBy: whole.gemmMs > whole.weightsMs ? 'compute' : 'memory',
  };
}

function passMs(setup: FloorSetup, load: FloorLoad) {
  const { tensorParallelCount, bandwidthRatio, hardware, overlap } = setup;
  const { batchCount, contextTokens, chunkTokens, draftTokens } = load;
  const decodeTokens = batchCount * (1 + draftTokens);
  const tokens = decodeTokens + chunkTokens;
  const bytesPerMs = (hardware.bytesPerSecond * bandwidthRatio) / 1e3;
  const weightsMs = weightsReadBytes(setup, tokens) / tensorParallelCount / bytesPerMs;
  const kvMs = (batchCount * kvSequenceBytes(setup, contextTokens)) / kvShardCount(setup) / bytesPerMs;
  const gemmMs = computeMs(setup, gemmFlop(setup, tokens));
  const isAdditive = overlap === 'additive';
  const verifyMs = isAdditive ? computeMs(setup, gemmFlop(setup, batchCount * draftTokens)) : 0;
  const promptMs = isAdditive ? computeMs(setup, gemmFlop(setup, chunkTokens)) : 0;
  const allReduceMs = allReduce(setup, tokens);
  const workMs = isAdditive ? weightsMs + verifyMs + promptMs : Math.max(weightsMs, gemmMs);
  return { stepMs: workMs + kvMs + allReduceMs, weightsMs, kvMs, gemmMs, verifyMs, allReduceMs };
}

/** At the share of the peak that the set-up reaches. */
export function computeMs(setup: FloorSetup, flop: number): number {
  return (flop / setup.tensorParallelCount / (peakFlopPerSecond(setup) * setup.computeRatio)) * 1e3;
}

/** By ring: each accelerator sends and receives the message nearly twice, and pays the latency once. */
export function allReduce({ model, hardware, tensorParallelCount: count }: FloorPlace, tokens: number): number {
  const { linkBytesPerSecond } = hardware;
  if (count === 1 || linkBytesPerSecond === undefined) return 0;
  const messageBytes = tokens * model.hiddenSize * ACTIVATION_BYTES;
  const sentMs = ((2 * (count - 1)) / count) * (messageBytes / linkBytesPerSecond) * 1e3;
  return ALL_REDUCES_A_LAYER * model.layerCount * (ALL_REDUCE_LATENCY_MS + sentMs);
}

/** Bytes that one accelerator has to read for a pass of so many sequences without a chunk. */
export function passReadBytes(place: FloorPlace, { batchCount, contextTokens, draftTokens }: FloorLoad): number {
  const weights = weightsReadBytes(place, batchCount * (1 + draftTokens)) / place.tensorParallelCount;
  return weights + (batchCount * kvSequenceBytes(place, contextTokens)) / kvShardCount(place);
}

/** FLOP the units do in the time in which memory gives one byte, both at their peak. */
export function ridgeFlopPerByte(place: FloorPlace): number {
  return peakFlopPerSecond(place) / place.hardware.bytesPerSecond;
}

/** Tokens of one pass from which computing takes longer than reading all weights, at the rates of the set-up. */
export function ridgeTokens(setup: FloorSetup): number {
  const { bandwidthRatio, computeRatio } = setup;
  const flopPerByte = (ridgeFlopPerByte(setup) * computeRatio) / bandwidthRatio;
  return (weightsBytes(setup) * flopPerByte) / gemmFlop(setup, 1);
}
