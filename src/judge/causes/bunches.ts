// Which gaps of a stream are none: what was written at once is only as far apart as packets are. Pure.
import { rankOf } from '../rank.ts';

/** Back to back on a wire, and with what jitter adds to that where steps are long. */
const BACK_TO_BACK_LEAST_NS = 3e6;
const BACK_TO_BACK_MOST_NS = 10e6;
const STEP_PART = 16;
/** Longest ones are a tenth at least: a bunch has fewer reads than ten. */
const LONG_PERCENT = 90;
/** And far shorter than the longest of so many gaps around it: in a bunch there is always a pass close by. */
const PART = 8;
const AROUND_COUNT = 8;
/** Less than this part of a plain step is none. */
export const STEP_LEAST_PART = 0.4;

/** Below this a gap is nearly none, where steps are so long. */
export function backToBackNs(stepNs: number): number {
  return Math.min(BACK_TO_BACK_MOST_NS, Math.max(BACK_TO_BACK_LEAST_NS, stepNs / STEP_PART));
}

/**
 * The gaps that are steps, or passes of several tokens each; those within bunches are left out. `stepNs`: a plain step
 * of the route where one is known; what takes a good part of it is no bunch, whatever else there is.
 */
export function passesOf(gapsNs: readonly number[], stepNs = Infinity): number[] {
  const nearNs = Math.min(STEP_LEAST_PART * stepNs, backToBackNs(rankOf(gapsNs, LONG_PERCENT)));
  return gapsNs.filter((gapNs, index) => {
    if (gapNs >= nearNs) return true;
    const around = gapsNs.slice(Math.max(0, index - AROUND_COUNT), index + AROUND_COUNT + 1);
    return !around.some((other) => gapNs * PART < other);
  });
}
