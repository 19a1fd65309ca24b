// Where a key's value comes from: flag, then environment, then YAML, then default. Finds and reads
// each value and says in a fault where it stood. Knows nothing of how values depend on each other.
import { envName, flagName, KEY_NAMES, keySpec, type KeyName, type KeyValues, STRUCTURED_KEYS } from './keys.ts';
import { didYouMean } from './nearest.ts';
import { readYaml, type YamlEntry } from './yaml-file.ts';

/** A flag's value as the command line gave it: text, all texts of a list, or true when it stood alone. */
export type FlagValue = string | readonly string[] | true;
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Sources {
  readonly flags: Readonly<Partial<Record<KeyName, FlagValue>>>;
  readonly env: Environment;
  /** Throws like `fs.readFileSync` when the file cannot be read. */
  readonly readFile: (path: string) => string;
}

export interface ConfigFile {
  /** Absent when no file was named. */
  readonly path: string | undefined;
  readonly entries: ReadonlyMap<string, YamlEntry>;
  /** False when a file was named and its keys could not be had. */
  readonly isRead: boolean;
}

/** A value before it is read, and how to speak of the place it came from. */
interface Found {
  readonly raw: unknown;
  readonly place: string;
}

const NO_FILE: ConfigFile = { path: undefined, entries: new Map(), isRead: true };

/** An empty variable counts as unset, as the OpenTelemetry specification has it for its own. */
export function find(sources: Sources, file: ConfigFile, name: KeyName): Found | undefined {
  const flag = sources.flags[name];
  if (flag !== undefined) return { raw: flag, place: flagName(name) };
  const variable = sources.env[envName(name)];
  if (variable !== undefined && variable !== '') return { raw: variable, place: envName(name) };
  const entry = file.entries.get(name);
  return entry && { raw: entry.raw, place: `${file.path ?? ''}, line ${entry.line}, ${name}` };
}

export function loadFile(sources: Sources, faults: string[]): ConfigFile {
  const found = find(sources, NO_FILE, 'config');
  if (typeof found?.raw !== 'string') return NO_FILE;
  const path = found.raw;
  const text = tryRead(sources, path, found.place, faults);
  if (text === undefined) return { path, entries: new Map(), isRead: false };
  const yaml = readYaml(text, path);
  faults.push(...yaml.faults);
  const known = [...KEY_NAMES, ...Object.keys(STRUCTURED_KEYS)];
  for (const [name, { line }] of yaml.entries) {
    const place = `${path}, line ${line}`;
    if (name === 'config') faults.push(`${place}: a configuration file cannot name another one; remove "config".`);
    else if (!known.includes(name)) faults.push(`${place}: there is no key "${name}".${didYouMean(name, known)}`);
  }
  return { path, entries: yaml.entries, isRead: yaml.faults.length === 0 };
}

/** A value that cannot be read becomes a fault and the default, so that later checks still run. */
export function readValues(sources: Sources, file: ConfigFile, faults: string[]): KeyValues {
  const values: Record<string, unknown> = {};
  for (const name of KEY_NAMES) {
    const { fallback, isSwitch, placeholder, read } = keySpec(name);
    const byDefault = fallback === undefined ? undefined : read(fallback);
    if (byDefault !== undefined && 'value' in byDefault) values[name] = byDefault.value;
    const found = find(sources, file, name);
    if (found === undefined) continue;
    if (sources.flags[name] === true && isSwitch === undefined) {
      faults.push(`${found.place} needs a value: ${found.place} ${placeholder}.`);
      continue;
    }
    const result = read(found.raw);
    if ('fault' in result) faults.push(`${found.place}: ${result.fault}.`);
    else values[name] = result.value;
  }
  // Each reader in the table gives the type its key is declared with; the loop cannot show that.
  return values as KeyValues;
}

const FILE_REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder, not a file',
};

export function tryRead(sources: Sources, path: string, place: string, faults: string[]): string | undefined {
  try {
    return sources.readFile(path);
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code ?? 'unknown error');
    faults.push(`${place}: cannot read ${path}: ${FILE_REASONS[code] ?? code}. Check the path and try again.`);
    return undefined;
  }
}
