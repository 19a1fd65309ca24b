// The floor's part of the configuration: models and accelerators of one's own beside the well-known ones, and
// what stands behind a route. Faults are sentences without a place. Knows nothing of flags or files.
import * as v from 'valibot';
import { FLOOR_ENTRIES_MAX_COUNT, TENSOR_PARALLEL_MAX_COUNT } from '../base/floor-limits.ts';
import {
  type FloorPlace,
  type HardwareFacts,
  type ModelFacts,
  NUMBER_FORMATS,
  type NumberFormat,
} from '../record/floor-facts.ts';
import { KNOWN_HARDWARE } from '../record/known-hardware.ts';
import { KNOWN_MODELS } from '../record/known-models.ts';
import { didYouMean } from './nearest.ts';
import { byReader, type Checked, LABEL, sentences } from './schema.ts';
import { readChoice } from './values.ts';

/** By name; one's own take the place of well-known ones. */
export interface FloorCatalogue {
  readonly models: ReadonlyMap<string, ModelFacts>;
  readonly hardware: ReadonlyMap<string, HardwareFacts>;
}

/** What is said of the engine behind a route, where anything is. */
export interface FloorNames {
  readonly model: string | undefined;
  readonly hardware: string | undefined;
  readonly tensorParallelCount: number | undefined;
  readonly weightsFormat: NumberFormat | undefined;
  readonly kvFormat: NumberFormat | undefined;
}

const COUNT = v.pipe(
  v.number('expected a number'),
  v.integer('expected a whole number'),
  v.minValue(1, 'expected at least 1'),
);
const AMOUNT = v.pipe(
  v.number('expected a number'),
  v.finite('expected a number'),
  v.gtValue(0, 'expected a number above 0'),
);
const FORMAT = byReader(readChoice(NUMBER_FORMATS));

const MODEL = v.strictObject({
  name: LABEL,
  parameters: v.optional(AMOUNT),
  layers: v.optional(COUNT),
  hidden: v.optional(COUNT),
  heads: v.optional(COUNT),
  kv_heads: v.optional(COUNT),
  head_dim: v.optional(COUNT),
  dtype: v.optional(FORMAT),
  experts: v.optional(
    v.pipe(
      v.strictObject({ count: COUNT, chosen: COUNT, parameters: AMOUNT, dtype: v.optional(FORMAT) }),
      v.check(({ count, chosen }) => chosen <= count, 'expected no more experts to be chosen than there are'),
    ),
  ),
  sliding: v.optional(v.strictObject({ layers: COUNT, tokens: COUNT })),
  latent: v.optional(COUNT),
});

const HARDWARE = v.strictObject({
  name: LABEL,
  memory_gb: v.optional(AMOUNT),
  gb_per_second: v.optional(AMOUNT),
  tflops: v.optional(AMOUNT),
  fp8_tflops: v.optional(AMOUNT),
  link_gb_per_second: v.optional(AMOUNT),
});

const MOST = `expected at most ${FLOOR_ENTRIES_MAX_COUNT}`;

const PART = v.strictObject({
  models: v.optional(v.pipe(v.array(MODEL, 'expected a list'), v.maxLength(FLOOR_ENTRIES_MAX_COUNT, MOST)), []),
  hardware: v.optional(v.pipe(v.array(HARDWARE, 'expected a list'), v.maxLength(FLOOR_ENTRIES_MAX_COUNT, MOST)), []),
});

export type ModelEntry = v.InferOutput<typeof MODEL>;
export type HardwareEntry = v.InferOutput<typeof HARDWARE>;

/** The well-known models and accelerators with those of the key `floor` among them. */
export function checkFloor(raw: unknown): Checked<FloorCatalogue> {
  const models = new Map(KNOWN_MODELS.map((model) => [model.name, model]));
  const hardware = new Map(KNOWN_HARDWARE.map((each) => [each.name, each]));
  const parsed = v.safeParse(PART, raw ?? {});
  if (!parsed.success) return { value: { models, hardware }, faults: sentences('floor', parsed.issues, FIELDS) };
  const faults: string[] = [];
  const take = <Facts extends { readonly name: string }>(
    where: string,
    known: Map<string, Facts>,
    made: Made<Facts>,
  ): void => {
    if ('missing' in made)
      faults.push(`${where}: "${made.of}" is not well known, so it needs ${made.missing.join(', ')}.`);
    else known.set(made.name, made);
  };
  for (const [index, entry] of parsed.output.models.entries())
    take(`floor.models[${index}]`, models, modelOf(entry, models.get(entry.name)));
  for (const [index, entry] of parsed.output.hardware.entries())
    take(`floor.hardware[${index}]`, hardware, hardwareOf(entry, hardware.get(entry.name)));
  return { value: { models, hardware }, faults };
}

/** The facts, or the keys without which there are none. */
type Made<Facts> = Facts | { readonly of: string; readonly missing: readonly string[] };

/** What an entry leaves out is as of the well-known one of that name. */
export function modelOf(entry: ModelEntry, known: ModelFacts | undefined): Made<ModelFacts> {
  const parameterCount = entry.parameters ?? known?.parameterCount;
  const layerCount = entry.layers ?? known?.layerCount;
  const kvHeadCount = entry.kv_heads ?? known?.kvHeadCount;
  const headSize = entry.head_dim ?? known?.headSize;
  if (parameterCount === undefined || layerCount === undefined || kvHeadCount === undefined || headSize === undefined)
    return missing(entry, ['parameters', 'layers', 'kv_heads', 'head_dim']);
  const headCount = entry.heads ?? known?.headCount ?? kvHeadCount;
  const { experts, sliding, latent } = entry;
  return {
    ...known,
    name: entry.name,
    parameterCount,
    layerCount,
    kvHeadCount,
    headSize,
    headCount,
    hiddenSize: entry.hidden ?? known?.hiddenSize ?? headCount * headSize,
    format: entry.dtype ?? known?.format ?? 'bf16',
    ...(experts !== undefined && {
      experts: {
        count: experts.count,
        chosenCount: experts.chosen,
        parameterCount: experts.parameters,
        ...(experts.dtype !== undefined && { format: experts.dtype }),
      },
    }),
    ...(sliding !== undefined && { sliding: { layerCount: sliding.layers, tokenCount: sliding.tokens } }),
    ...(latent !== undefined && { latentSize: latent }),
    source: OWN,
  };
}

export function hardwareOf(entry: HardwareEntry, known: HardwareFacts | undefined): Made<HardwareFacts> {
  const memoryBytes = times(entry.memory_gb, 1e9) ?? known?.memoryBytes;
  const bytesPerSecond = times(entry.gb_per_second, 1e9) ?? known?.bytesPerSecond;
  const flopPerSecond = times(entry.tflops, 1e12) ?? known?.flopPerSecond;
  if (memoryBytes === undefined || bytesPerSecond === undefined || flopPerSecond === undefined)
    return missing(entry, ['memory_gb', 'gb_per_second', 'tflops']);
  const { fp8_tflops: fp8, link_gb_per_second: link } = entry;
  return {
    ...known,
    name: entry.name,
    memoryBytes,
    bytesPerSecond,
    flopPerSecond,
    ...(fp8 !== undefined && { fp8FlopPerSecond: fp8 * 1e12 }),
    ...(link !== undefined && { linkBytesPerSecond: link * 1e9 }),
    source: OWN,
  };
}

const OWN = 'as configured';

function times(value: number | undefined, factor: number): number | undefined {
  return value === undefined ? undefined : value * factor;
}

function missing<Entry extends { readonly name: string }>(entry: Entry, needed: readonly (keyof Entry & string)[]) {
  return { of: entry.name, missing: needed.filter((name) => entry[name] === undefined) };
}

/** What a route's floor rests on; undefined where nothing is said of it. `keys` are what it is said with. */
export function floorPlace(
  names: FloorNames,
  { models, hardware: accelerators }: FloorCatalogue,
  keys: { readonly model: string; readonly hardware: string },
): Checked<FloorPlace | undefined> {
  if (names.model === undefined && names.hardware === undefined) return { value: undefined, faults: [] };
  const faults: string[] = [];
  const model = pick(names.model, models, { own: keys.model, other: keys.hardware }, faults);
  const hardware = pick(names.hardware, accelerators, { own: keys.hardware, other: keys.model }, faults);
  const { tensorParallelCount = 1, weightsFormat, kvFormat = 'bf16' } = names;
  if (tensorParallelCount > 1 && hardware !== undefined && hardware.linkBytesPerSecond === undefined) {
    faults.push(`${keys.hardware}: of "${hardware.name}" no link is known, so layers cannot be split over several.`);
  }
  if (model === undefined || hardware === undefined || faults.length > 0) return { value: undefined, faults };
  return { value: { model, hardware, tensorParallelCount, weightsFormat, kvFormat }, faults };
}

function pick<Facts>(
  name: string | undefined,
  known: ReadonlyMap<string, Facts>,
  keys: { readonly own: string; readonly other: string },
  faults: string[],
): Facts | undefined {
  if (name === undefined) {
    faults.push(`${keys.other} needs ${keys.own} beside it: a floor is of a model on an accelerator.`);
    return undefined;
  }
  const facts = known.get(name);
  if (facts === undefined) {
    const guess = meant(name, [...known.keys()]);
    faults.push(
      `${keys.own}: "${name}" is not known.${guess} "rubato floor --list" shows all; one's own go under "floor" in a YAML file.`,
    );
  }
  return facts;
}

/** A name that only lacks its end has several it could mean: "h100" is three cards. */
function meant(word: string, names: readonly string[]): string {
  const longer = names.filter((name) => name.startsWith(word.toLowerCase())).map((name) => `"${name}"`);
  if (longer.length === 0) return didYouMean(word, names);
  const last = longer.pop() ?? '';
  return ` Did you mean ${longer.length === 0 ? last : `${longer.join(', ')} or ${last}`}?`;
}

/** Routes give their own; see the keys of the same names. */
export const FLOOR_ROUTE_FIELDS = {
  engine_model: v.optional(LABEL),
  engine_hardware: v.optional(LABEL),
  engine_tp: v.optional(
    v.pipe(COUNT, v.maxValue(TENSOR_PARALLEL_MAX_COUNT, `expected at most ${TENSOR_PARALLEL_MAX_COUNT}`)),
  ),
  engine_weights_dtype: v.optional(FORMAT),
  engine_kv_dtype: v.optional(FORMAT),
};

const FIELDS = [
  ...Object.keys(MODEL.entries),
  ...Object.keys(HARDWARE.entries),
  'models',
  'hardware',
  'count',
  'chosen',
  'tokens',
];
