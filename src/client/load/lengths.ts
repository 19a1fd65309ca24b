// How long prompts and answers are: a fixed length, evenly between two, lognormal as real ones are, or out of a list.
// Read from one word of the command line; drawn from a seed.
import { LOAD_LENGTHS_MAX_COUNT, LOAD_TOKENS_MAX_COUNT } from '../../base/load-limits.ts';
import { integerBetween, type Random } from '../random.ts';
import { normal } from './arrivals.ts';

export type Lengths =
  /** Both bounds included; a fixed length has two that are alike. */
  | { readonly kind: 'uniform'; readonly least: number; readonly most: number }
  /** `spread` is the standard deviation of the logarithm; cut off at `most`. */
  | { readonly kind: 'lognormal'; readonly median: number; readonly spread: number; readonly most: number }
  | { readonly kind: 'list'; readonly lengths: readonly number[] };

export const LENGTHS_HELP = '256, 64-512, lognormal:200,0.8, lognormal:200,0.8,4000 (at most), or a list 32,64,128';

/** Where nothing else bounds a lognormal length: three in a million of the usual spread lie beyond. */
const LOGNORMAL_MOST_RATIO = 64;

/** Undefined for a word that says no length. */
export function readLengths(word: string): Lengths | undefined {
  const lognormal = /^lognormal:(\d{1,7}),(\d+(?:\.\d+)?)(?:,(\d{1,7}))?$/.exec(word);
  if (lognormal !== null) {
    const [median, spread] = [Number(lognormal[1]), Number(lognormal[2])];
    const most = lognormal[3] === undefined ? median * LOGNORMAL_MOST_RATIO : Number(lognormal[3]);
    const isFit = isTokens(median) && spread <= 5 && most >= median && isTokens(Number(lognormal[3] ?? median));
    return isFit ? { kind: 'lognormal', median, spread, most: Math.min(most, LOAD_TOKENS_MAX_COUNT) } : undefined;
  }
  const range = /^(\d{1,7})-(\d{1,7})$/.exec(word);
  if (range !== null) {
    const [least, most] = [Number(range[1]), Number(range[2])];
    return isTokens(least) && isTokens(most) && least <= most ? { kind: 'uniform', least, most } : undefined;
  }
  const lengths = word.split(',').map((part) => (/^\d{1,7}$/.test(part) ? Number(part) : Number.NaN));
  if (!lengths.every(isTokens) || lengths.length > LOAD_LENGTHS_MAX_COUNT) return undefined;
  const [only = 1] = lengths;
  return lengths.length === 1 ? { kind: 'uniform', least: only, most: only } : { kind: 'list', lengths };
}

export function drawLength(lengths: Lengths, random: Random): number {
  switch (lengths.kind) {
    case 'uniform':
      return integerBetween(random, lengths.least, lengths.most);
    case 'lognormal': {
      const drawn = Math.round(lengths.median * Math.exp(lengths.spread * normal(random)));
      return Math.min(lengths.most, Math.max(1, drawn));
    }
    case 'list':
      return lengths.lengths[integerBetween(random, 0, lengths.lengths.length - 1)] ?? 1;
  }
}

export function lengthsText(lengths: Lengths): string {
  switch (lengths.kind) {
    case 'uniform':
      return lengths.least === lengths.most ? String(lengths.least) : `${lengths.least}-${lengths.most}`;
    case 'lognormal':
      return `lognormal:${lengths.median},${lengths.spread},${lengths.most}`;
    case 'list':
      return lengths.lengths.join(',');
  }
}

function isTokens(count: number): boolean {
  return count >= 1 && count <= LOAD_TOKENS_MAX_COUNT;
}
