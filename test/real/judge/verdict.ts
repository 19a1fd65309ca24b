// Compares what rubato recorded of an exchange with what its engine stated, and says in words what is wrong.
import type { Split } from '../../../src/measure/figures.ts';
import type { RecordEntry } from '../../support/sidecar.ts';

const TOLERANCE_MS = 1;
const TOLERANCE_SHARE = 0.01;

/** A length that an engine stated: so much may ours differ from it. */
export function toleranceMs(statedMs: number): number {
  return Math.max(TOLERANCE_MS, statedMs * TOLERANCE_SHARE);
}

/** The split of an exchange, or an error that says why there is none. */
export function splitOf(entry: RecordEntry | undefined): Split {
  const split = entry?.figures.split;
  if (split === undefined) throw new Error(`no split: ${JSON.stringify(entry?.record.end ?? 'no record')}`);
  return split;
}

/** What is wrong with the parts of a split as such: unknown, negative, broken, or not the whole. */
export function faultsOfParts({ figures, record }: RecordEntry): string[] {
  const split = figures.split;
  if (split === undefined) return ['there is no split'];
  const { queueNs, prefillNs, networkNs, rubatoNs, otherNs } = split;
  const parts = { queueNs, prefillNs, networkNs, rubatoNs, otherNs };
  const sumNs = Object.values(parts).reduce<number>((sum, part) => sum + (part ?? Number.NaN), 0);
  const bad = Object.entries(parts).filter(([, part]) => !Number.isInteger(part) || (part as number) < 0);
  return [
    ...(split.basis === 'exact' ? [] : [`the basis is ${split.basis} (${record.doubts.join(', ')})`]),
    ...bad.map(([name, part]) => `${name} is ${part}`),
    ...(sumNs === figures.ttftNs ? [] : [`the parts sum to ${sumNs} and TTFT is ${figures.ttftNs}`]),
  ];
}

/** One length against the engine's; `undefined` when they agree. */
export function disagreement(what: string, oursNs: number | undefined, statedMs: number): string | undefined {
  const oursMs = (oursNs ?? Number.NaN) / 1e6;
  return Math.abs(oursMs - statedMs) <= toleranceMs(statedMs)
    ? undefined
    : `${what} is ${oursMs.toFixed(3)} ms here and ${statedMs.toFixed(3)} ms by the engine`;
}

/** How far apart two series of lengths are, for a line that people read. */
export function spread(differencesMs: readonly number[]): string {
  const sorted = differencesMs.map(Math.abs).toSorted((left, right) => left - right);
  const at = (share: number): string => (sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN).toFixed(3);
  return `p50 ${at(0.5)} p90 ${at(0.9)} max ${at(1)} ms`;
}
