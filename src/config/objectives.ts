// What is promised of a class in YAML (`preset`, `objectives`, `job`) → objectives with their names, or every fault at
// once, each with its place. Knows nothing of files, and nothing of how objectives are judged.
import * as v from 'valibot';
import { JOB_DEADLINE_MAX_S, OBJECTIVES_MAX_COUNT } from '../base/objective-limits.ts';
import { type JobTerms, type Objective, type ObjectiveScope, PRESETS } from '../record/objective.ts';
import type { ClassSpec } from '../record/traffic-class.ts';
import { didYouMean } from './nearest.ts';
import { OBJECTIVE, type RawObjective, readFigure, SHARE, togetherFaults, WORDS } from './objective-schema.ts';
import { BATCH_INVALID_FINISHES, BATCH_VALID_TARGET, PRESET_OBJECTIVES, type Unnamed } from './presets.ts';
import { type Checked, sentences } from './schema.ts';
import { readChoice } from './values.ts';

export type Promises = Pick<ClassSpec, 'objectives' | 'job'>;

/** One class as YAML gives it. */
export type RawClass = Readonly<Record<string, unknown>>;

const NS_PER_MS = 1e6;
const MS_PER_SECOND = 1e3;

const DEADLINE_TEXT = `expected a number of seconds above 0 and up to ${JOB_DEADLINE_MAX_S}`;
const RATE_TEXT = 'expected a number of tokens a second above 0';
const JOB = v.strictObject({
  deadline_s: v.pipe(
    v.number(DEADLINE_TEXT),
    v.check((seconds) => seconds > 0 && seconds <= JOB_DEADLINE_MAX_S, DEADLINE_TEXT),
  ),
  output_tokens_per_second_min: v.optional(
    v.pipe(
      v.number(RATE_TEXT),
      v.check((rate) => rate > 0, RATE_TEXT),
    ),
  ),
  valid_target: v.optional(SHARE, BATCH_VALID_TARGET),
  invalid_finish_reasons: v.optional(WORDS, [...BATCH_INVALID_FINISHES]),
});

/** Every field of the schemas here, for guesses at what was meant. */
const FIELDS = [...Object.keys(OBJECTIVE.entries), ...Object.keys(JOB.entries)];

/** `place` names the class, such as `classes[0]`; `buckets` are the names of the prompt buckets that there are. */
export function checkPromises(raw: RawClass, place: string, buckets: readonly string[]): Checked<Promises> {
  const preset = checkPreset(raw['preset'], `${place}.preset`);
  const own = checkList(raw['objectives'], `${place}.objectives`, buckets);
  const job = checkJob(raw['job'], `${place}.job`);
  // What the class says itself of a figure stands in the place of all that the preset says of it.
  const said = new Set(own.value.map(({ figure }) => figure));
  const all = [...preset.value.filter(({ figure }) => !said.has(figure)), ...own.value];
  const objectives = withNames(all);
  return {
    value: {
      ...(objectives.length > 0 && { objectives }),
      ...(job.value !== undefined && { job: job.value }),
    },
    faults: [...preset.faults, ...own.faults, ...job.faults, ...listFaults(objectives, `${place}.objectives`)],
  };
}

function checkPreset(raw: unknown, place: string): Checked<readonly Unnamed[]> {
  if (raw === undefined) return { value: [], faults: [] };
  const read = readChoice(PRESETS)(raw);
  if ('value' in read) return { value: PRESET_OBJECTIVES[read.value], faults: [] };
  const guess = typeof raw === 'string' ? didYouMean(raw, PRESETS) : '';
  return { value: [], faults: [`${place}: ${read.fault}.${guess}`] };
}

function checkList(raw: unknown, place: string, buckets: readonly string[]): Checked<readonly Unnamed[]> {
  if (raw === undefined) return { value: [], faults: [] };
  if (!Array.isArray(raw)) return { value: [], faults: [`${place}: expected a list of objectives.`] };
  const checked = raw.map((item: unknown, index) => checkOne(item, `${place}[${index}]`, buckets));
  return { value: checked.flatMap(({ value }) => value ?? []), faults: checked.flatMap(({ faults }) => faults) };
}

/** Fields are looked at one by one and together, so that one fault does not hide another. */
function checkOne(raw: unknown, place: string, buckets: readonly string[]): Checked<Unnamed | undefined> {
  const parsed = v.safeParse(OBJECTIVE, raw);
  const faults = parsed.success ? [] : sentences(place, parsed.issues, FIELDS);
  const fields = typeof raw === 'object' && raw !== null ? (raw as RawClass) : {};
  const name = fields['objective'];
  const figure = typeof name === 'string' ? readFigure(name) : undefined;
  if (typeof figure === 'string') faults.push(`${place}.objective: ${figure}`);
  if (typeof figure === 'object') {
    faults.push(...togetherFaults(fields, figure.kind).map(({ field, text }) => `${place}.${field}: ${text}.`));
  }
  faults.push(...bucketFaults(fields['prompt_buckets'], `${place}.prompt_buckets`, buckets));
  if (!parsed.success || typeof figure !== 'object' || faults.length > 0) return { value: undefined, faults };
  const { kind, percent } = figure;
  const { max_ms: limitMs, target, invalid_finish_reasons: invalidFinishes, name: ownName } = parsed.output;
  const scope = scopeOf(parsed.output);
  const value: Unnamed = {
    figure: parsed.output.objective,
    kind,
    // Of a pooled percentile, the share of gaps that it stands for.
    target: target ?? (percent ?? 0) / 100,
    ...(ownName !== undefined && { name: ownName }),
    ...(percent !== undefined && { percent }),
    ...(limitMs !== undefined && { limitNs: Math.round(limitMs * NS_PER_MS) }),
    ...(scope !== undefined && { scope }),
    ...(invalidFinishes !== undefined && { invalidFinishes }),
  };
  return { value, faults };
}

function bucketFaults(raw: unknown, place: string, buckets: readonly string[]): string[] {
  if (!Array.isArray(raw)) return [];
  return raw.flatMap((name: unknown, index) => {
    if (typeof name !== 'string' || name === '' || buckets.includes(name)) return [];
    const guess = didYouMean(name, buckets);
    return [`${place}[${index}]: there is no such bucket; there are ${buckets.join(', ')}.${guess}`];
  });
}

function scopeOf(raw: RawObjective): ObjectiveScope | undefined {
  const scope = {
    ...(raw.prompt_buckets !== undefined && { promptBuckets: raw.prompt_buckets }),
    ...(raw.prompt_tokens_min !== undefined && { promptTokensMin: raw.prompt_tokens_min }),
    ...(raw.prompt_tokens_max !== undefined && { promptTokensMax: raw.prompt_tokens_max }),
    ...(raw.output_tokens_max !== undefined && { outputTokensMax: raw.output_tokens_max }),
  };
  return Object.keys(scope).length === 0 ? undefined : scope;
}

/** Each is named after its figure, and after its limit as well where a class has two of one figure. */
function withNames(unnamed: readonly Unnamed[]): Objective[] {
  return unnamed.map(({ figure, name, ...rest }) => {
    const isAlone = unnamed.filter((other) => other.figure === figure && other.name === undefined).length === 1;
    return { name: name ?? (isAlone ? figure : `${figure}${limitSuffix(rest.limitNs)}`), ...rest };
  });
}

function limitSuffix(limitNs: number | undefined): string {
  if (limitNs === undefined) return '';
  const limitMs = limitNs / NS_PER_MS;
  return limitMs % MS_PER_SECOND === 0 ? `_${limitMs / MS_PER_SECOND}s` : `_${limitMs}ms`;
}

function listFaults(objectives: readonly Objective[], place: string): string[] {
  const names = objectives.map(({ name }) => name);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  const faults = [...repeated].map(
    (name) => `${place}: two objectives would be counted as "${name}"; give one of them a name of its own.`,
  );
  if (objectives.length <= OBJECTIVES_MAX_COUNT) return faults;
  return [...faults, `${place}: ${objectives.length} objectives are more than the ${OBJECTIVES_MAX_COUNT} allowed.`];
}

function checkJob(raw: unknown, place: string): Checked<JobTerms | undefined> {
  if (raw === undefined) return { value: undefined, faults: [] };
  const parsed = v.safeParse(JOB, raw);
  if (!parsed.success) return { value: undefined, faults: sentences(place, parsed.issues, FIELDS) };
  const { deadline_s: deadlineS, output_tokens_per_second_min: rate, ...rest } = parsed.output;
  return {
    value: {
      deadlineMs: Math.round(deadlineS * MS_PER_SECOND),
      ...(rate !== undefined && { outputTokensPerSecondMin: rate }),
      validTarget: rest.valid_target,
      invalidFinishes: rest.invalid_finish_reasons,
    },
    faults: [],
  };
}
