// How long property tests run: as usual for a few hundred ms each, with FUZZ_FACTOR that many times as often.
// fast-check prints the seed of whatever fails; FUZZ_SEED plays one again (`npm run fuzz` names it beforehand).

const FACTOR = Number(process.env['FUZZ_FACTOR'] ?? 1);
const SEED = process.env['FUZZ_SEED'];

export interface FuzzParameters {
  readonly numRuns: number;
  readonly seed?: number;
}

/** The parameters of a property that usually runs so many times. */
export function fuzz(usualRunCount: number): FuzzParameters {
  return { numRuns: Math.ceil(usualRunCount * FACTOR), ...(SEED === undefined ? {} : { seed: Number(SEED) }) };
}

/** Wall time for one such property, on a machine that is busy with others. */
export const FUZZ_TIMEOUT_MS = 60_000 * Math.max(1, FACTOR);
