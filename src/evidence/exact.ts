// What every exact source needs: numbers as engines state them, brought to integer ns or refused, and
// the evidence made of them. Knows no engine.
import type { Evidence } from '../record/stream-record.ts';
import { NOTHING_STATED, type EvidenceSubject } from './source.ts';

export const NS_PER_MS = 1_000_000;
export const NS_PER_S = 1_000_000_000;

/** No request waits for a day: -1 for "unknown", instants taken for lengths and wrong units end here. */
const LENGTH_MAX_NS = 86_400 * NS_PER_S;

/**
 * A number of an answer by its path, wherever the Responses API may have put it. Most engines state nothing, and are
 * asked for some forty names: names that are put together anew were a twentieth of what an exchange costs at its end.
 */
export function stated({ statements }: EvidenceSubject, path: string): number | undefined {
  return statements === NOTHING_STATED ? undefined : (statements[path] ?? statements[inResponse(path)]);
}

/** By path; sources ask for a fixed set of them. */
const IN_RESPONSE = new Map<string, string>();

function inResponse(path: string): string {
  let name = IN_RESPONSE.get(path);
  if (name === undefined) IN_RESPONSE.set(path, (name = `response.${path}`));
  return name;
}

/** A stated length in integer ns; undefined when there is none or it cannot be one. */
export function lengthNs(value: number | undefined, nsPerUnit: number): number | undefined {
  if (value === undefined || !(value >= 0)) return undefined;
  const ns = Math.round(value * nsPerUnit);
  // Adding 0 turns -0 into 0, which JSON would do later and a replay then differ.
  return ns <= LENGTH_MAX_NS ? ns + 0 : undefined;
}

export interface ExactLengths {
  readonly queueNs?: number | undefined;
  readonly prefillNs?: number | undefined;
  /** See {@link Evidence.definition}. */
  readonly definition?: string | undefined;
}

/** Undefined when the source knows neither length. */
export function exactEvidence(source: string, { queueNs, prefillNs, definition }: ExactLengths): Evidence | undefined {
  if (queueNs === undefined && prefillNs === undefined) return undefined;
  return {
    source,
    basis: 'exact',
    ...(definition === undefined ? {} : { definition }),
    ...(queueNs === undefined ? {} : { queueNs }),
    ...(prefillNs === undefined ? {} : { prefillNs }),
  };
}
