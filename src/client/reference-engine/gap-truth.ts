// Why a gap was longer than this stream's usual one, by the engine's own account: each mechanic's share of
// the excess, as differences of integers. The label of a stall is the mechanic with the largest share.
import { gapNsOf, type GapParts } from './gap-parts.ts';

export const MECHANICS = ['prefill', 'growth', 'preemption', 'host', 'speculation', 'stall', 'noise'] as const;
export type Mechanic = (typeof MECHANICS)[number];

export type Shares = Readonly<Record<Mechanic, number>>;

/** Gaps after which a stream has a usual one of its own; before, it is measured against itself alone. */
const USUAL_FROM_COUNT = 8;

/**
 * The gap that a stream is used to, from its gaps before: the one in the middle by length, with its parts.
 * A stream that has hardly begun is used to nothing, so it stands against the step that it would have had
 * alone in the engine.
 */
export function usualGap(before: readonly GapParts[], now: GapParts): GapParts {
  if (before.length < USUAL_FROM_COUNT) {
    const none = { prefillNs: 0, preemptedNs: 0, hostNs: 0, stallNs: 0, noiseNs: 0 };
    return { ...now, ...none, workNs: now.aloneNs };
  }
  const sorted = before.toSorted((a, b) => gapNsOf(a) - gapNsOf(b));
  return sorted[Math.ceil(sorted.length / 2) - 1] as GapParts;
}

/**
 * Shares of `gapNsOf(now)` less the usual pace, which they sum up to exactly. The pace is the usual gap over the
 * tokens that a step gives this stream in the mean: what it had been, had they come one by one. That they came
 * in bunches instead is the share of speculation.
 */
export function gapShares(usual: GapParts, now: GapParts, tokensPerStep: number): Shares {
  return {
    prefill: now.prefillNs - usual.prefillNs,
    growth: now.workNs - usual.workNs,
    preemption: now.preemptedNs - usual.preemptedNs,
    host: now.hostNs - usual.hostNs,
    speculation: Math.round(gapNsOf(usual) * (1 - 1 / tokensPerStep)),
    stall: now.stallNs - usual.stallNs,
    noise: now.noiseNs - usual.noiseNs,
  };
}

/** The largest of the shares that lengthened the gap; undefined where none did. */
export function largestShare<Name extends string>(shares: Readonly<Record<Name, number>>): Name | undefined {
  let largest: Name | undefined;
  for (const name of Object.keys(shares) as Name[]) {
    if (shares[name] > (largest === undefined ? 0 : shares[largest])) largest = name;
  }
  return largest;
}
