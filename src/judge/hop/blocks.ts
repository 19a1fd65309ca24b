// Blocks by which a hop gives out what it has: as many bytes each time, to the byte, wherever in an event that is.
// Nothing else does that. Pure.
import type { Release } from './reads.ts';

const EXACT_RATIO = 0.75;
const BLOCKS_LEAST_COUNT = 2;
/** Smaller ones are what events themselves have. */
const BLOCK_LEAST_BYTES = 512;
/** Buffers have round sizes; or they are what fits into segments of the usual networks. */
const ROUND_BYTES = [128, 1_460, 1_448, 1_368];

/** The block; undefined where most releases are not whole ones, or where they are whole events after all. */
export function exactBlock(releases: readonly Release[]): number | undefined {
  // The first has the head's share of a block missing, and the last is what was left.
  const middle = releases.slice(1, -1);
  const block = mostCommon(middle.map(({ outerBytes }) => outerBytes));
  if (middle.length < BLOCKS_LEAST_COUNT || !isRound(block)) return undefined;
  const exact = middle.filter(({ outerBytes }) => outerBytes > 0 && outerBytes % block === 0);
  // Events of one length make releases of one length too; these end where events do.
  const cutting = exact.filter(({ outerBytes, innerBytes }) => outerBytes !== innerBytes);
  const isBlock = exact.length >= EXACT_RATIO * middle.length && cutting.length >= EXACT_RATIO * exact.length;
  return isBlock ? block : undefined;
}

function isRound(block: number): boolean {
  return block >= BLOCK_LEAST_BYTES && ROUND_BYTES.some((bytes) => block % bytes === 0);
}

function mostCommon(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let best = 0;
  for (const [value, count] of counts) {
    const most = counts.get(best) ?? 0;
    if (count > most || (count === most && value < best)) best = value;
  }
  return best;
}
