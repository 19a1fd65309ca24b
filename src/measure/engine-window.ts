// Splits the engine's window (request given to the engine's socket → first token received) into the
// wire, what evidence says about queue and prefill, and the rest. The parts sum to the window exactly
// and none is negative.
import type { Evidence } from '../record/stream-record.ts';
import { defined } from './defined.ts';

/** A deficit below this, or below one part in a hundred of TTFT, is rounding of two clocks. */
const ROUNDING_NS = 2_000_000;
const ROUNDING_TTFT_PARTS = 100;

export interface Claim {
  readonly basis: 'exact' | 'model' | 'none';
  readonly queueNs: number | undefined;
  readonly prefillNs: number | undefined;
}

export interface EngineWindow {
  readonly basis: Claim['basis'];
  readonly wireNs?: number;
  readonly queueNs?: number;
  readonly prefillNs?: number;
  readonly otherNs?: number;
  readonly engineNs?: number;
  readonly rounded: boolean;
  readonly contradicted: boolean;
}

export const NO_CLAIM: Claim = { basis: 'none', queueNs: undefined, prefillNs: undefined };

/** The pieces of evidence that queue and prefill rest on; the same piece, two, or only one of them. */
export interface Grounds {
  readonly basis: Evidence['basis'];
  readonly queue: Evidence | undefined;
  readonly prefill: Evidence | undefined;
}

/**
 * What to believe: exact statements if there are any, else modelled ones; never a mixture, because a
 * modelled queue holds contention that an exact one does not. Of one basis the first that states a part
 * counts, so the evidence must be in the order of its rank.
 */
export function groundsOf(evidence: readonly Evidence[]): Grounds | undefined {
  return groundsOn('exact', evidence) ?? groundsOn('model', evidence);
}

function groundsOn(basis: Evidence['basis'], evidence: readonly Evidence[]): Grounds | undefined {
  const matching = evidence.filter((one) => one.basis === basis);
  const queue = matching.find((one) => isLength(one.queueNs));
  const prefill = matching.find((one) => isLength(one.prefillNs));
  return queue === undefined && prefill === undefined ? undefined : { basis, queue, prefill };
}

export function strongestClaim(evidence: readonly Evidence[]): Claim {
  const grounds = groundsOf(evidence);
  if (grounds === undefined) return NO_CLAIM;
  return { basis: grounds.basis, queueNs: grounds.queue?.queueNs, prefillNs: grounds.prefill?.prefillNs };
}

/** Evidence comes from outside; only a whole number of ns can be part of an exact sum. */
function isLength(lengthNs: number | undefined): lengthNs is number {
  return Number.isSafeInteger(lengthNs) && (lengthNs as number) >= 0;
}

/** `wireNs` is a floor seen on other handshakes, so it yields first when the sum does not fit. */
export function splitWindow(windowNs: number, wireNs: number | undefined, claim: Claim, ttftNs: number): EngineWindow {
  const claimedNs = (wireNs ?? 0) + (claim.queueNs ?? 0) + (claim.prefillNs ?? 0);
  if (claimedNs <= windowNs)
    return filled(windowNs - claimedNs, wireNs, claim, { rounded: false, contradicted: false });
  const deficitNs = claimedNs - windowNs;
  if (deficitNs < ROUNDING_NS || deficitNs * ROUNDING_TTFT_PARTS < ttftNs) {
    const wire = take(wireNs, deficitNs);
    const queue = take(claim.queueNs, wire.owedNs);
    const prefill = take(claim.prefillNs, queue.owedNs);
    const fitted = { basis: claim.basis, queueNs: queue.leftNs, prefillNs: prefill.leftNs };
    return filled(0, wire.leftNs, fitted, { rounded: true, contradicted: false });
  }
  const cutWireNs = wireNs === undefined ? undefined : Math.min(wireNs, windowNs);
  return filled(windowNs - (cutWireNs ?? 0), cutWireNs, NO_CLAIM, { rounded: false, contradicted: true });
}

function take(partNs: number | undefined, owedNs: number): { leftNs: number | undefined; owedNs: number } {
  if (partNs === undefined) return { leftNs: undefined, owedNs };
  const takenNs = Math.min(partNs, owedNs);
  return { leftNs: partNs - takenNs, owedNs: owedNs - takenNs };
}

/** The rest is `other` only when queue and prefill are both known; else it still holds one of them. */
function filled(
  restNs: number,
  wireNs: number | undefined,
  claim: Claim,
  doubts: { readonly rounded: boolean; readonly contradicted: boolean },
): EngineWindow {
  const { basis, queueNs, prefillNs } = claim;
  const complete = queueNs !== undefined && prefillNs !== undefined;
  const rest = complete ? { otherNs: restNs } : { engineNs: restNs };
  return { basis, ...defined({ wireNs, queueNs, prefillNs }), ...rest, ...doubts };
}
