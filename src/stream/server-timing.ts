// The field Server-Timing (W3C Server Timing, section "The Server-Timing Header Field"): a list of
// names, each with parameters of which `dur` is a length in ms and `desc` a text that may be quoted.
import { HEAD_LIST_MAX_COUNT } from '../base/limits.ts';

export interface ServerTimingEntry {
  /** Lower case. */
  readonly name: string;
  /** Absent when the entry has none, or one that is no number. */
  readonly durationMs?: number;
}

const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const BLANK = /[ \t]*/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/y;
/** What a parser skips after a fault: up to the next entry, past quoted texts, which may hold commas. */
const REST_OF_ENTRY = /(?:"(?:[^"\\]|\\.)*"?|[^",])*/y;
const REST_OF_PARAMETER = /(?:"(?:[^"\\]|\\.)*"?|[^",;])*/y;
const NUMBER = /^\+?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})$/;

/** The entries in order. What is malformed is left out, without the entries beside it. */
export function parseServerTiming(value: string): ServerTimingEntry[] {
  const scanner = new Scanner(value);
  const entries: ServerTimingEntry[] = [];
  while (!scanner.atEnd && entries.length < HEAD_LIST_MAX_COUNT) {
    scanner.take(BLANK);
    const name = scanner.take(TOKEN);
    if (name !== undefined && name !== '') entries.push(readEntry(name.toLowerCase(), scanner));
    scanner.take(REST_OF_ENTRY);
    scanner.skip(',');
  }
  return entries;
}

function readEntry(name: string, scanner: Scanner): ServerTimingEntry {
  let durationMs: number | undefined;
  let seen = false;
  scanner.take(BLANK);
  while (scanner.skip(';')) {
    scanner.take(BLANK);
    const parameter = scanner.take(TOKEN)?.toLowerCase();
    const value = readValue(scanner);
    scanner.take(REST_OF_PARAMETER);
    // Of a parameter that comes twice the first one counts, even when it is no number.
    if (parameter !== 'dur' || seen) continue;
    seen = true;
    durationMs = value !== undefined && NUMBER.test(value) ? Number(value) : undefined;
  }
  return durationMs === undefined ? { name } : { name, durationMs };
}

function readValue(scanner: Scanner): string | undefined {
  scanner.take(BLANK);
  if (!scanner.skip('=')) return undefined;
  scanner.take(BLANK);
  const quoted = scanner.take(QUOTED);
  return quoted === undefined ? scanner.take(TOKEN) : quoted.slice(1, -1).replaceAll(/\\(.)/g, '$1');
}

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** What the sticky pattern matches here, which may be nothing; undefined when it does not match. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }
}
