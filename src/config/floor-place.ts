// What a route's floor rests on: the keys that name a model and an accelerator, of all routes and of one. Faults are
// sentences that name the key. Knows nothing of flags or files.
import * as v from 'valibot';
import { TENSOR_PARALLEL_MAX_COUNT } from '../base/floor-limits.ts';
import type { FloorPlace, ModelFacts, NumberFormat } from '../record/floor-facts.ts';
import { checkFloor, COUNT, FORMAT, type FloorCatalogue } from './floor-catalogue.ts';
import { didYouMean } from './nearest.ts';
import { type Checked, LABEL } from './schema.ts';

/** What is said of the engine behind a route, where anything is. */
export interface FloorNames {
  readonly model: string | undefined;
  readonly hardware: string | undefined;
  readonly tensorParallelCount: number | undefined;
  readonly weightsFormat: NumberFormat | undefined;
  readonly kvFormat: NumberFormat | undefined;
}

/** What a route's floor rests on; undefined where nothing is said of it. `keys` are what it is said with. */
export function floorPlace(
  names: FloorNames,
  { models, hardware: accelerators }: FloorCatalogue,
  keys: { readonly model: string; readonly hardware: string },
): Checked<FloorPlace | undefined> {
  if (Object.values(names).every((name) => name === undefined)) return { value: undefined, faults: [] };
  const faults: string[] = [];
  if (names.model === undefined && names.hardware === undefined) {
    return { value: undefined, faults: [`${keys.model} and ${keys.hardware} are needed with the keys beside them.`] };
  }
  const model = pick(names.model, models, { own: keys.model, other: keys.hardware }, faults);
  const hardware = pick(names.hardware, accelerators, { own: keys.hardware, other: keys.model }, faults);
  const { tensorParallelCount = 1, weightsFormat, kvFormat = 'bf16' } = names;
  if (tensorParallelCount > 1 && hardware !== undefined && hardware.linkBytesPerSecond === undefined) {
    faults.push(`${keys.hardware}: of "${hardware.name}" no link is known, so layers cannot be split over several.`);
  }
  if (model !== undefined)
    faults.push(...contradictions(model).map((fault) => `${keys.model}: "${model.name}" ${fault}.`));
  if (model === undefined || hardware === undefined || faults.length > 0) return { value: undefined, faults };
  return { value: { model, hardware, tensorParallelCount, weightsFormat, kvFormat }, faults };
}

/** A part that is larger than the whole would be read in less than no time. */
function contradictions({
  parameterCount,
  layerCount,
  headCount,
  kvHeadCount,
  experts,
  sliding,
}: ModelFacts): string[] {
  return [
    ...((experts?.parameterCount ?? 0) > parameterCount ? ['has more parameters in its experts than in all'] : []),
    ...((sliding?.layerCount ?? 0) > layerCount ? ['has more layers with a sliding window than layers'] : []),
    ...(kvHeadCount > headCount ? ['has more KV heads than heads'] : []),
  ];
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

/** The single keys as routes fall back to them. */
export interface FloorDefaults {
  readonly names: FloorNames;
  readonly catalogue: FloorCatalogue;
  /** What the single keys come to, with what is wrong with them. */
  readonly place: FloorPlace | undefined;
  readonly faults: readonly string[];
}

/** What `floorDefaults` reads of the configuration's values. */
export interface FloorValues {
  readonly 'engine-model'?: string;
  readonly 'engine-hardware'?: string;
  readonly 'engine-tp'?: number;
  readonly 'engine-weights-dtype'?: NumberFormat;
  readonly 'engine-kv-dtype'?: NumberFormat;
}

/** Faults beside the value are of the YAML key `floor`. */
export function floorDefaults(raw: unknown, values: FloorValues): Checked<FloorDefaults> {
  const { value: catalogue, faults } = checkFloor(raw);
  const names: FloorNames = {
    model: values['engine-model'],
    hardware: values['engine-hardware'],
    tensorParallelCount: values['engine-tp'],
    weightsFormat: values['engine-weights-dtype'],
    kvFormat: values['engine-kv-dtype'],
  };
  const place = floorPlace(names, catalogue, { model: '--engine-model', hardware: '--engine-hardware' });
  return { value: { names, catalogue, place: place.value, faults: place.faults }, faults };
}

/** Fields of a route, see the keys of the same names. */
export const FLOOR_ROUTE_FIELDS = {
  engine_model: v.optional(LABEL),
  engine_hardware: v.optional(LABEL),
  engine_tp: v.optional(
    v.pipe(COUNT, v.maxValue(TENSOR_PARALLEL_MAX_COUNT, `expected at most ${TENSOR_PARALLEL_MAX_COUNT}`)),
  ),
  engine_weights_dtype: v.optional(FORMAT),
  engine_kv_dtype: v.optional(FORMAT),
};

export interface FloorRoute {
  readonly engine_model?: string | undefined;
  readonly engine_hardware?: string | undefined;
  readonly engine_tp?: number | undefined;
  readonly engine_weights_dtype?: NumberFormat | undefined;
  readonly engine_kv_dtype?: NumberFormat | undefined;
}

/** What a route leaves out is as by the single keys: formats too, unless it serves another model. */
export function routeFloor(route: FloorRoute, where: string, { names, catalogue, place }: FloorDefaults) {
  const own: FloorNames = {
    model: route.engine_model,
    hardware: route.engine_hardware,
    tensorParallelCount: route.engine_tp,
    weightsFormat: route.engine_weights_dtype,
    kvFormat: route.engine_kv_dtype,
  };
  if (Object.values(own).every((name) => name === undefined)) return { value: place, faults: [] };
  const isSameModel = own.model === undefined || own.model === names.model;
  const merged: FloorNames = {
    model: own.model ?? names.model,
    hardware: own.hardware ?? names.hardware,
    tensorParallelCount: own.tensorParallelCount ?? (isSameModel ? names.tensorParallelCount : undefined),
    weightsFormat: own.weightsFormat ?? (isSameModel ? names.weightsFormat : undefined),
    kvFormat: own.kvFormat ?? (isSameModel ? names.kvFormat : undefined),
  };
  return floorPlace(merged, catalogue, { model: `${where}.engine_model`, hardware: `${where}.engine_hardware` });
}
