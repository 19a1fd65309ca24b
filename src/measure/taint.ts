// Which gaps cannot be trusted, and why. A stamp is late by at most its error bound: the time for
// which the relay's loop was busy before it. A gap is as good as its worse end.
//
//   gap ──┤                                   ├──  read
//         previous read                  ├─────┤   uncertain window: the read came somewhere in here
//                                       error bound
import { ERROR_BOUND_MAX_NS } from '../base/limits.ts';
import type { MetricSpec } from '../base/metric-spec.ts';
import type { BlockedLog } from './blocked-log.ts';
import { TAINT_CAUSES, type TaintCause } from './figures.ts';
import type { PauseLog, Window } from './pause-log.ts';

/** Bounds up to this are always good enough, as no figure of ours is meant finer. */
const GOOD_BOUND_NS = 1_000_000;
/** Above that, a bound may be one part in so many of the gap: 5 %. */
const GAP_PARTS = 20;
/** One received gap: from the previous read with generated fragments to the next. */
export interface GapEnds {
  readonly startAtNs: number;
  readonly endAtNs: number;
  /** Upper bounds of the errors of the two moments. */
  readonly startBoundNs: number;
  readonly endBoundNs: number;
  /** Reads with generated fragments before the one that ends the gap; pauses known later are not looked at. */
  readonly readsBefore: number;
}

/** Whether a stamp is so good that no gap which it ends or begins is tainted for it. */
export function isGoodBound(boundNs: number): boolean {
  return boundNs <= GOOD_BOUND_NS;
}

/** Why a gap is tainted, or undefined when it is good. The pause that gave the cause is kept for good. */
export function taintCause(gap: GapEnds, blocked: BlockedLog, pauses: PauseLog): TaintCause | undefined {
  const { startAtNs, endAtNs, startBoundNs, endBoundNs } = gap;
  // Our clock is monotonic; should it ever step back, a negative length must not poison a sum.
  if (endAtNs < startAtNs) return 'clock';
  if (blocked.overlaps(startAtNs, endAtNs)) return 'backpressure';
  const windows: Window[] = [];
  if (isBad(startBoundNs, endAtNs - startAtNs)) windows.push({ fromNs: startAtNs - startBoundNs, toNs: startAtNs });
  if (isBad(endBoundNs, endAtNs - startAtNs)) windows.push({ fromNs: endAtNs - endBoundNs, toNs: endAtNs });
  if (windows.length === 0) return undefined;
  return pauses.causeIn(windows, gap.readsBefore) ?? 'loop';
}

function isBad(boundNs: number, lengthNs: number): boolean {
  return boundNs >= ERROR_BOUND_MAX_NS || (!isGoodBound(boundNs) && boundNs * GAP_PARTS > lengthNs);
}

export const GAPS_TAINTED: MetricSpec = {
  name: 'rubato.gaps.tainted',
  type: 'counter',
  unit: '{gap}',
  help:
    'Gaps between consecutive reads with generated fragments whose ends cannot be trusted (the sidecar was busy, ' +
    'or the client took no more bytes); they are kept out of the histograms.',
  labels: ['cause'],
  classed: true,
  startAtZero: { cause: TAINT_CAUSES },
};
