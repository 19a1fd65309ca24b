// Recorded arrivals: when requests came, how long their prompts and answers were, and of which class they were. Reads
// a record file of rubato's, JSON lines, or CSV with a head line, one line at a time. Never a text of a conversation.
import { LOAD_TOKENS_MAX_COUNT, LOAD_TRACE_MAX_COUNT } from '../../base/load-limits.ts';
import { defined } from '../../measure/defined.ts';
import { asObject, parseJson } from '../../stream/json-value.ts';
import type { Recorded } from './plan.ts';

const NS_PER_MS = 1e6;
const MS_PER_S = 1e3;

/** An arrival as it was written: ns since 1970 have no room in a number. */
type Row = Omit<Recorded, 'atNs'> & { readonly atMs: number };

type Fields = Readonly<Record<string, unknown>>;

/**
 * Names by which a moment goes, and ms of one unit. `timestamp` is in ms, as traces of Mooncake have it; `TIMESTAMP`
 * of the Azure traces is a date.
 */
const MOMENTS: readonly (readonly [name: string, msOfUnit: number])[] = [
  ['at_ms', 1],
  ['at_s', MS_PER_S],
  ['timestamp', 1],
];
const PROMPTS = ['prompt_tokens', 'input_length', 'contexttokens'];
const OUTPUTS = ['output_tokens', 'output_length', 'generatedtokens'];

export interface ReadTrace {
  /** In order, the first at 0. */
  readonly recorded: readonly Recorded[];
  /** Lines that say no moment. */
  readonly leftOutCount: number;
  /** There were more arrivals than one run can have. */
  readonly isCut: boolean;
}

/** Takes lines in their order; `speed` 2 makes the trace go twice as fast. */
export class TraceReader {
  readonly #rows: Row[] = [];
  #columns: readonly string[] | undefined;
  #leftOutCount = 0;

  /** False once there are more arrivals than one run can have. */
  add(line: string): boolean {
    if (line.trim() === '') return true;
    const fields = this.#fieldsOf(line);
    if (fields === undefined) return true;
    const row = asObject(fields['record']) === undefined ? ofFields(fields) : ofRecord(fields);
    if (row === 'skip') return true;
    if (row === undefined) this.#leftOutCount += 1;
    else this.#rows.push(row);
    return this.#rows.length < LOAD_TRACE_MAX_COUNT;
  }

  finish(speed: number): ReadTrace {
    const sorted = this.#rows.toSorted((a, b) => a.atMs - b.atMs);
    const firstAtMs = sorted[0]?.atMs ?? 0;
    const recorded = sorted.map(({ atMs, ...rest }) =>
      Object.assign(rest, { atNs: Math.round(((atMs - firstAtMs) * NS_PER_MS) / speed) }),
    );
    return { recorded, leftOutCount: this.#leftOutCount, isCut: this.#rows.length >= LOAD_TRACE_MAX_COUNT };
  }

  /** Undefined for the head of a CSV. */
  #fieldsOf(line: string): Fields | undefined {
    if (line.trimStart().startsWith('{')) return asObject(parseJson(line)) ?? {};
    const cells = line.split(',').map((cell) => cell.trim().replaceAll(/^"|"$/g, ''));
    if (this.#columns === undefined) {
      this.#columns = cells.map((name) => name.toLowerCase());
      return undefined;
    }
    return Object.fromEntries(this.#columns.map((name, index) => [name, cells[index]]));
  }
}

/** A line `{ record, figures, … }`. What was seen before a hop was seen behind it as well, and jobs are no requests. */
function ofRecord({ record }: Fields): Row | 'skip' | undefined {
  const { openedAtEpochMs, edge, class: of, tokens, request } = asObject(record) ?? {};
  if (edge !== undefined) return 'skip';
  if (typeof openedAtEpochMs !== 'number') return undefined;
  const name = asObject(of)?.['name'];
  return {
    atMs: openedAtEpochMs,
    ...defined({
      class: classOf(name),
      promptTokens: tokensOf([asObject(tokens)?.['prompt'], asObject(request)?.['promptTokensEstimate']]),
      outputTokens: tokensOf([asObject(tokens)?.['output'], asObject(request)?.['maxTokens']]),
    }),
  };
}

function ofFields(fields: Fields): Row | 'skip' | undefined {
  if ('job' in fields) return 'skip';
  const atMs = momentOf(fields);
  if (atMs === undefined) return undefined;
  const name = fields['class'];
  return {
    atMs,
    ...defined({
      class: classOf(name),
      promptTokens: tokensOf(PROMPTS.map((column) => fields[column])),
      outputTokens: tokensOf(OUTPUTS.map((column) => fields[column])),
    }),
  };
}

/** It is sent as a field's value; what could be none is no class. */
function classOf(name: unknown): string | undefined {
  return typeof name === 'string' && /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name) ? name : undefined;
}

function momentOf(fields: Fields): number | undefined {
  for (const [name, msOfUnit] of MOMENTS) {
    const raw = fields[name];
    if (raw === undefined || raw === '') continue;
    const value = typeof raw === 'number' ? raw : Number(raw);
    if (Number.isFinite(value) && value >= 0) return value * msOfUnit;
    if (typeof raw === 'string') return dateMs(raw);
  }
  return undefined;
}

/** A date without a zone is taken for one of UTC, so that a trace is the same everywhere. */
function dateMs(text: string): number | undefined {
  const hasZone = /(?:z|[+-]\d\d:?\d\d)$/i.test(text);
  const ms = Date.parse(hasZone ? text : `${text.replace(' ', 'T')}Z`);
  return Number.isFinite(ms) ? ms : undefined;
}

/** The first that is a count; a request of no tokens cannot be asked for. */
function tokensOf(values: readonly unknown[]): number | undefined {
  for (const value of values) {
    const count = typeof value === 'string' && value !== '' ? Number(value) : value;
    if (typeof count === 'number' && Number.isInteger(count) && count >= 1)
      return Math.min(count, LOAD_TOKENS_MAX_COUNT);
  }
  return undefined;
}
