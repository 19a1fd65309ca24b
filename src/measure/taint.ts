// Which gaps cannot be trusted, and why. A stamp is late by at most its error bound: the time for
// which the relay's loop was busy before it. A gap is as good as its worse end.
//
//   gap ──┤                                   ├──  read
//         previous read                  ├─────┤   uncertain window: the read came somewhere in here
//                                       error bound
import { ERROR_BOUND_MAX_NS } from '../base/limits.ts';
import type { MetricSpec } from '../base/metric-spec.ts';
import type { Pause } from '../record/stream-record.ts';
import type { BlockedLog } from './blocked-log.ts';
import { TAINT_CAUSES, type TaintCause } from './figures.ts';

/** Bounds up to this are always good enough, as no figure of ours is meant finer. */
const GOOD_BOUND_NS = 1_000_000;
/** Above that, a bound may be one part in so many of the gap: 5 %. */
const GAP_PARTS = 20;
/** What is looked for in the uncertain windows, most telling first. */
const PAUSE_CAUSES = ['gc', 'cpu', 'clock'] as const;

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

/**
 * Why a gap is tainted, or undefined when it is good. The pause that gave the cause is added to `named`: one
 * that is there already if it can, as whoever replays needs no more than one.
 */
export function taintCause(
  gap: GapEnds,
  blocked: BlockedLog,
  pauses: readonly Pause[],
  named?: Set<Pause>,
): TaintCause | undefined {
  // Our clock is monotonic; should it ever step back, a negative length must not poison a sum.
  if (gap.endAtNs < gap.startAtNs) return 'clock';
  if (blocked.overlaps(gap.startAtNs, gap.endAtNs)) return 'backpressure';
  const lengthNs = gap.endAtNs - gap.startAtNs;
  const startBad = isBad(gap.startBoundNs, lengthNs);
  const endBad = isBad(gap.endBoundNs, lengthNs);
  if (!startBad && !endBad) return undefined;
  const explaining = pauses.filter(
    (pause) =>
      (pause.knownFromRead ?? 0) <= gap.readsBefore &&
      ((startBad && touches(pause, gap.startAtNs - gap.startBoundNs, gap.startAtNs)) ||
        (endBad && touches(pause, gap.endAtNs - gap.endBoundNs, gap.endAtNs))),
  );
  const told = PAUSE_CAUSES.find((cause) => explaining.some((pause) => pause.cause === cause));
  if (told === undefined) return 'loop';
  const alike = explaining.filter(({ cause }) => cause === told);
  const one = alike.find((pause) => named?.has(pause)) ?? alike.at(-1);
  if (one !== undefined) named?.add(one);
  return told;
}

function isBad(boundNs: number, lengthNs: number): boolean {
  return boundNs >= ERROR_BOUND_MAX_NS || (boundNs > GOOD_BOUND_NS && boundNs * GAP_PARTS > lengthNs);
}

function touches(pause: Pause, fromNs: number, toNs: number): boolean {
  return Math.max(pause.startAtNs, fromNs) < Math.min(pause.endAtNs, toNs);
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
