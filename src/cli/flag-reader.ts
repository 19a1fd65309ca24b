// The flags that a command has of its own, beside those of the configuration: each is read, and what is wrong with
// any of them is told at once. Values of fields are never shown, for a key may stand in one.
import type { Command } from 'commander';
import type { Reader } from '../config/values.ts';

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Fields that frame the request are ours to write. */
const FRAMING = new Set(['content-length', 'transfer-encoding', 'connection', 'host', 'expect', 'upgrade']);

/** For a flag that may be given several times. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Adds what is wrong to `faults`, by the flag's name. */
export class FlagReader {
  readonly #given: Command;
  readonly #faults: string[];

  constructor(given: Command, faults: string[]) {
    this.#given = given;
    this.#faults = faults;
  }

  text(name: string): string | undefined {
    const value: unknown = this.#given.getOptionValue(name);
    return typeof value === 'string' ? value : undefined;
  }

  read<Value>(name: string, fallback: string | undefined, reader: Reader<Value>): Value | undefined {
    const result = reader(this.text(name) ?? fallback);
    if ('value' in result) return result.value;
    this.#faults.push(`--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: ${result.fault}.`);
    return undefined;
  }

  /** Of a flag that has no default: undefined where it is not given. */
  readGiven<Value>(name: string, reader: Reader<Value>): Value | undefined {
    return this.text(name) === undefined ? undefined : this.read(name, undefined, reader);
  }
}

/** Fields of a request, each as `name: value`. Names are shown where they are wrong, values never. */
export function readFields(texts: readonly string[], faults: string[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const text of texts) {
    const colon = text.indexOf(':');
    const name = text.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    const value = text.slice(colon + 1).trim();
    if (!NAME.test(name)) faults.push('--header: expected NAME: VALUE, such as "x-team: search".');
    else if (FRAMING.has(name)) faults.push(`--header: ${name} is written by rubato itself.`);
    else if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
      faults.push(`--header: the value of ${name} holds a character that no field may have.`);
    else fields[name] = value;
  }
  return fields;
}
