// What is promised of the classes of a load: by a configuration of rubato's, and by --slo, which adds to it. One
// place says what an objective may be, and it is that of the configuration.
import { bucketNames } from '../record/bucket-names.ts';
import type { ClassSpec } from '../record/traffic-class.ts';
import { PROMPT_BUCKET_EDGES } from '../measure/buckets.ts';
import { STALL_DEFAULT_MS } from '../client/load/exchange-of.ts';
import { checkPromises } from '../config/objectives.ts';
import { configurationFailure, usageFailure } from './failures.ts';
import type { Io } from './io.ts';
import { loadClasses } from './load-classes.ts';
import type { LoadFlags } from './load-options.ts';

/** By the names of the classes of the mix. */
export function promisedOf(flags: LoadFlags, io: Io): ReadonlyMap<string, ClassSpec> {
  const configured = flags.configFile === undefined ? [] : classesOf(flags.configFile, io);
  const specs = new Map<string, ClassSpec>();
  const faults: string[] = [];
  const names = namesOf(flags, configured);
  for (const name of names) {
    const base = configured.find((spec) => spec.name === name) ?? { name, stallMs: STALL_DEFAULT_MS, rules: [] };
    const words = flags.slo.filter((word) => word.class === undefined || word.class === name);
    const raw = { objectives: words.map((word) => word.raw) };
    const checked = checkPromises(raw, '--slo', bucketNames(PROMPT_BUCKET_EDGES));
    faults.push(...checked.faults.map(inFlags));
    const own = checked.value.objectives ?? [];
    // What the flags say of a figure stands in the place of what the configuration says of it.
    const kept = (base.objectives ?? []).filter(
      (before) => !own.some(({ kind, percent }) => kind === before.kind && percent === before.percent),
    );
    const objectives = [...kept, ...own];
    specs.set(name, objectives.length > 0 ? { ...base, objectives } : base);
  }
  for (const { class: name } of flags.slo) {
    if (name !== undefined && !names.includes(name)) faults.push(`--slo: there is no class "${name}" in this load.`);
  }
  if (faults.length > 0) throw usageFailure([...new Set(faults)]);
  return specs;
}

/** A trace names classes of its own. */
function namesOf({ classes, load }: LoadFlags, configured: readonly ClassSpec[]): string[] {
  const more = load.kind === 'recorded' ? configured.map(({ name }) => name) : [];
  return [...new Set([...classes.map(({ name }) => name), ...more])];
}

function classesOf(path: string, io: Io): readonly ClassSpec[] {
  const loaded = loadClasses(path, io);
  if ('faults' in loaded) throw configurationFailure(loaded.faults);
  return loaded.config.classes;
}

/** The place is a list in YAML; here it is one flag. */
function inFlags(fault: string): string {
  return fault.replace(
    /^--slo\.objectives(\[\d+\])?(\.\w+)?:/,
    (_, __, field: string | undefined) => `--slo:${field === undefined ? '' : ` ${field.slice(1)}:`}`,
  );
}
