// The verdicts over a planned load, in the order of a reader's questions: does it fit, is the gap kept, is TTFT,
// which side of the ridge, does speculation pay, where is p99, how far is the measured step. Pure.
import {
  largestBatch,
  largestBatchInMemory,
  largestChunk,
  largestContext,
  longestPrompt,
  memoryBytes,
} from './budget.ts';
import type { Cliff } from './cliff.ts';
import { besideFloor } from './measured.ts';
import { passFloor, ridgeTokens } from './pass.ts';
import { chunkedPrefillMs, prefillMs, promptStepCount } from './prefill.ts';
import type { FloorLoad, FloorSetup } from './setup.ts';
import { type Speculation, speculationGain, tokensPerPass } from './speculation.ts';
import { counted, type FloorVerdict, shown } from './verdict.ts';

/** What is asked of the floor. What is absent is not judged. */
export interface FloorQuestion {
  readonly setup: FloorSetup;
  readonly load: FloorLoad;
  /** Longest gap between two tokens of a stream that is wanted. */
  readonly gapMs?: number;
  /** Longest time to the first token that is wanted, and the prompt it is wanted for. */
  readonly ttft?: { readonly withinMs: number; readonly promptTokens: number };
  readonly speculation?: Speculation;
  readonly cliff?: Cliff;
  /** A step that was measured under this load. */
  readonly measuredMs?: number;
}

/** Good kernels reach about four fifths of the bandwidth, so this is as near as anything gets. */
const NEAR_FLOOR_TIMES = 1.25;
const GB = 1e9;

export function judgeFloor(question: FloorQuestion): FloorVerdict[] {
  const { setup, load, gapMs, ttft, speculation, cliff, measuredMs } = question;
  return [
    memoryVerdict(setup, load),
    ...(gapMs === undefined ? [] : [gapVerdict(setup, load, gapMs)]),
    ...(ttft === undefined ? [] : [ttftVerdict(question, ttft)]),
    ...(load.chunkTokens === 0 ? [] : [ridgeVerdict(setup, load)]),
    ...(speculation === undefined ? [] : [speculationVerdict(setup, load, speculation)]),
    ...(cliff === undefined ? [] : [cliffVerdict(cliff)]),
    ...(measuredMs === undefined ? [] : [measuredVerdict(setup, load, measuredMs)]),
  ];
}

function memoryVerdict(setup: FloorSetup, load: FloorLoad): FloorVerdict {
  const neededBytes = memoryBytes(setup, load);
  const { memoryBytes: roomBytes, name } = setup.hardware;
  const ok = neededBytes <= roomBytes;
  const batch_max = largestBatchInMemory(setup, load);
  const needed = `${shown(neededBytes / GB)} of the ${shown(roomBytes / GB)} GB of ${name}`;
  return {
    verdict: ok ? 'memory_fits' : 'memory_exceeded',
    ok,
    text: ok
      ? `Weights and KV cache take ${needed}; there is room for ${counted(batch_max)} sequences of this context.`
      : `Weights and KV cache would take ${needed}: the engine will queue or preempt. ${counted(batch_max)} sequences of this context fit.`,
    numbers: { needed_gb: neededBytes / GB, memory_gb: roomBytes / GB, batch_max },
  };
}

function gapVerdict(setup: FloorSetup, load: FloorLoad, gapMs: number): FloorVerdict {
  const { stepMs, chunkMs } = passFloor(setup, load);
  const bareMs = stepMs - chunkMs;
  const headroom_ms = gapMs - bareMs;
  const chunk_max = largestChunk(setup, load, gapMs);
  const numbers = { gap_ms: gapMs, step_ms: stepMs, bare_step_ms: bareMs, headroom_ms, chunk_max };
  const mode = setup.overlap;
  if (headroom_ms < 0) {
    const batch_max = largestBatch(setup, load, gapMs);
    const context_max = largestContext(setup, load, gapMs);
    return {
      verdict: 'batch_or_context_impossible',
      ok: false,
      text:
        `A gap of ${shown(gapMs)} ms cannot be kept even without any stall: the bare step takes ${shown(bareMs)} ms (${mode}). ` +
        `The target itself has to change: ${counted(batch_max)} sequences of this context, or this batch with ${counted(context_max)} tokens of context.`,
      numbers: { ...numbers, batch_max, context_max },
    };
  }
  if (chunk_max === 0) {
    return {
      verdict: 'no_room_for_chunk',
      ok: load.chunkTokens === 0,
      text: `The bare step of ${shown(bareMs)} ms (${mode}) keeps the gap of ${shown(gapMs)} ms, but no prompt token fits beside it: prefill needs an engine of its own.`,
      numbers,
    };
  }
  if (load.chunkTokens > chunk_max) {
    return {
      verdict: 'chunk_too_large',
      ok: false,
      text: `A chunk of ${counted(load.chunkTokens)} tokens makes the step ${shown(stepMs)} ms (${mode}), above the gap of ${shown(gapMs)} ms. Reduce the chunk to ${counted(chunk_max)} tokens before you reduce the batch; the price is a longer TTFT.`,
      numbers,
    };
  }
  return {
    verdict: 'gap_met',
    ok: true,
    text: `The gap of ${shown(gapMs)} ms is kept: the step takes ${shown(stepMs)} ms (${mode}). Chunks of up to ${counted(chunk_max)} tokens fit.`,
    numbers,
  };
}

function ttftVerdict(
  { setup, load, gapMs }: FloorQuestion,
  { withinMs, promptTokens }: NonNullable<FloorQuestion['ttft']>,
): FloorVerdict {
  // What nothing reaches is said of the lower bound only.
  const peak: FloorSetup = { ...setup, bandwidthRatio: 1, computeRatio: 1, overlap: 'roofline' };
  const numbers = {
    ttft_ms: withinMs,
    prompt_tokens: promptTokens,
    prefill_ms: prefillMs(setup, promptTokens),
    prefill_at_peak_ms: prefillMs(peak, promptTokens),
    prompt_max: longestPrompt(setup, withinMs),
    prompt_max_at_peak: longestPrompt(peak, withinMs),
  };
  const prompt = `A prompt of ${counted(promptTokens)} tokens`;
  const alone = `${prompt} needs ${shown(numbers.prefill_ms)} ms of prefill alone (${setup.overlap})`;
  const renegotiate = `Renegotiate by prompt length: up to ${counted(numbers.prompt_max)} tokens can be promised at these rates (${setup.overlap})`;
  if (numbers.prefill_at_peak_ms > withinMs) {
    return {
      verdict: 'ttft_impossible',
      ok: false,
      text: `${prompt} needs ${shown(numbers.prefill_at_peak_ms)} ms at the hardware's peak (roofline): no use of it reaches ${shown(withinMs)} ms. ${renegotiate}, ${counted(numbers.prompt_max_at_peak)} at the peak.`,
      numbers,
    };
  }
  if (numbers.prefill_ms > withinMs) {
    return {
      verdict: 'ttft_beyond_rates',
      ok: false,
      text: `${alone} at these rates, above ${shown(withinMs)} ms. ${renegotiate}.`,
      numbers,
    };
  }
  const fitting = gapMs === undefined ? undefined : largestChunk(setup, load, gapMs);
  const chunkTokens = load.chunkTokens > 0 ? load.chunkTokens : (fitting ?? 0);
  if (chunkTokens === 0) {
    return { verdict: 'ttft_met', ok: true, text: `${alone}, within ${shown(withinMs)} ms.`, numbers };
  }
  const inChunks = { setup, load: { ...load, chunkTokens }, withinMs, promptTokens };
  return chunkedVerdict({ ...inChunks, fitting, numbers, alone });
}

interface ChunkedTtft {
  readonly setup: FloorSetup;
  readonly load: FloorLoad;
  readonly withinMs: number;
  readonly promptTokens: number;
  /** The largest chunk that keeps the gap objective, where there is one. */
  readonly fitting: number | undefined;
  readonly numbers: Readonly<Record<string, number>>;
  readonly alone: string;
}

function chunkedVerdict({ setup, load, withinMs, promptTokens, fitting, numbers, alone }: ChunkedTtft): FloorVerdict {
  const steps = promptStepCount(promptTokens, load.chunkTokens);
  const chunked_ms = chunkedPrefillMs(setup, load, promptTokens);
  const all = { ...numbers, chunk_tokens: load.chunkTokens, steps, chunked_ms };
  const inSteps = `${counted(steps)} steps with chunks of ${counted(load.chunkTokens)} tokens take ${shown(chunked_ms)} ms (${setup.overlap})`;
  if (chunked_ms <= withinMs) {
    return { verdict: 'ttft_met', ok: true, text: `${alone}; ${inSteps}, within ${shown(withinMs)} ms.`, numbers: all };
  }
  const best = fitting === undefined || fitting === 0 ? undefined : { ...load, chunkTokens: fitting };
  if (fitting !== undefined && (best === undefined || chunkedPrefillMs(setup, best, promptTokens) > withinMs)) {
    return {
      verdict: 'objectives_conflict',
      ok: false,
      text: `${inSteps}, above ${shown(withinMs)} ms, and no chunk that keeps the gap is fast enough: give prefill engines of its own (disaggregation), or take fewer sequences at once.`,
      numbers: all,
    };
  }
  return {
    verdict: 'chunk_too_small',
    ok: false,
    text: `${inSteps}, above ${shown(withinMs)} ms, though ${alone.charAt(0).toLowerCase()}${alone.slice(1)}: raise the chunk, at the price of longer gaps.`,
    numbers: all,
  };
}

function ridgeVerdict(setup: FloorSetup, load: FloorLoad): FloorVerdict {
  const tokens = load.batchCount * (1 + load.draftTokens) + load.chunkTokens;
  const ridge_tokens = ridgeTokens(setup);
  const { boundBy, chunkMs } = passFloor(setup, load);
  const isBelow = boundBy === 'memory';
  const place = `${counted(tokens)} tokens in one pass are ${isBelow ? 'below' : 'above'} the ridge of ${counted(ridge_tokens)}`;
  const cost = `the chunk adds ${shown(chunkMs)} ms (${setup.overlap})`;
  return {
    verdict: isBelow ? 'below_ridge' : 'above_ridge',
    ok: true,
    text: isBelow
      ? `${place}: computing would hide behind reading the weights if the two overlap; ${cost}.`
      : `${place}: each further token costs its compute; ${cost}.`,
    numbers: { tokens, ridge_tokens, chunk_ms: chunkMs },
  };
}

function speculationVerdict(setup: FloorSetup, load: FloorLoad, speculation: Speculation): FloorVerdict {
  const tokens_per_pass = tokensPerPass(speculation);
  const gain = speculationGain(setup, { ...load, chunkTokens: 0 }, speculation);
  const pays = gain > 1;
  const pass = `${shown(tokens_per_pass)} tokens a pass`;
  return {
    verdict: pays ? 'speculation_pays' : 'speculation_costs',
    ok: pays,
    text: pays
      ? `Speculation gives ${pass} and ${shown(gain)} times the tokens a second at this batch, less what the draft itself takes.`
      : `Speculation gives ${pass}, and yet only ${shown(gain)} times the tokens a second: at this batch the drafts cost more than they bring.`,
    numbers: { tokens_per_pass, gain },
  };
}

function cliffVerdict({ stalledRatio, p99Ms, p50Ms, meanMs, stallMs }: Cliff): FloorVerdict {
  const isOnBase = p99Ms === p50Ms;
  const share = `${shown(stalledRatio * 100)} % of the steps take ${shown(stallMs)} ms longer`;
  return {
    verdict: isOnBase ? 'p99_on_base' : 'p99_on_stall',
    ok: isOnBase,
    text: isOnBase
      ? `${share}: p99 does not show it and stays at ${shown(p99Ms)} ms; the mean is ${shown(meanMs)} ms.`
      : `${share}: p99 is ${shown(p99Ms)} ms. Below 1 % it would be what p50 is, ${shown(p50Ms)} ms; the mean is ${shown(meanMs)} ms.`,
    numbers: { stalled_share: stalledRatio, stall_ms: stallMs, p50_ms: p50Ms, p99_ms: p99Ms, mean_ms: meanMs },
  };
}

function measuredVerdict(setup: FloorSetup, load: FloorLoad, measuredMs: number): FloorVerdict {
  const { floorMs, timesFloor, bandwidthRatio } = besideFloor(setup, load, measuredMs);
  const verdict = timesFloor < 1 ? 'below_floor' : timesFloor < NEAR_FLOOR_TIMES ? 'near_floor' : 'above_floor';
  const times = `${shown(measuredMs)} ms is ${shown(timesFloor)} times the floor of ${shown(floorMs)} ms (${setup.overlap}) and ${shown(bandwidthRatio * 100)} % of the bandwidth`;
  const texts = {
    below_floor: `${times}: nothing is faster than its floor, so batch, context, formats or hardware are not what was said.`,
    near_floor: `${times}: only less work or faster hardware makes it shorter.`,
    above_floor: `${times}: the rest is not memory's; look for prefill in the same steps and for the host.`,
  } as const;
  return {
    verdict,
    ok: verdict === 'near_floor',
    text: texts[verdict],
    numbers: { measured_ms: measuredMs, floor_ms: floorMs, times_floor: timesFloor, bandwidth_share: bandwidthRatio },
  };
}
