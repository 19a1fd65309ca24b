// The flags of `rubato floor`, read and checked together: every fault is told at once. Models and accelerators of
// one's own come from a YAML file or from flags; a flag wins over the file, the file over the well-known ones.
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import {
  DRAFT_TOKENS_MAX_COUNT,
  FLOOR_BATCH_MAX_COUNT,
  FLOOR_TOKENS_MAX_COUNT,
  TENSOR_PARALLEL_MAX_COUNT,
} from '../base/floor-limits.ts';
import { checkFloor, type FloorCatalogue, hardwareOf, modelOf } from '../config/floor-catalogue.ts';
import { floorPlace } from '../config/floor-place.ts';
import { type Reader, readChoice, readInteger, show } from '../config/values.ts';
import { readYaml } from '../config/yaml-file.ts';
import { OVERLAPS, type FloorLoad, type FloorSetup } from '../judge/floor/setup.ts';
import type { Speculation } from '../judge/floor/speculation.ts';
import { NUMBER_FORMATS } from '../record/floor-facts.ts';
import { FlagReader } from './flag-reader.ts';

export interface FloorFlags {
  readonly setup: FloorSetup;
  readonly load: FloorLoad;
  readonly gapMs: number | undefined;
  readonly ttftMs: number | undefined;
  readonly promptTokens: number | undefined;
  readonly speculation: Speculation | undefined;
  /** Steps that take longer: by how much (absent: by the chunk), and their share (absent: several are shown). */
  readonly stall: { readonly ms: number | undefined; readonly ratio: number | undefined } | undefined;
  readonly seed: number;
  readonly measuredMs: number | undefined;
}

const ALL_FORMATS = NUMBER_FORMATS.join('|');

export function addFloorFlags(command: Command): Command {
  return command
    .option('--model <NAME>', 'a model of the list, or of the YAML file')
    .option('--hardware <NAME>', 'an accelerator of the list, or of the YAML file')
    .option('--batch <N>', 'sequences that decode together (default 1)')
    .option('--context <TOKENS>', 'tokens that each of them looks back on (default 2048)')
    .option('--chunk <TOKENS>', 'prompt tokens prefilled in the same step (default 0)')
    .option('--tp <N>', 'accelerators over which each layer is split (default 1)')
    .option('--weights-dtype <NAME>', `${ALL_FORMATS} (default: as the model is published)`)
    .option('--kv-dtype <NAME>', `${ALL_FORMATS} (default bf16)`)
    .option('--bandwidth-efficiency <SHARE>', 'share of the peak bandwidth that is reached (default 1)')
    .option('--mfu <SHARE>', 'share of the peak FLOP/s that is reached (default 1)')
    .option('--overlap <MODE>', 'roofline: the longer of reading weights and computing, plus KV; additive: all summed')
    .option('--speculation <K,SHARE>', 'tokens drafted for a pass, and the share of them that is accepted')
    .option('--gap-ms <MS>', 'longest gap between tokens that is wanted')
    .option('--ttft-ms <MS>', 'longest time to the first token that is wanted, for --prompt')
    .option('--prompt <TOKENS>', 'length of a prompt: its steps and its prefill')
    .option('--stall-ms <MS>', 'how much longer a stalled step takes (default: what the chunk adds)')
    .option('--stall-share <SHARE>', 'share of the steps that are stalled (default: several, on both sides of 1 %)')
    .option('--seed <N>', 'of the simulated steps (default 1)')
    .option('--measured-ms <MS>', 'a measured step, to be set beside its floor')
    .option('--config <FILE>', 'a YAML file with models and hardware under the key "floor"')
    .option('--parameters <N>', 'of the model; with those that follow, a model of your own, or another size')
    .option('--layers <N>', 'layers of the model')
    .option('--hidden <N>', 'size of its hidden state (default: heads × size of a head)')
    .option('--heads <N>', 'query heads (default: as many as KV heads)')
    .option('--kv-heads <N>', 'KV heads')
    .option('--head-dim <N>', 'size of a head')
    .option('--memory-gb <GB>', 'of the accelerator; with those that follow, one of your own, or another rate')
    .option('--gb-per-second <GB>', 'bandwidth of its memory')
    .option('--tflops <N>', 'dense 16-bit TFLOP/s')
    .option('--fp8-tflops <N>', 'dense FP8 TFLOP/s')
    .option('--link-gb-per-second <GB>', 'to the next accelerator, in one direction')
    .option('--list', 'show the models and accelerators that are known')
    .option('--json', 'one JSON object instead of the page');
}

/** A number above 0, as people write it: 3.35, 8.03e9. */
const readAmount: Reader<number> = (raw) => {
  const value = typeof raw === 'string' && /^\d+(\.\d+)?(e\d{1,2})?$/i.test(raw) ? Number(raw) : Number.NaN;
  return value > 0 ? { value } : { fault: `${show(raw)} is not a number above 0` };
};

/** From just above 0 to 1. */
const readRatio: Reader<number> = (raw) => {
  const read = readAmount(raw);
  return 'value' in read && read.value <= 1 ? read : { fault: `${show(raw)} is not a share above 0 and up to 1` };
};

const readSpeculation: Reader<Speculation> = (raw) => {
  const [k = '', ...rest] = String(raw).split(',');
  const draft = readInteger(1, DRAFT_TOKENS_MAX_COUNT)(k);
  const share = rest.length === 1 ? Number(rest[0] === '' ? Number.NaN : rest[0]) : Number.NaN;
  if ('value' in draft && share >= 0 && share <= 1) {
    return { value: { draftTokens: draft.value, acceptedRatio: share } };
  }
  return { fault: `${show(raw)} is not TOKENS,SHARE, such as 4,0.8` };
};

/** What is known by name: the list, and the YAML file's own. */
export function readCatalogue(given: Command, faults: string[]): FloorCatalogue {
  const path: unknown = given.getOptionValue('config');
  if (typeof path !== 'string') return checkFloor(undefined).value;
  try {
    const yaml = readYaml(readFileSync(path, 'utf8'), path);
    const checked = checkFloor(yaml.entries.get('floor')?.raw);
    faults.push(...yaml.faults, ...checked.faults.map((fault) => `${path}: ${fault}`));
    return checked.value;
  } catch (error) {
    faults.push(`--config: ${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}.`);
    return checkFloor(undefined).value;
  }
}

/** The flags, or all that is wrong with them. */
export function readFloorFlags(given: Command): FloorFlags | { readonly faults: readonly string[] } {
  const faults: string[] = [];
  if (given.args.length > 0) faults.push(`"${given.args[0]}" is no flag; "rubato floor" takes flags only.`);
  const read = new Reading(given, faults);
  const setup = readSetup(given, read, faults);
  const speculation = read.optional('speculation', readSpeculation);
  const [ttftMs, promptTokens] = [read.optional('ttftMs', readAmount), read.optional('prompt', TOKENS)];
  if (ttftMs !== undefined && promptTokens === undefined)
    faults.push('--ttft-ms needs --prompt TOKENS: how long a prefill takes depends on the prompt.');
  const load: FloorLoad = {
    batchCount: read.required('batch', '1', readInteger(1, FLOOR_BATCH_MAX_COUNT)),
    contextTokens: read.required('context', '2048', TOKENS),
    chunkTokens: read.required('chunk', '0', readInteger(0, FLOOR_TOKENS_MAX_COUNT)),
    draftTokens: speculation?.draftTokens ?? 0,
  };
  const [stallMs, stallRatio] = [read.optional('stallMs', readAmount), read.optional('stallShare', readRatio)];
  const isStalled = stallMs !== undefined || stallRatio !== undefined;
  if (isStalled && stallMs === undefined && load.chunkTokens === 0)
    faults.push('--stall-share needs --stall-ms MS, or a --chunk whose cost is the stall.');
  const rest = {
    gapMs: read.optional('gapMs', readAmount),
    ttftMs,
    promptTokens,
    speculation,
    stall: isStalled ? { ms: stallMs, ratio: stallRatio } : undefined,
    seed: read.required('seed', '1', readInteger(0, 2 ** 32 - 1)),
    measuredMs: read.optional('measuredMs', readAmount),
  };
  return setup === undefined || faults.length > 0 ? { faults } : { setup, load, ...rest };
}

const TOKENS = readInteger(1, FLOOR_TOKENS_MAX_COUNT);

/** A flag that is there, and one that has a default; the value behind a fault is never used. */
class Reading {
  readonly #given: Command;
  readonly #flags: FlagReader;

  constructor(given: Command, faults: string[]) {
    this.#given = given;
    this.#flags = new FlagReader(given, faults);
  }

  optional<Value>(name: string, reader: Reader<Value>): Value | undefined {
    return this.#given.getOptionValue(name) === undefined ? undefined : this.#flags.read(name, undefined, reader);
  }

  required(name: string, fallback: string, reader: Reader<number>): number {
    return this.#flags.read(name, fallback, reader) ?? 0;
  }

  text(name: string): string | undefined {
    return this.#flags.text(name);
  }
}

function readSetup(given: Command, read: Reading, faults: string[]): FloorSetup | undefined {
  const catalogue = withOwn(readCatalogue(given, faults), read, faults);
  const names = {
    model: read.text('model') ?? (catalogue.models.has(OWN) ? OWN : undefined),
    hardware: read.text('hardware') ?? (catalogue.hardware.has(OWN) ? OWN : undefined),
    tensorParallelCount: read.optional('tp', readInteger(1, TENSOR_PARALLEL_MAX_COUNT)),
    weightsFormat: read.optional('weightsDtype', readChoice(NUMBER_FORMATS)),
    kvFormat: read.optional('kvDtype', readChoice(NUMBER_FORMATS)),
  };
  const place = floorPlace(names, catalogue, { model: '--model', hardware: '--hardware' });
  if (faults.length === 0 && place.value === undefined && place.faults.length === 0)
    faults.push('Give --model and --hardware; "rubato floor --list" shows which there are.');
  faults.push(...place.faults);
  const rates = {
    bandwidthRatio: read.required('bandwidthEfficiency', '1', readRatio),
    computeRatio: read.required('mfu', '1', readRatio),
    overlap: read.optional('overlap', readChoice(OVERLAPS)) ?? 'roofline',
  };
  return place.value === undefined ? undefined : { ...place.value, ...rates };
}

/** The name of what only flags describe. */
const OWN = 'custom';

function withOwn(catalogue: FloorCatalogue, read: Reading, faults: string[]): FloorCatalogue {
  const whole = readInteger(1, 1e9);
  const sizes = {
    parameters: read.optional('parameters', readAmount),
    layers: read.optional('layers', whole),
    hidden: read.optional('hidden', whole),
    heads: read.optional('heads', whole),
    kv_heads: read.optional('kvHeads', whole),
    head_dim: read.optional('headDim', whole),
  };
  const rates = {
    memory_gb: read.optional('memoryGb', readAmount),
    gb_per_second: read.optional('gbPerSecond', readAmount),
    tflops: read.optional('tflops', readAmount),
    fp8_tflops: read.optional('fp8Tflops', readAmount),
    link_gb_per_second: read.optional('linkGbPerSecond', readAmount),
  };
  const [modelName, hardwareName] = [read.text('model') ?? OWN, read.text('hardware') ?? OWN];
  const models = new Map(catalogue.models);
  const hardware = new Map(catalogue.hardware);
  if (isAnyGiven(sizes)) {
    const made = modelOf({ name: modelName, ...sizes }, models.get(modelName));
    if ('missing' in made) faults.push(needs('A model', made.missing));
    else models.set(modelName, made);
  }
  if (isAnyGiven(rates)) {
    const made = hardwareOf({ name: hardwareName, ...rates }, hardware.get(hardwareName));
    if ('missing' in made) faults.push(needs('An accelerator', made.missing));
    else hardware.set(hardwareName, made);
  }
  return { models, hardware };
}

function isAnyGiven(values: Readonly<Record<string, number | undefined>>): boolean {
  return Object.values(values).some((value) => value !== undefined);
}

function needs(what: string, names: readonly string[]): string {
  const flags = names.map((name) => `--${name.replaceAll('_', '-')}`).join(', ');
  return `${what} that is not in the list needs ${flags} too.`;
}
