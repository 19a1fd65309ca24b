// The shape in which it is written down what an engine's metrics are called. Pure data: who reads a
// page by it is reading.ts, and which engines there are is tables.ts.
import type { EngineName } from '../../record/engines.ts';

/** The sum of all samples of one name whose labels have one of the stated values. */
export interface Pick {
  readonly name: string;
  readonly where?: Readonly<Record<string, readonly string[]>>;
}

/**
 * When an engine observes a duration of a request. `finish`: when the request is over. `start`: between
 * the request's arrival and its first token. Absent where it observes batches or on its own terms, so
 * that one observation is no request.
 */
export type ObservedAt = 'finish' | 'start';

/** A mean over a window: growth of a sum of seconds over growth of a count. */
export interface MeanPick {
  readonly sum: Pick;
  readonly count: Pick;
  readonly observedAt?: ObservedAt;
}

/** A share over a window: growth of a part over growth of the whole, or of the part and the rest. */
export type SharePick =
  | { readonly part: Pick; readonly whole: Pick }
  | { readonly part: Pick; readonly rest: Pick }
  | { readonly gauge: Pick };

/**
 * One engine. Each list holds the same thing under the names it had over time; the first name that a
 * page has counts.
 */
export interface EngineTable {
  readonly engine: EngineName;
  /** A page with a sample of one of these names comes from this engine. */
  readonly signs: readonly string[];
  /** A label that such a sample must have, where its name alone could be anybody's. */
  readonly signLabel?: string;
  /** Stands before other engines: it names the answer's maker, but what those state counts first. */
  readonly isFrontEnd?: true;
  /** Labels whose values repeat the same thing, as ranks of one model do: the largest of them counts. */
  readonly repeatedBy?: readonly string[];
  readonly running?: readonly Pick[];
  readonly waiting?: readonly Pick[];
  /** Share of the KV cache in use, 1 is all; the fullest of several counts. */
  readonly kvUsed?: readonly Pick[];
  readonly preempted?: readonly Pick[];
  readonly prefixHit?: readonly SharePick[];
  readonly draftAccepted?: readonly SharePick[];
  readonly generated?: readonly Pick[];
  readonly queue?: readonly MeanPick[];
  readonly prefill?: readonly MeanPick[];
  /** Arrival of a request → its end, observed at its end. */
  readonly whole?: readonly MeanPick[];
  readonly step?: readonly (MeanPick | { readonly gauge: Pick })[];
  /** What queue and prefill lie between, in the engine's own terms. */
  readonly definition?: string;
}

export function named(...names: readonly string[]): Pick[] {
  return names.map((name) => ({ name }));
}

/** A Prometheus histogram or summary of seconds. */
export function histogram(name: string, observedAt?: ObservedAt, where?: Pick['where']): MeanPick {
  const labels = where === undefined ? {} : { where };
  return {
    sum: { name: `${name}_sum`, ...labels },
    count: { name: `${name}_count`, ...labels },
    ...(observedAt !== undefined && { observedAt }),
  };
}

export function share(part: string, whole: string): SharePick {
  return { part: { name: part }, whole: { name: whole } };
}
