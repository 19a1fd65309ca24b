// What `rubato floor` prints: the figures of one plan as a page for people and as one JSON object, and the list of
// what is known by name. Figures are computed elsewhere; here they get their names and their digits.
import type { FloorCatalogue } from '../config/floor-catalogue.ts';
import { type Cliff, simulateCliff } from '../judge/floor/cliff.ts';
import { type FloorQuestion, judgeFloor } from '../judge/floor/judge-floor.ts';
import { passFloor, type PassFloor, ridgeFlopPerByte, ridgeTokens } from '../judge/floor/pass.ts';
import { chunkedPrefillMs, prefillMs, promptStepCount } from '../judge/floor/prefill.ts';
import { kvTokenBytes, weightsBytes } from '../judge/floor/setup.ts';
import { tokensPerPass } from '../judge/floor/speculation.ts';
import { counted, type FloorVerdict, shown } from '../judge/floor/verdict.ts';
import type { FloorFlags } from './floor-flags.ts';

/** Shares on both sides of the cliff, where none is asked for. */
const CLIFF_RATIOS = [0.005, 0.009, 0.011, 0.02, 0.05];

/** A plan and all that was found of it. */
export interface FloorPlan {
  readonly flags: FloorFlags;
  readonly pass: PassFloor;
  readonly cliffs: readonly Cliff[];
  readonly verdicts: readonly FloorVerdict[];
}

export function planOf(flags: FloorFlags): FloorPlan {
  const { setup, load, gapMs, ttftMs, promptTokens, speculation, measuredMs } = flags;
  const pass = passFloor(setup, load);
  const cliffs = cliffsOf(flags, pass);
  // A verdict is about the share that was asked for; of several none is the plan's.
  const [cliff] = flags.stall?.ratio === undefined ? [] : cliffs;
  const question: FloorQuestion = {
    setup,
    load,
    ...(gapMs !== undefined && { gapMs }),
    ...(ttftMs !== undefined && promptTokens !== undefined && { ttft: { withinMs: ttftMs, promptTokens } }),
    ...(speculation !== undefined && { speculation }),
    ...(cliff !== undefined && { cliff }),
    ...(measuredMs !== undefined && { measuredMs }),
  };
  return { flags, pass, cliffs, verdicts: judgeFloor(question) };
}

function cliffsOf({ stall, seed }: FloorFlags, { stepMs, chunkMs }: PassFloor): readonly Cliff[] {
  if (stall === undefined) return [];
  const stallMs = stall.ms ?? chunkMs;
  const ratios = stall.ratio === undefined ? CLIFF_RATIOS : [stall.ratio];
  const baseMs = stepMs - chunkMs;
  return ratios.map((stalledRatio) => simulateCliff({ baseMs, stallMs, stalledRatio, seed }));
}

export function floorJson({ flags, pass, cliffs, verdicts }: FloorPlan): Record<string, unknown> {
  const { setup, load, speculation } = flags;
  const perPass = speculation === undefined ? 1 : tokensPerPass(speculation);
  return {
    model: setup.model.name,
    hardware: setup.hardware.name,
    batch: load.batchCount,
    context: load.contextTokens,
    chunk: load.chunkTokens,
    tensor_parallel: setup.tensorParallelCount,
    weights_dtype: setup.weightsFormat ?? setup.model.format,
    kv_dtype: setup.kvFormat,
    bandwidth_efficiency: setup.bandwidthRatio,
    mfu: setup.computeRatio,
    mode: pass.mode,
    step_ms: rounded(pass.stepMs),
    weights_ms: rounded(pass.weightsMs),
    kv_ms: rounded(pass.kvMs),
    chunk_ms: rounded(pass.chunkMs),
    gemm_ms: rounded(pass.gemmMs),
    verify_ms: rounded(pass.verifyMs),
    all_reduce_ms: rounded(pass.allReduceMs),
    bound_by: pass.boundBy,
    times_bare_step: rounded(pass.stepMs / (pass.stepMs - pass.chunkMs)),
    ridge_flop_per_byte: rounded(ridgeFlopPerByte(setup)),
    ridge_tokens: rounded(ridgeTokens(setup)),
    tokens_per_pass: rounded(perPass),
    tokens_per_second: rounded((load.batchCount * perPass * 1e3) / pass.stepMs),
    weights_bytes: weightsBytes(setup),
    kv_bytes_per_token: kvTokenBytes(setup),
    ...promptJson(flags),
    ...(cliffs.length > 0 && { cliff: cliffs.map((cliff) => cliffJson(cliff)) }),
    verdicts: verdicts.map(({ verdict, ok, text, numbers }) => ({ verdict, ok, text, ...roundedAll(numbers) })),
  };
}

function promptJson({ setup, load, promptTokens }: FloorFlags): Record<string, unknown> {
  if (promptTokens === undefined) return {};
  const inChunks = load.chunkTokens > 0 && {
    steps: promptStepCount(promptTokens, load.chunkTokens),
    chunked_ms: rounded(chunkedPrefillMs(setup, load, promptTokens)),
  };
  return { prompt: { tokens: promptTokens, prefill_ms: rounded(prefillMs(setup, promptTokens)), ...inChunks } };
}

function cliffJson({ stalledRatio, stallMs, p50Ms, p99Ms, meanMs }: Cliff) {
  const lengths = { stall_ms: stallMs, p50_ms: p50Ms, p99_ms: p99Ms, mean_ms: meanMs };
  return { stall_share: stalledRatio, ...roundedAll(lengths) };
}

/** A ten-thousandth is far below what a floor can know. */
function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

function roundedAll(numbers: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, rounded(value)]));
}

export function floorPage(plan: FloorPlan): string {
  const { flags, pass, cliffs, verdicts } = plan;
  const { setup, load, promptTokens } = flags;
  const across = setup.tensorParallelCount > 1 ? ` × ${setup.tensorParallelCount}` : '';
  const formats = `weights ${setup.weightsFormat ?? setup.model.format}, KV ${setup.kvFormat}`;
  const chunk = load.chunkTokens > 0 ? `, chunk of ${counted(load.chunkTokens)} tokens` : '';
  return [
    `${setup.model.name} on ${setup.hardware.name}${across}: ${formats}`,
    `batch ${counted(load.batchCount)}, context ${counted(load.contextTokens)} tokens${chunk}`,
    `${shown(setup.bandwidthRatio * 100)} % of the bandwidth, ${shown(setup.computeRatio * 100)} % of the FLOP/s`,
    '',
    ...stepRows(plan).map(([name, value]) => `  ${name.padEnd(22)}${value}`),
    ...(promptTokens === undefined ? [] : ['', promptLine(flags, promptTokens, pass.mode)]),
    ...(cliffs.length === 0 ? [] : ['', ...cliffRows(cliffs)]),
    '',
    ...verdicts.map(({ verdict, ok, text }) => `${ok ? '✓' : '✗'} ${verdict}: ${text}`),
  ].join('\n');
}

function stepRows({ flags: { setup, load, speculation }, pass }: FloorPlan): readonly (readonly [string, string])[] {
  const perPass = speculation === undefined ? 1 : tokensPerPass(speculation);
  const gigabytes = `${(weightsBytes(setup) / 1e9).toFixed(2)} GB`;
  return [
    ['step', `${shown(pass.stepMs)} ms (${pass.mode})`],
    ['  read weights', `${shown(pass.weightsMs)} ms, ${gigabytes}`],
    ['  read KV cache', `${shown(pass.kvMs)} ms, ${counted(kvTokenBytes(setup))} bytes a token`],
    ...(pass.verifyMs > 0 ? [['  verify drafts', `${shown(pass.verifyMs)} ms`] as const] : []),
    ...(pass.allReduceMs > 0 ? [['  all-reduce', `${shown(pass.allReduceMs)} ms`] as const] : []),
    ...(load.chunkTokens > 0
      ? [
          [
            '  what the chunk adds',
            `${shown(pass.chunkMs)} ms, ${shown(pass.stepMs / (pass.stepMs - pass.chunkMs))} times the bare step`,
          ] as const,
        ]
      : []),
    ['matrix products', `${shown(pass.gemmMs)} ms: bound by ${pass.boundBy === 'memory' ? 'memory' : 'compute'}`],
    ['ridge', `${shown(ridgeFlopPerByte(setup))} FLOP/B, ${counted(ridgeTokens(setup))} tokens in a pass`],
    ['tokens a pass', `${shown(perPass)}, ${shown((load.batchCount * perPass * 1e3) / pass.stepMs)} tokens/s`],
  ];
}

function promptLine({ setup, load }: FloorFlags, promptTokens: number, mode: string): string {
  const alone = `A prompt of ${counted(promptTokens)} tokens needs ${shown(prefillMs(setup, promptTokens))} ms of prefill alone (${mode})`;
  if (load.chunkTokens === 0) return `${alone}.`;
  const steps = promptStepCount(promptTokens, load.chunkTokens);
  const chunked = shown(chunkedPrefillMs(setup, load, promptTokens));
  return `${alone}, and ${counted(steps)} steps of ${counted(load.chunkTokens)} tokens beside the batch: ${chunked} ms (${mode}).`;
}

function cliffRows(cliffs: readonly Cliff[]): string[] {
  const head = `  ${'stalled steps'.padEnd(22)}${'p50'.padStart(10)}${'p99'.padStart(10)}${'mean'.padStart(10)}   ms, of 200,000 simulated`;
  const rows = cliffs.map(({ stalledRatio, p50Ms, p99Ms, meanMs }) => {
    const cells = [p50Ms, p99Ms, meanMs].map((ms) => shown(ms).padStart(10)).join('');
    return `  ${`${shown(stalledRatio * 100)} %`.padEnd(22)}${cells}`;
  });
  return [head, ...rows];
}

/** What is known by name, with the figures that count and where they stand. */
export function listPage({ models, hardware }: FloorCatalogue): string {
  const modelRows = [...models.values()].map((model) => {
    const billions = `${(model.parameterCount / 1e9).toFixed(2)} B`;
    const kv = `${model.layerCount} × ${model.latentSize ?? `${model.kvHeadCount} × ${model.headSize}`}`;
    return `  ${model.name.padEnd(20)}${billions.padStart(10)}  ${model.format.padEnd(6)}${kv.padEnd(15)}${model.source}`;
  });
  const hardwareRows = [...hardware.values()].map((each) => {
    const figures = [each.bytesPerSecond / 1e9, each.flopPerSecond / 1e12, each.memoryBytes / 1e9];
    const cells = figures.map((figure) => counted(figure).padStart(8)).join('');
    const fp8 = each.fp8FlopPerSecond === undefined ? '–' : counted(each.fp8FlopPerSecond / 1e12);
    return `  ${each.name.padEnd(20)}${cells}${fp8.padStart(8)}  ${each.source}`;
  });
  return [
    `  ${'model'.padEnd(20)}${'parameters'.padStart(10)}  ${'dtype'.padEnd(6)}${'KV (L × H × D)'.padEnd(15)}source`,
    ...modelRows,
    '',
    `  ${'hardware'.padEnd(20)}${'GB/s'.padStart(8)}${'TFLOP/s'.padStart(8)}${'GB'.padStart(8)}${'FP8'.padStart(8)}  source`,
    ...hardwareRows,
  ].join('\n');
}
