// When requests are due: moments drawn beforehand from a seed, in order and without end, whatever becomes of earlier
// requests. Lengths in ns since the run began. Knows nothing of what is sent.
import { seededRandom, type Random } from '../random.ts';

const NS_PER_S = 1e9;

export type Arrivals =
  /** Evenly spaced. */
  | { readonly kind: 'constant'; readonly perSecond: number }
  /** Independent of each other, as many users are. */
  | { readonly kind: 'poisson'; readonly perSecond: number }
  /** Gaps by a Gamma distribution: below a shape of 1 they come in bursts, above it more evenly than by chance. */
  | { readonly kind: 'gamma'; readonly perSecond: number; readonly shape: number }
  /** By chance for `onNs`, then nothing for `offNs`; the rate is that of the whole. */
  | { readonly kind: 'on_off'; readonly perSecond: number; readonly onNs: number; readonly offNs: number };

/** The moments at which requests are due. The same seed gives the same ones. */
export function* dueMoments(arrivals: Arrivals, seed: number): Generator<number, never> {
  const random = seededRandom(seed);
  const meanNs = NS_PER_S / arrivals.perSecond;
  let atNs = 0;
  for (let ordinal = 1; ; ordinal += 1) {
    // Multiplied, not summed: a thousand roundings would become a drift.
    if (arrivals.kind === 'constant') yield Math.round((ordinal - 1) * meanNs);
    else {
      atNs += gapNs(arrivals, meanNs, random);
      yield Math.round(arrivals.kind === 'on_off' ? withPauses(atNs, arrivals) : atNs);
    }
  }
}

function gapNs(arrivals: Exclude<Arrivals, { kind: 'constant' }>, meanNs: number, random: Random): number {
  switch (arrivals.kind) {
    case 'poisson':
      return exponential(random) * meanNs;
    case 'gamma':
      return (gamma(arrivals.shape, random) / arrivals.shape) * meanNs;
    case 'on_off':
      // Drawn on a clock that stands still while nothing is sent.
      return exponential(random) * meanNs * (arrivals.onNs / (arrivals.onNs + arrivals.offNs));
  }
}

function withPauses(busyNs: number, { onNs, offNs }: { readonly onNs: number; readonly offNs: number }): number {
  return busyNs + Math.floor(busyNs / onNs) * offNs;
}

function exponential(random: Random): number {
  return -Math.log(1 - random());
}

/** Two independent uniform numbers make one of the normal distribution (Box and Muller). */
export function normal(random: Random): number {
  return Math.sqrt(2 * exponential(random)) * Math.cos(2 * Math.PI * random());
}

/** Gamma with this shape and scale 1, by the method of Marsaglia and Tsang (2000). */
function gamma(shape: number, random: Random): number {
  // Below 1 from the next shape, as their paper has it in its last section.
  if (shape < 1) return gamma(shape + 1, random) * (1 - random()) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(random);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}
