// The models and accelerators that are known by name: the well-known ones, and those of one's own that the key
// `floor` describes. Faults are sentences without a place. Knows nothing of flags, files or routes.
import * as v from 'valibot';
import { FLOOR_ENTRIES_MAX_COUNT } from '../base/floor-limits.ts';
import { type HardwareFacts, type ModelFacts, NUMBER_FORMATS } from '../record/floor-facts.ts';
import { KNOWN_HARDWARE } from '../record/known-hardware.ts';
import { KNOWN_MODELS } from '../record/known-models.ts';
import { byReader, type Checked, LABEL, sentences } from './schema.ts';
import { readChoice } from './values.ts';

/** By name; one's own take the place of well-known ones. */
export interface FloorCatalogue {
  readonly models: ReadonlyMap<string, ModelFacts>;
  readonly hardware: ReadonlyMap<string, HardwareFacts>;
}

export const COUNT = v.pipe(
  v.number('expected a number'),
  v.integer('expected a whole number'),
  v.minValue(1, 'expected at least 1'),
);
const AMOUNT = v.pipe(
  v.number('expected a number'),
  v.finite('expected a number'),
  v.gtValue(0, 'expected a number above 0'),
);
export const FORMAT = byReader(readChoice(NUMBER_FORMATS));

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

const FIELDS = [
  ...Object.keys(MODEL.entries),
  ...Object.keys(HARDWARE.entries),
  'models',
  'hardware',
  'count',
  'chosen',
  'tokens',
];
